package envtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fara/env"
)

// Options are what a test needs of a browser beside its defaults.
type Options struct {
	// Viewport is in CSS pixels; zero means what the environment takes.
	Viewport env.Size
	// Scale is the device scale factor; 0 means 1.
	Scale float64
	// DownloadDir receives downloads; empty refuses them.
	DownloadDir string
	// Uploads are the files that pages may be given.
	Uploads []string
	// Admit says whether a document of this address may be asked for; nil admits
	// all.
	Admit func(address string) error
}

// ConformBrowser checks what an environment promises that shows real pages,
// beyond Conform. open gives a new one on an empty page; ConformBrowser closes it.
func ConformBrowser(t *testing.T, open func(t *testing.T, o Options) Subject) {
	t.Run("EightTogetherStayApart", func(t *testing.T) { stayApart(t, open) })
	for _, topic := range []struct {
		name  string
		cases []browserCase
	}{
		{"Pointer", pointerCases()},
		{"Typing", typingCases()},
		{"Fields", fieldCases()},
		{"Waiting", waitingCases()},
		{"Around", aroundCases()},
		{"Admission", admissionCases()},
	} {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			var common Subject
			for _, c := range topic.cases {
				t.Run(c.name, func(t *testing.T) {
					if c.options != nil {
						e := open(t, c.options(t))
						t.Cleanup(func() { _ = e.Close() })
						c.run(t, &tab{e, t, NewSite(t)})
						return
					}
					if common == nil {
						common = open(t, Options{})
					}
					c.run(t, &tab{common, t, NewSite(t)})
				})
			}
			if common != nil {
				if err := common.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
		})
	}
}

// browserCase is one promise. Its name is the claim.
type browserCase struct {
	name string
	// options asks for a browser of the case's own; nil shares one with the other
	// cases of the topic.
	options func(t *testing.T) Options
	run     func(t *testing.T, b *tab)
}

// within is how long a condition of these tests may take to come true.
const within = 10 * time.Second

// tab is a browser in a test.
type tab struct {
	Subject
	t    *testing.T
	site *Site
}

// open shows a page of the given HTML and forgets what was noted before.
func (b *tab) open(html string) {
	b.t.Helper()
	b.visit(b.site.Page("/page", html))
}

// visit shows an address and forgets what was noted before.
func (b *tab) visit(address string) {
	b.t.Helper()
	b.do(env.Action{Kind: env.VisitURL, URL: address})
	b.see()
}

func (b *tab) do(a env.Action) env.Outcome {
	b.t.Helper()
	return perform(b.t, b.Subject, a)
}

func (b *tab) see() env.Observation {
	b.t.Helper()
	return observe(b.t, b.Subject)
}

func (b *tab) click(x, y float64) env.Outcome {
	b.t.Helper()
	return b.do(env.Action{Kind: env.LeftClick, Point: point(x, y)})
}

func (b *tab) press(keys ...string) env.Outcome {
	b.t.Helper()
	return b.do(env.Action{Kind: env.Key, Keys: keys})
}

// fails performs an action that has to fail with the code, and gives its text.
func (b *tab) fails(a env.Action, code env.Code) string {
	b.t.Helper()
	out, err := b.Perform(b.t.Context(), a)
	var action *env.ActionError
	if !errors.As(err, &action) || action.Code != code {
		b.t.Fatalf("%s: got %+v, %v, want an action error %s", a.Kind, out, err, code)
	}
	return action.Text
}

// says checks the page's title, where test pages write what they saw.
func (b *tab) says(want string) {
	b.t.Helper()
	got := ""
	if !eventually(b.t.Context(), func() bool { got = b.see().Title; return got == want }) {
		b.t.Errorf("page says %q, want %q", got, want)
	}
}

// eventually tries a condition until it holds or its time is over.
func eventually(ctx context.Context, holds func() bool) bool {
	limit := time.NewTimer(within)
	defer limit.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// noted gives the notes of a kind among those given.
func noted(notes []env.Note, kind env.NoteKind) []env.Note {
	var out []env.Note
	for _, n := range notes {
		if n.Kind == kind {
			out = append(out, n)
		}
	}
	return out
}

func point(x, y float64) *env.Point { return &env.Point{X: x, Y: y} }

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: got %q, want %q in it", what, text, part)
		}
	}
}
