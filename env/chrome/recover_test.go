//go:build linux

package chrome_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
	"fara/scripts/commandtest"
)

// noticed is how soon the end of a page or a browser has to be known.
const noticed = 2 * time.Second

// kill ends a browser or its renderers as the system does when memory runs out.
type kill struct {
	name string
	end  func(t *testing.T, dir string)
}

func kills() []kill {
	return []kill{
		{"browser", func(t *testing.T, dir string) { signal(t, mainProcess(t, dir)) }},
		{"renderer", func(t *testing.T, dir string) {
			for _, pid := range browsers(dir) {
				line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				if strings.Contains(string(line), "--type=renderer") {
					signal(t, pid)
				}
			}
		}},
	}
}

func signal(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Error(err)
	}
}

// longPage keeps a session cookie and a value in its sessionStorage, is scrolled
// to 700, and shows all that in its title. It never answers input in time.
const longPage = `<title>-</title><style>body{height:5000px;margin:0}input{position:fixed;top:0;left:0;width:600px;height:100px}</style>
<input id=i><script>
document.cookie = 'visits=' + (1 + +(document.cookie.match(/visits=(\d+)/) || [0, 0])[1]);
sessionStorage.kept = sessionStorage.kept || 'first';
const tell = () => document.title = [document.cookie, sessionStorage.kept, scrollY].join(' ');
addEventListener('scroll', tell);
tell();
</script>`

// seenAgain gives the observation after a recovery and checks what every recovery
// promises.
func seenAgain(b tab, address string) env.Observation {
	b.T.Helper()
	began := time.Now()
	obs := b.See()
	b.T.Logf("seen again after %v", time.Since(began).Round(time.Millisecond))
	if obs.URL != address || len(envtest.Noted(obs.Notes, env.NoteRecovered)) != 1 || obs.ImageSize != (env.Size{W: 1440, H: 896}) {
		b.T.Errorf("got %q, %v, notes %+v; want %s at 1440x896 and one note of recovery", obs.URL, obs.ImageSize, obs.Notes, address)
	}
	return obs
}

func TestEveryActionSurvivesTheEndOfPageAndBrowser(t *testing.T) {
	needBrowser(t)
	for _, a := range []env.Action{
		{Kind: env.LeftClick, Point: at(300, 300)},
		{Kind: env.Type, Point: at(300, 50), Text: strings.Repeat("words and more words ", 200)},
		{Kind: env.LeftClickDrag, Point: at(900, 500)},
		{Kind: env.Scroll, Point: at(500, 500), DY: 500},
		{Kind: env.VisitURL, URL: "/slow"},
		{Kind: env.Wait, For: time.Minute},
	} {
		t.Run(string(a.Kind), func(t *testing.T) {
			dir := inTemp(t)
			b := ownTab(t, chrome.Config{})
			begun := make(chan struct{}, 100)
			b.Site.Handle("/began", func(http.ResponseWriter, *http.Request) { begun <- struct{}{} })
			slow := b.Site.Handle("/slow", func(_ http.ResponseWriter, r *http.Request) {
				begun <- struct{}{}
				<-r.Context().Done()
			})
			if a.Kind == env.VisitURL {
				a.URL = slow
			}
			// Whatever reaches the page tells so, and then the page holds it up.
			address := b.Site.Page("/long", longPage+`<script>
				const hold = e => { const x = new XMLHttpRequest(); x.open('GET', '/began', false); x.send(); const t = Date.now(); while (Date.now() - t < 1500); };
				for (const n of ['mousedown', 'wheel', 'keydown']) addEventListener(n, hold);</script>`)
			b.Do(env.Action{Kind: env.VisitURL, URL: address})
			b.See()
			for _, k := range kills() {
				for len(begun) > 0 {
					<-begun
				}
				failed := make(chan error, 1)
				go func() {
					_, err := b.Perform(t.Context(), a)
					failed <- err
				}()
				if a.Kind != env.Wait {
					select {
					case <-begun:
					case <-time.After(envtest.Within):
						t.Fatalf("%s never reached the page", a.Kind)
					}
				}
				k.end(t, dir)
				began := time.Now()
				err := <-failed
				took := time.Since(began)
				var fail *env.ActionError
				if !errors.As(err, &fail) || fail.Code != env.PageFailed || !strings.Contains(fail.Text, "may or may not have happened") || took > noticed {
					t.Errorf("%s killed: got %v after %v, want a %s that leaves open whether it happened, within %v", k.name, err, took, env.PageFailed, noticed)
				}
				seenAgain(b, address)
			}
		})
	}
}

func TestAnIdlePageComesBackWhereItWas(t *testing.T) {
	needBrowser(t)
	all := kills()
	for name, c := range map[string]struct {
		kill kill
		keep bool // the profile
	}{"browser": {all[0], false}, "browser of a kept profile": {all[0], true}, "renderer": {all[1], false}} {
		t.Run(name, func(t *testing.T) {
			dir := inTemp(t)
			var cfg chrome.Config
			if c.keep {
				cfg.ProfileDir = filepath.Join(dir, "kept")
			}
			b := ownTab(t, cfg)
			address := b.Site.Page("/long", longPage)
			b.Do(env.Action{Kind: env.VisitURL, URL: address})
			b.Do(env.Action{Kind: env.Scroll, Point: at(500, 500), DY: 700})
			b.Says("visits=1 first 700")
			c.kill.end(t, dir)
			if obs := seenAgain(b, address); obs.Title != "visits=2 first 700" {
				t.Errorf("the page says %q, want its second visit, its store and its place", obs.Title)
			}
			b.Do(env.Action{Kind: env.Scroll, Point: at(500, 500), DY: 100})
			b.Says("visits=2 first 800")
		})
	}
}

