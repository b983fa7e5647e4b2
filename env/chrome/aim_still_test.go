package chrome_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"fara/env"
	"fara/env/chrome"
)

// TestClicksReachNothingThatAimDidNotTell has a page bring another button under the
// pointer when it arrives.
func TestClicksReachNothingThatAimDidNotTell(t *testing.T) {
	needBrowser(t)
	const button = `style="position:absolute;left:10px;top:10px;width:80px;height:80px"`
	pages := map[string]string{
		"/away":  `<button onclick="document.title='hit'" ` + button + `>Buy</button><button id=n ` + button + `>Next</button><script>addEventListener('mousemove', () => n.remove())</script>`,
		"/stays": `<button onclick="document.title='hit'" onmouseover="this.style.color='red'" ` + button + `>Next</button>`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "<!doctype html><title>open</title>"+pages[r.URL.Path])
	}))
	defer s.Close()
	b, err := chrome.Launch(t.Context(), chrome.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	click := env.Action{Kind: env.LeftClick, Point: &env.Point{X: 50, Y: 50}}
	for _, c := range []struct {
		path, title string
		again       bool // the click is refused once, and goes the second time
	}{{"/stays", "hit", false}, {"/away", "hit", true}} {
		if _, err := b.Perform(t.Context(), env.Action{Kind: env.VisitURL, URL: s.URL + c.path}); err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			if _, err := b.Observe(t.Context()); err != nil {
				t.Fatal(err)
			}
			if el, err := b.Aim(t.Context(), click); err != nil || el == nil {
				t.Fatalf("%s: aimed at %+v, %v", c.path, el, err)
			}
			_, err := b.Perform(t.Context(), click)
			var fail *env.ActionError
			moved := errors.As(err, &fail) && fail.Code == env.Moved
			if want := c.again && n == 0; moved != want || !moved && err != nil {
				t.Errorf("%s, click %d: got %v, want it refused as moved: %v", c.path, n+1, err, want)
			}
			obs, err := b.Observe(t.Context())
			if want := map[bool]string{true: "open", false: c.title}[moved]; err != nil || obs.Title != want {
				t.Errorf("%s, click %d: title %q, %v, want %q", c.path, n+1, obs.Title, err, want)
			}
		}
	}
}
