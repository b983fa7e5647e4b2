package envtest

import (
	"errors"
	"os"
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
		{"Aim", aimCases()},
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
						c.run(t, NewTab(t, e))
						return
					}
					if common == nil {
						common = open(t, Options{})
					}
					c.run(t, NewTab(t, common))
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
	run     func(t *testing.T, b *Tab)
}

// Within is how long a condition of these tests may take to come true.
const Within = 10 * time.Second

// Tab is a browser in a test, which fails when a call does.
type Tab struct {
	Subject
	T *testing.T
	// Site serves the pages that Open shows.
	Site *Site
}

// NewTab gives a browser a site of its own.
func NewTab(t *testing.T, e Subject) *Tab { return &Tab{e, t, NewSite(t)} }

// Open shows a page of the given HTML and forgets what was noted before.
func (b *Tab) Open(html string) {
	b.T.Helper()
	b.Visit(b.Site.Page("/page", html))
}

// Visit shows an address and forgets what was noted before.
func (b *Tab) Visit(address string) {
	b.T.Helper()
	b.Do(env.Action{Kind: env.VisitURL, URL: address})
	b.See()
}

// Do performs an action.
func (b *Tab) Do(a env.Action) env.Outcome {
	b.T.Helper()
	return perform(b.T, b.Subject, a)
}

// See observes the page.
func (b *Tab) See() env.Observation {
	b.T.Helper()
	return observe(b.T, b.Subject)
}

// Click clicks with the left button.
func (b *Tab) Click(x, y float64) env.Outcome {
	b.T.Helper()
	return b.Do(env.Action{Kind: env.LeftClick, Point: point(x, y)})
}

// Press presses keys as one chord.
func (b *Tab) Press(keys ...string) env.Outcome {
	b.T.Helper()
	return b.Do(env.Action{Kind: env.Key, Keys: keys})
}

// Fails performs an action that has to fail with the code, and gives its text.
func (b *Tab) Fails(a env.Action, code env.Code) string {
	b.T.Helper()
	out, err := b.Perform(b.T.Context(), a)
	var action *env.ActionError
	if !errors.As(err, &action) || action.Code != code {
		b.T.Fatalf("%s: got %+v, %v, want an action error %s", a.Kind, out, err, code)
	}
	return action.Text
}

// Says checks the page's title, where test pages write what they saw.
func (b *Tab) Says(want string) {
	b.T.Helper()
	got := ""
	if !Eventually(func() bool { got = b.See().Title; return got == want }) {
		b.T.Errorf("page says %q, want %q", got, want)
	}
}

// NeedBrowser skips a test where find finds no browser, and fails it in CI,
// where there must be one.
func NeedBrowser(t *testing.T, find func() (string, error)) {
	t.Helper()
	_, err := find()
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatal(err)
	default:
		t.Skip("NOT TESTED, NO BROWSER: ", err)
	}
}

// Eventually tries a condition until it holds, for at most ten seconds.
func Eventually(holds func() bool) bool {
	limit := time.NewTimer(Within)
	defer limit.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit.C:
			return false
		}
	}
	return true
}

// Noted gives the notes of a kind among those given.
func Noted(notes []env.Note, kind env.NoteKind) []env.Note {
	var out []env.Note
	for _, n := range notes {
		if n.Kind == kind {
			out = append(out, n)
		}
	}
	return out
}

func point(x, y float64) *env.Point { return &env.Point{X: x, Y: y} }

func Contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: got %q, want %q in it", what, text, part)
		}
	}
}