func TestAnActionOnWhatIsGoneIsNotDone(t *testing.T) {
	needBrowser(t)
	dir := inTemp(t)
	var log commandtest.Output
	b := ownTab(t, chrome.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	b.Open(`<title>-</title><body onclick="document.title='clicked'" style="height:500px">`)
	for i, k := range kills() {
		k.end(t, dir)
		if !envtest.Eventually(func() bool { return strings.Contains(log.String(), []string{"browser ended", "page crashed"}[i]) }) {
			t.Fatalf("%s killed: nobody noticed", k.name)
		}
		envtest.Contains(t, "click", b.Fails(env.Action{Kind: env.LeftClick, Point: at(50, 50)}, env.PageFailed), "was not done")
		if obs := b.See(); obs.Title != "-" {
			t.Errorf("%s killed: the page says %q, want that nothing was clicked", k.name, obs.Title)
		}
		b.Do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
		b.Says("clicked")
	}
}

func TestTwoRecoveriesOfAnyKindAndTheNextIsTheEnd(t *testing.T) {
	needBrowser(t)
	all := kills()
	for name, order := range map[string][]kill{
		"browser last":  {all[1], all[0], all[0]},
		"renderer last": {all[0], all[1], all[1]},
	} {
		t.Run(name, func(t *testing.T) {
			dir := inTemp(t)
			b := ownTab(t, chrome.Config{})
			b.Open(`<title>-</title>`)
			for _, k := range order[:2] {
				k.end(t, dir)
				if obs := b.See(); len(envtest.Noted(obs.Notes, env.NoteRecovered)) != 1 {
					t.Fatalf("%s killed: notes %+v", k.name, obs.Notes)
				}
				select {
				case <-b.Lost():
					t.Fatalf("lost after a recovery: %s", k.name)
				default:
				}
			}
			failed := make(chan error, 1)
			go func() {
				_, err := b.Perform(context.Background(), env.Action{Kind: env.Wait, For: time.Minute})
				failed <- err
			}()
			order[2].end(t, dir)
			limit := time.After(noticed)
			select {
			case <-b.Lost():
			case <-limit:
				t.Fatalf("Lost was not closed within %v", noticed)
			}
			if err := <-failed; !errors.Is(err, env.ErrLost) {
				t.Errorf("pending action: got %v, want %v", err, env.ErrLost)
			}
			if _, err := b.Observe(t.Context()); !errors.Is(err, env.ErrLost) {
				t.Errorf("observe: got %v, want %v", err, env.ErrLost)
			}
		})
	}
}

func TestAPageThatCrashesWhenOpenedIsNotOpenedAgain(t *testing.T) {
	b := ownTab(t, chrome.Config{})
	b.Open(`<title>survivor</title><body onclick="document.title='clicked'" style="height:500px">`)
	began := time.Now()
	b.Fails(env.Action{Kind: env.VisitURL, URL: "chrome://crash"}, env.PageFailed)
	obs := seenAgain(b, b.Site.URL+"/page")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("noticing a crash and loading again took %v", took)
	}
	if obs.Title != "survivor" {
		t.Errorf("got %q, want the page before", obs.Title)
	}
	b.Do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
	b.Says("clicked")
}

// TestNotesOutliveTheBrowser: what was not told yet is told after the recovery.
func TestNotesOutliveTheBrowser(t *testing.T) {
	needBrowser(t)
	dir := inTemp(t)
	b := ownTab(t, chrome.Config{})
	b.Open(`<title>-</title><body onclick="alert('mind the gap')" style="height:500px">`)
	b.Do(env.Action{Kind: env.LeftClick, Point: at(50, 50)})
	signal(t, mainProcess(t, dir))
	obs := b.See()
	if said := envtest.Noted(obs.Notes, env.NoteDialog); len(said) != 1 || said[0].Quote != "mind the gap" || len(envtest.Noted(obs.Notes, env.NoteRecovered)) != 1 {
		t.Errorf("notes %+v, want the dialog's and the recovery's", obs.Notes)
	}
}

func TestClosingDuringARecoveryLeavesNothing(t *testing.T) {
	needBrowser(t)
	dir := inTemp(t)
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 400 * time.Millisecond} {
		b, err := chrome.Launch(t.Context(), chrome.Config{})
		if err != nil {
			t.Fatal(err)
		}
		signal(t, mainProcess(t, dir))
		observed := make(chan error, 1)
		go func() {
			_, err := b.Observe(t.Context())
			observed <- err
		}()
		<-time.After(after)
		if err := b.Close(); err != nil {
			t.Errorf("close after %v: %v", after, err)
		}
		if err := <-observed; err != nil && !errors.Is(err, env.ErrLost) {
			t.Errorf("observe, closed after %v: got %v, want %v", after, err, env.ErrLost)
		}
		if !envtest.Eventually(func() bool { return len(browsers(dir)) == 0 }) || len(profilesIn(dir)) > 0 {
			t.Errorf("closed after %v: left %v and %v", after, browsers(dir), profilesIn(dir))
		}
	}
}
