package envtest

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fara/env"
)

// failures are addresses that cannot be opened, and what is said about them.
var failures = []struct {
	name  string
	serve http.HandlerFunc
	code  env.Code
	says  []string
}{
	{"reset", raw("", 0), env.Navigation, []string{"broke the connection off"}},
	{"empty", raw("", -1), env.Navigation, []string{"sent nothing"}},
	{"circle", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, env.Navigation, []string{"circle"}},
	{"404 without a page", status(http.StatusNotFound), env.Navigation, []string{"no page"}},
	{"500 without a page", status(http.StatusInternalServerError), env.Navigation, []string{"no page"}},
	{"204", status(http.StatusNoContent), env.Navigation, []string{"nothing to show", "the page stays"}},
	{"not HTTP", raw("\x00\x01\x02 hello\r\n\r\n", -1), env.Navigation, []string{"does not speak HTTP"}},
	{"two lengths", raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", -1), env.Navigation, []string{"contradicts itself"}},
	{"nowhere", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://")
		w.WriteHeader(http.StatusFound)
	}, env.Navigation, []string{"not valid"}},
	{"asks for a password", needsPassword, env.Navigation, []string{"user name and password"}},
}

// raw answers with exactly these bytes and closes the connection; a linger of 0
// breaks it off.
func raw(answer string, linger int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = c.Write([]byte(answer))
		_ = c.(*net.TCPConn).SetLinger(linger)
		_ = c.Close()
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func needsPassword(w http.ResponseWriter, r *http.Request) {
	if name, word, _ := r.BasicAuth(); name != "ann" || word != "s3cret" {
		w.Header().Set("WWW-Authenticate", `Basic realm="members"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if strings.HasSuffix(r.URL.Path, ".js") {
		fmt.Fprint(w, "document.title='in with its script'")
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, `<title>in</title><script src="/members.js"></script><a href="/members2"`+target+`>more</a>`)
}

func errorCases() []browserCase {
	cases := []browserCase{
		{"addresses that lead nowhere are told", nil, nowhere},
		{"a link that fails is noted with the page it shows", nil, failedLink},
		{"a page of an error is a page", nil, errorPage},
		{"a page that breaks off is shown as far as it came", nil, brokenPages},
		{"a bad certificate cannot be clicked away", nil, badCertificate},
		{"a name and password in an address open its pages and are never repeated", nil, passwordInAddress},
	}
	for _, f := range failures {
		cases = append(cases, browserCase{"cannot be opened: " + f.name, nil, func(t *testing.T, b *Tab) {
			b.Open(`<title>before</title>`)
			began := time.Now()
			text := b.Fails(env.Action{Kind: env.VisitURL, URL: b.Site.Handle("/bad", f.serve)}, f.code)
			if Contains(t, "outcome", text, append(f.says, "/bad")...); time.Since(began) > 5*time.Second {
				t.Errorf("it took %v", time.Since(began))
			}
			if obs := b.See(); len(obs.Image) == 0 || len(obs.Notes) != 0 {
				t.Errorf("notes %+v, want a picture and nothing told twice", obs.Notes)
			}
		}})
	}
	return cases
}

func nowhere(_ *testing.T, b *Tab) {
	for address, says := range map[string]string{
		"http://no-such-host.invalid/":                     "the host does not exist",
		"http://127.0.0.1:6000/":                           "browsers do not connect to this port",
		"http://127.0.0.1:47/":                             "refuses connections",
		"file:///no/such/file":                             "does not exist",
		strings.Replace(b.Site.URL, "http", "https", 1):    "TLS",
		"steam://run/1":                                    "another program",
		"http://ann:s3cret@127.0.0.1:47/":                  "refuses connections",
		"http://ann:s3cret@no-such-host.invalid/x?y=z#top": "does not exist",
	} {
		text := b.Fails(env.Action{Kind: env.VisitURL, URL: address}, env.Navigation)
		Contains(b.T, address, text, says)
		if obs := b.See(); strings.Contains(text+obs.URL+fmt.Sprint(obs.Tabs), "s3cret") {
			b.T.Errorf("%s: the password is in %q or %+v", address, text, obs.Tabs)
		}
	}
	for _, address := range []string{"http://127.0.0.1:99999/", "http://[::", "nothing", "javascript:alert(1)", "https://"} {
		b.Fails(env.Action{Kind: env.VisitURL, URL: address}, env.BadArgument)
	}
}

func failedLink(t *testing.T, b *Tab) {
	b.Open(`<a href="http://127.0.0.1:47/"` + target + `>broken</a>`)
	b.Click(50, 50)
	obs := b.until("failed", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteError)) > 0 })
	if obs.URL != "http://127.0.0.1:47/" || len(Noted(obs.Notes, env.NoteError)) != 1 {
		t.Errorf("at %s, notes %+v; want where it led and one note", obs.URL, obs.Notes)
	}
	Contains(t, "note", Noted(obs.Notes, env.NoteError)[0].Text, "refuses connections", "net::ERR_CONNECTION_REFUSED")
}

func errorPage(t *testing.T, b *Tab) {
	for _, code := range []int{http.StatusNotFound, http.StatusTeapot, http.StatusInternalServerError, http.StatusUnauthorized} {
		b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.Handle("/page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(code)
			fmt.Fprintf(w, "<title>sorry %d</title>", code)
		})})
		if got, want := b.See().Title, fmt.Sprintf("sorry %d", code); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func brokenPages(t *testing.T, b *Tab) {
	for name, c := range map[string]struct{ answer, title, says string }{
		"short":   {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<title>half</title><h1>a", "half", "broke off"},
		"chunks":  {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<h1>a\r\nZZ\r\nxx", "", "damaged"},
		"gzip":    {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip", "", "damaged"},
		"nothing": {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n", "", ""},
	} {
		address := b.Site.Handle("/broken", raw(c.answer, -1))
		began := time.Now()
		if out, err := b.Perform(t.Context(), env.Action{Kind: env.VisitURL, URL: address}); err != nil && name != "nothing" {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		obs := b.See()
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
		notes := Noted(obs.Notes, env.NoteError)
		if obs.URL != address || len(obs.Image) == 0 || c.title != "" && obs.Title != c.title {
			t.Errorf("%s: at %s titled %q, want what came of it", name, obs.URL, obs.Title)
		}
		if c.says != "" && (len(notes) != 1 || !strings.Contains(notes[0].Text, c.says)) {
			t.Errorf("%s: notes %+v, want one that says %q", name, notes, c.says)
		}
	}
}

func badCertificate(t *testing.T, b *Tab) {
	reached := false
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached = true
		fmt.Fprint(w, "<title>behind the warning</title>")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	Contains(t, "outcome", b.Fails(env.Action{Kind: env.VisitURL, URL: server.URL}, env.Navigation), "certificate")
	if obs := b.See(); len(obs.Image) == 0 {
		t.Error("no picture of the warning")
	}
	for _, a := range []env.Action{
		{Kind: env.LeftClick, Point: point(500, 500)}, {Kind: env.Type, Text: "thisisunsafe"}, {Kind: env.Key, Keys: []string{"Enter"}},
	} {
		Contains(t, string(a.Kind), b.Fails(a, env.Refused), "certificate")
	}
	if reached {
		t.Error("the page behind the warning was asked for")
	}
	b.Open(`<title>-</title><body style="height:500px" onclick="document.title='clicked'">`)
	b.Click(50, 50)
	b.Says("clicked")
}

func passwordInAddress(t *testing.T, b *Tab) {
	for _, path := range []string{"/members", "/members2", "/members.js"} {
		b.Site.Handle(path, needsPassword)
	}
	address := strings.Replace(b.Site.URL, "http://", "http://ann:s3cret@", 1) + "/members"
	out := b.Do(env.Action{Kind: env.VisitURL, URL: address})
	b.Says("in with its script")
	obs := b.See()
	doc, err := b.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Click(50, 50)
	after := b.until("further in", func(obs env.Observation) bool { return obs.URL == b.Site.URL+"/members2" })
	back := b.Do(env.Action{Kind: env.HistoryBack})
	for what, text := range map[string]string{
		"outcome": out.Text, "address": obs.URL, "tabs": fmt.Sprint(obs.Tabs, after.Tabs), "text": fmt.Sprint(doc), "outcome of back": back.Text,
	} {
		if strings.Contains(text, "s3cret") {
			t.Errorf("%s repeats the password: %q", what, text)
		}
	}
}
