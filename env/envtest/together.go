package envtest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fara/env"
)

// crowd is how many sessions are driven side by side.
const crowd = 8

// stayApart drives a crowd of sessions on one site at the same time: none may
// notice any other, in its pages, focus, cookies, storage, dialogs or downloads.
func stayApart(t *testing.T, open func(t *testing.T, o Options) Subject) {
	site := NewSite(t)
	site.Handle("/who", servePersonal)
	site.Handle("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="own.txt"`)
		_, _ = io.WriteString(w, r.URL.Query().Get("me"))
	})
	var sessions []*personal
	for i := range crowd {
		dir := t.TempDir()
		e := open(t, Options{DownloadDir: dir})
		t.Cleanup(func() { _ = e.Close() })
		sessions = append(sessions, &personal{Tab{e, t, site}, fmt.Sprintf("secret-%d", i), dir})
	}
	var work sync.WaitGroup
	for _, s := range sessions {
		work.Go(s.live)
	}
	work.Wait()
}

// personal is one of the crowd.
type personal struct {
	Tab
	secret, downloads string
}

// servePersonal is a page that keeps what it is given, in each way a page can,
// and tells in its title all that it finds.
func servePersonal(w http.ResponseWriter, r *http.Request) {
	me := r.URL.Query().Get("me")
	if cookie, err := r.Cookie("me"); err == nil && cookie.Value != me {
		me = "MIXED UP WITH " + cookie.Value
	}
	http.SetCookie(w, &http.Cookie{Name: "me", Value: r.URL.Query().Get("me")})
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `<!doctype html><body style="margin:0"><input id="f" style="position:absolute;left:0;top:0;width:300px;height:50px">
<button style="position:absolute;left:0;top:100px;width:200px;height:50px" onclick="alert(me)">say</button>
<a href="/file?me=%[1]s" style="position:absolute;left:0;top:200px;width:200px;height:50px;background:#ccc">file</a>
<script>
const me = %[1]q;
localStorage.setItem('me', (localStorage.getItem('me') || '') + me + ' ');
const tell = () => { document.title = [me, document.hasFocus(), document.visibilityState, f.value, [...new Set(localStorage.me.trim().split(' '))].join(',')].join('|'); };
f.oninput = tell; setInterval(tell, 50);
new BroadcastChannel('crowd').onmessage = e => { if (e.data !== me) document.body.textContent = 'HEARD ' + e.data; };
new BroadcastChannel('crowd').postMessage(me);
</script>`, me)
}

func (p *personal) live() {
	address := p.Site.URL + "/who?me=" + p.secret
	for round := range 3 {
		text := fmt.Sprintf("%s-%d", p.secret, round)
		steps := []env.Action{
			{Kind: env.VisitURL, URL: address},
			{Kind: env.Type, Text: text, Point: point(100, 25), Clear: true},
			{Kind: env.LeftClick, Point: point(100, 125)},
			{Kind: env.LeftClick, Point: point(100, 225)},
		}
		var notes []env.Note
		for _, a := range steps {
			if _, err := p.Perform(p.T.Context(), a); err != nil {
				p.T.Errorf("%s: %s: %v", p.secret, a.Kind, err)
				return
			}
			obs, err := p.Observe(p.T.Context())
			if err != nil {
				p.T.Errorf("%s: observe: %v", p.secret, err)
				return
			}
			if notes = append(notes, obs.Notes...); len(obs.Tabs) != 1 {
				p.T.Errorf("%s sees %d tabs: %+v", p.secret, len(obs.Tabs), obs.Tabs)
			}
		}
		p.alone(text, notes)
	}
	files, err := filepath.Glob(filepath.Join(p.downloads, "*"))
	if err != nil || len(files) != 3 {
		p.T.Errorf("%s has downloads %q (%v), want three of its own", p.secret, files, err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || string(text) != p.secret {
			p.T.Errorf("%s: %s holds %q (%v)", p.secret, file, text, err)
		}
	}
}

// alone checks what one round has shown.
func (p *personal) alone(text string, notes []env.Note) {
	want := strings.Join([]string{p.secret, "true", "visible", text, p.secret}, "|")
	got := ""
	holds := func() bool {
		obs, err := p.Observe(p.T.Context())
		got = obs.Title
		notes = append(notes, obs.Notes...)
		return err == nil && got == want && len(Noted(notes, env.NoteDownload)) > 0
	}
	if !Eventually(holds) {
		p.T.Errorf("page says %q, want %q; notes %+v", got, want, notes)
	}
	for _, n := range Noted(notes, env.NoteDialog) {
		if n.Quote != p.secret {
			p.T.Errorf("%s was told of the dialog %q", p.secret, n.Quote)
		}
	}
	if n := len(Noted(notes, env.NoteDialog)); n != 1 {
		p.T.Errorf("%s was told of %d dialogs, want 1", p.secret, n)
	}
}
