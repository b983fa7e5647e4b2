package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fara/model/modeltest"
	"fara/scripts/commandtest"
	"fara/trajectory"
)

// guardedPage is a site whose page has a captcha, made up as its maker makes it.
type guardedPage struct {
	url            string
	clicks, looked atomic.Int32 // clicks in the captcha; how often the page asked whether it is solved
	solved         atomic.Bool
}

// captchaFrame is where reCAPTCHA has its box; the middle of it is [500, 500] of
// 1440x896.
const (
	captchaFrame = `<iframe title="reCAPTCHA" src="/recaptcha/api2/anchor?size=normal" style="position:absolute;left:568px;top:409px;width:304px;height:78px;border:0"></iframe>`
	wholeForm    = `<form><input name=name aria-label=Name><textarea name=text aria-label=Text></textarea></form>`
	clickCaptcha = `{"action": "left_click", "coordinate": [500, 500]}`
	solvedSoon   = `<span id=recaptcha-anchor aria-checked=false></span><script>setInterval(async () => {
		const solved = await (await fetch('/solved')).text() === 'yes'
		document.querySelector('#recaptcha-anchor').setAttribute('aria-checked', solved)
		if (solved) document.title = 'let in'
	}, 200)</script>`
)

func guardedSite(t *testing.T, html string) *guardedPage {
	t.Helper()
	g := &guardedPage{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/recaptcha/"):
			fmt.Fprint(w, `<!doctype html><body onclick="fetch('/clicked')" style="height:500px"><p>I'm not a robot</p>`)
		case r.URL.Path == "/clicked":
			g.clicks.Add(1)
		case r.URL.Path == "/solved":
			if g.solved.Load() {
				g.looked.Add(1)
				fmt.Fprint(w, "yes")
			}
		default:
			fmt.Fprint(w, "<!doctype html><title>guarded</title>"+html)
		}
	}))
	t.Cleanup(s.Close)
	g.url = s.URL
	return g
}

func TestUnattendedRunEndsAtACaptchaUntouched(t *testing.T) {
	needBrowser(t)
	for name, c := range map[string]struct {
		html           string
		status, reason string
		code           int
	}{
		"a box that the model clicks":   {wholeForm + captchaFrame, "blocked", "captcha", exitNoSuccess},
		"a challenge over all the page": {wholeForm + strings.NewReplacer("/anchor?size=normal", "/bframe?hl=en", "left:568px;top:409px;width:304px;height:78px", "left:0;top:0;width:1440px;height:896px").Replace(captchaFrame), "blocked", "captcha", exitNoSuccess},
		"a page for the box alone":      {`<h1>One more step</h1>` + captchaFrame, "blocked", "captcha", exitNoSuccess},
		"a badge that asks nothing":     {`<div class=grecaptcha-badge>` + strings.NewReplacer("size=normal", "size=invisible", "left:568px;top:409px", "left:1180px;top:800px").Replace(captchaFrame) + `</div><button style="position:absolute;left:700px;top:430px" onclick="document.title='clicked'">Go</button>`, "success", "", exitSuccess},
	} {
		g := guardedSite(t, c.html)
		srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(tool("I click.", clickCaptcha), tool("It is done.", finish)))
		out := t.TempDir()
		got := fara(t, "run", "Go on.", "--url", g.url, "--endpoint", srv.URL(), "--json", "--out", out)
		all := lines(t, got.stdout)
		last := all[len(all)-1]
		if got.code != c.code || last["status"] != c.status || c.reason != "" && last["reason"] != c.reason {
			t.Errorf("%s: exit code %d, %v %v, want %d, %s %s: %s", name, got.code, last["status"], last["reason"], c.code, c.status, c.reason, got.stderr)
		}
		if n := g.clicks.Load(); n > 0 {
			t.Errorf("%s: %d clicks in the captcha", name, n)
		}
		asked := kinds(only(t, out), trajectory.KindAsked)
		if wants := c.reason != ""; wants != (len(asked) == 1 && strings.HasPrefix(asked[0].Asked.Captcha, "reCAPTCHA")) {
			t.Errorf("%s: asked %+v", name, asked)
		}
	}
}

