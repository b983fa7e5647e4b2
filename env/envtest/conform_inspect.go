package envtest

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"fara/env"
)

// inspected gives what an environment knows of its page.
func inspected(t *testing.T, e Subject, q env.Query) env.Evidence {
	t.Helper()
	found, err := e.Inspect(t.Context(), q)
	if err != nil {
		t.Fatalf("inspect %+v: %v", q, err)
	}
	return found
}

func (s *suite) inspect(t *testing.T, e Subject) {
	address := s.site.URL + "/form"
	perform(t, e, env.Action{Kind: env.VisitURL, URL: address})
	var selectors []string
	for _, m := range FormMatches() {
		selectors = append(selectors, m.Selector)
	}
	got := inspected(t, e, env.Query{Selectors: append(selectors, ".not-there"), Text: true})
	if want := append(FormMatches(), env.Matches{Selector: ".not-there"}); !reflect.DeepEqual(bare(got.Elements), want) {
		t.Errorf("got the elements %+v, want %+v", got.Elements, want)
	}
	if obs := observe(t, e); got.URL != address || got.Title != obs.Title {
		t.Errorf("got %q at %q, want %q at %q", got.Title, got.URL, obs.Title, address)
	}
	if strings.TrimSpace(got.Text) == "" {
		t.Error("got no text of the page")
	}
}

// bare has nil in place of lists of nothing.
func bare(all []env.Matches) (out []env.Matches) {
	for _, m := range all {
		if len(m.Found) == 0 {
			m.Found = nil
		}
		out = append(out, m)
	}
	return out
}

func (s *suite) inspectLittle(t *testing.T, e Subject) {
	perform(t, e, env.Action{Kind: env.VisitURL, URL: s.site.URL + "/form"})
	if got := inspected(t, e, env.Query{}); got.Text != "" || len(got.Elements) > 0 || len(got.Cookies) > 0 || got.URL == "" {
		t.Errorf("nothing was asked for: got %+v, want the address and what happened alone", got)
	}
}

func (s *suite) inspectIsStill(t *testing.T, e Subject) {
	perform(t, e, env.Action{Kind: env.VisitURL, URL: s.site.URL + "/form"})
	before := observe(t, e)
	for range 3 {
		inspected(t, e, env.Query{Selectors: []string{"input", "button"}, Text: true, Cookies: true})
	}
	if after := observe(t, e); !bytes.Equal(after.Image, before.Image) || after.URL != before.URL || len(after.Notes) > 0 {
		t.Errorf("inspecting changed the page: at %q with %v", after.URL, after.Notes)
	}
}
