package chrome_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"fara/env"
	"fara/env/chrome"
	"fara/env/envtest"
)

// inspected opens a page whose frame and whose shadow root say something, too.
func inspected(t *testing.T, q env.Query) (env.Evidence, string) {
	t.Helper()
	envtest.NeedBrowser(t, chrome.Find)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "order", Value: "4711"})
		fmt.Fprint(w, `<!doctype html><title>Shop</title><p class=row>one<p class=row>two<p hidden class=row>three
			<label><input type=checkbox id=agree checked>agree</label><input id=name value=Ada><input id=pass type=password value=sesame>
			<button disabled id=go>Go</button><div id=host></div><iframe src=/inner></iframe>
			<script>host.attachShadow({mode: 'open'}).innerHTML = '<b class=row>in the shadow</b>'; fetch('/api', {method: 'POST'})</script>`)
	})
	mux.HandleFunc("GET /inner", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `<p class=row>in the frame`) })
	mux.HandleFunc("POST /api", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="list.csv"`)
		fmt.Fprint(w, "abc")
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	b, err := chrome.Launch(t.Context(), chrome.Config{DownloadDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	for _, path := range []string{"/", "/file"} {
		if _, err := b.Perform(t.Context(), env.Action{Kind: env.VisitURL, URL: site.URL + path}); err != nil && path == "/" {
			t.Fatal(err)
		}
	}
	found, err := b.Inspect(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return found, site.URL
}

func TestInspectTellsWhatThePageShowsAndDid(t *testing.T) {
	got, site := inspected(t, env.Query{Selectors: []string{".row", "#agree", "#name", "#pass", "#go", "p[", ".none"}, Text: true, Cookies: true})
	if got.URL != site+"/" || got.Title != "Shop" {
		t.Errorf("got %q %q", got.URL, got.Title)
	}
	for _, words := range []string{"one", "two", "in the frame", "in the shadow"} {
		if !strings.Contains(got.Text, words) {
			t.Errorf("the text lacks %q: %q", words, got.Text)
		}
	}
	if strings.Contains(got.Text, "three") {
		t.Errorf("the text has what is hidden: %q", got.Text)
	}
	el := got.Elements
	if el[0].Count != 5 || len(el[0].Found) != 5 || !el[0].Found[0].Visible || el[0].Found[2].Visible {
		t.Errorf("rows: got %+v", el[0])
	}
	if !el[1].Found[0].Checked || el[2].Found[0].Value != "Ada" || el[3].Found[0].Value != "" || el[4].Found[0].Enabled {
		t.Errorf("got %+v", el[1:5])
	}
	if el[5].Problem == "" || el[6].Problem != "" || el[6].Count != 0 {
		t.Errorf("got %+v", el[5:])
	}
	if !slices.ContainsFunc(got.Cookies, func(c env.Cookie) bool { return c.Name == "order" && c.Value == "4711" }) {
		t.Errorf("cookies: got %+v", got.Cookies)
	}
	if !slices.Contains(got.Requests, env.Request{Method: "POST", URL: site + "/api", Status: http.StatusTeapot}) {
		t.Errorf("requests: got %+v", got.Requests)
	}
	want := env.Download{Name: "list.csv", URL: site + "/file", Size: 3, SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
	if !slices.Equal(got.Downloads, []env.Download{want}) {
		t.Errorf("downloads: got %+v, want %+v", got.Downloads, want)
	}
}