// steering sends requests to a run's control.
type steering struct{ url, token string }

func (s steering) send(t *testing.T, method, path, body string) (status struct {
	Question *struct {
		ID  int    `json:"id"`
		For string `json:"for"`
	} `json:"question"`
}) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return status // the run has ended
	}
	defer res.Body.Close()
	_ = json.NewDecoder(res.Body).Decode(&status)
	return status
}

func TestAttendedRunGoesOnWhenAPersonHasSolvedTheCaptcha(t *testing.T) {
	needBrowser(t)
	g := guardedSite(t, wholeForm+captchaFrame+solvedSoon)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(tool("I click.", clickCaptcha), tool("It is done.", finish)))
	out := t.TempDir()
	p := start(t, nil, "run", "Go on.", "--url", g.url, "--endpoint", srv.URL(), "--out", out, "--control", "0")
	said := regexp.MustCompile(`control at (http://127\.0\.0\.1:\d+) with the token (\S+)`)
	var control steering
	commandtest.Eventually(t, 30*time.Second, "the control is told", func() bool {
		m := said.FindStringSubmatch(p.Complained.String())
		if m != nil {
			control = steering{m[1], m[2]}
		}
		return m != nil
	})
	id := 0
	commandtest.Eventually(t, 30*time.Second, "a person is wanted", func() bool {
		q := control.send(t, "GET", "/status", "").Question
		if q != nil && q.For == "captcha" {
			id = q.ID
		}
		return q != nil && q.For == "captcha"
	})
	if n := len(srv.Requests()); n != 1 {
		t.Errorf("the model was asked %d times though the run waits", n)
	}
	g.solved.Store(true)
	commandtest.Eventually(t, 30*time.Second, "the page sees that it is solved", func() bool { return g.looked.Load() > 1 })
	control.send(t, "POST", "/approve", fmt.Sprintf(`{"id": %d, "choice": "yes"}`, id))
	if code := p.Ends(t, 60*time.Second); code != exitSuccess {
		t.Fatalf("exit code %d: %s", code, p.Complained.String())
	}
	if n := g.clicks.Load(); n > 0 {
		t.Errorf("%d clicks of the model in the captcha", n)
	}
	run := only(t, out)
	resumed, seen := kinds(run, trajectory.KindResumed), kinds(run, trajectory.KindObserved)
	if len(resumed) != 1 || !resumed[0].Resumed.Hands || resumed[0].Resumed.Why != "captcha" {
		t.Errorf("on record: %+v, want that a person's hands were at work", resumed)
	}
	if last := seen[len(seen)-1]; last.Observed.Title != "let in" || len(resumed) == 1 && last.Seq < resumed[0].Seq {
		t.Errorf("the last picture is number %d of %q, want one from after the person was done", last.Seq, last.Observed.Title)
	}
}

func TestPolicyThatDeniesSubmitIsAWallForFormsOfScripts(t *testing.T) {
	needBrowser(t)
	var posts atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posts.Add(1)
		}
		fmt.Fprint(w, `<!doctype html><title>page</title><form id=f method=post action=/to><input type=hidden name=mail value=me@home.example></form>
			<span style="position:absolute;inset:0" onclick="f.submit()">more</span>`)
	}))
	t.Cleanup(s.Close)
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("rules:\n  - class: submit\n    do: deny\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(tool("I click.", clickCaptcha), tool("It is done.", finish)))
	out := t.TempDir()
	got := fara(t, "run", "Go on.", "--url", s.URL, "--endpoint", srv.URL(), "--policy", rules, "--out", out)
	if got.code != exitSuccess || posts.Load() > 0 {
		t.Errorf("exit code %d, %d forms reached the server: %s", got.code, posts.Load(), got.stderr)
	}
	told, err := json.Marshal(kinds(only(t, out), trajectory.KindActed))
	if err != nil || !strings.Contains(string(told), "nothing may be sent to") {
		t.Errorf("what the model is told lacks the refusal: %s", told)
	}
}
