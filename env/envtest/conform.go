package envtest

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/jpeg" // frames may be either
	_ "image/png"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"fara/env"
)

// Subject is what Conform tests.
type Subject interface {
	Observe(context.Context) (env.Observation, error)
	Perform(context.Context, env.Action) (env.Outcome, error)
	Read(context.Context) (env.Document, error)
	Aim(context.Context, env.Action) (*env.Element, error)
	Inspect(context.Context, env.Query) (env.Evidence, error)
	Close() error
}

// prompt is how soon a cancelled call has to return.
const prompt = 2 * time.Second

// Conform checks what every environment promises. open gives a new one on an
// empty page; Conform closes it.
func Conform(t *testing.T, open func(t *testing.T) Subject) {
	suite := &suite{site: NewSite(t)}
	subject := open(t)
	t.Cleanup(func() { _ = subject.Close() })
	for _, c := range []struct {
		name string
		run  func(*testing.T, Subject)
	}{
		{"GoingBackOnAnEmptyPageHasNoEffect", suite.noHistory},
		{"PicturesHaveThePromisedSize", suite.size},
		{"VisitedPagesAreObserved", suite.visit},
		{"EveryBrowserActionIsPerformed", suite.everyKind},
		{"BadArgumentsAreActionErrors", suite.badArguments},
		{"TheLastPixelIsInside", suite.lastPixel},
		{"NotesComeOnce", suite.notes},
		{"ReadGivesText", suite.read},
		{"AimTellsWhatIsAboutToBeHit", suite.aim},
		{"AimTellsWhatTakesTheKeys", suite.aimKeys},
		{"AimChangesNothing", suite.aimIsStill},
		{"InspectTellsHowElementsStand", suite.inspect},
		{"InspectGivesOnlyWhatIsAskedFor", suite.inspectLittle},
		{"InspectChangesNothing", suite.inspectIsStill},
		{"CancelledCallsReturnTheCause", suite.cancelled},
		{"CallsMayOverlap", suite.overlap},
		{"CloseMayBeRepeated", suite.closing},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, subject) })
	}
}

type suite struct{ site *Site }

func (s *suite) noHistory(t *testing.T, e Subject) {
	_, err := e.Perform(t.Context(), env.Action{Kind: env.HistoryBack})
	wantCode(t, err, env.NoEffect)
}

func (s *suite) size(t *testing.T, e Subject) {
	obs := observe(t, e)
	dims, format, err := image.DecodeConfig(bytes.NewReader(obs.Image))
	if err != nil {
		t.Fatalf("picture of %d bytes: %v", len(obs.Image), err)
	}
	if got := (env.Size{W: dims.Width, H: dims.Height}); got != obs.ImageSize {
		t.Errorf("picture is %v, ImageSize says %v", got, obs.ImageSize)
	}
	if got := "image/" + format; got != obs.MIME {
		t.Errorf("picture is %s, MIME says %s", got, obs.MIME)
	}
	across := float64(obs.ImageSize.W) / float64(obs.Viewport.W)
	along := float64(obs.ImageSize.H) / float64(obs.Viewport.H)
	if math.Abs(across-along) > 0.01 {
		t.Errorf("picture %v of viewport %v: scale %.3f across, %.3f along", obs.ImageSize, obs.Viewport, across, along)
	}
}

func (s *suite) visit(t *testing.T, e Subject) {
	out := perform(t, e, env.Action{Kind: env.VisitURL, URL: s.site.URL + "/"})
	if out.Text == "" {
		t.Error("visit_url: the outcome says nothing")
	}
	obs := observe(t, e)
	if want := s.site.URL + "/"; obs.URL != want {
		t.Errorf("after visit_url: at %q, want %q", obs.URL, want)
	}
	active := 0
	for _, tab := range obs.Tabs {
		if tab.Active {
			active++
			if tab.URL != obs.URL {
				t.Errorf("active tab is at %q, page at %q", tab.URL, obs.URL)
			}
		}
	}
	if active != 1 {
		t.Errorf("%d active tabs of %d, want 1", active, len(obs.Tabs))
	}
}

func (s *suite) everyKind(t *testing.T, e Subject) {
	at := &env.Point{X: 200, Y: 100}
	sound := map[env.Kind]env.Action{
		env.Key:         {Keys: []string{"Tab"}},
		env.Type:        {Text: "abc"},
		env.Scroll:      {DY: 100},
		env.HScroll:     {DX: -100},
		env.VisitURL:    {URL: s.site.URL + "/?again"},
		env.HistoryBack: {},
		env.Wait:        {For: time.Millisecond},
	}
	perform(t, e, env.Action{Kind: env.VisitURL, URL: s.site.URL + "/"})
	perform(t, e, env.Action{Kind: env.VisitURL, URL: s.site.URL + "/?more"})
	for _, kind := range env.Kinds() {
		if !kind.InBrowser() {
			continue
		}
		a, ok := sound[kind]
		if !ok {
			a.Point = at
		}
		a.Kind = kind
		if out := perform(t, e, a); strings.TrimSpace(out.Text) == "" || strings.Contains(out.Text, "\n") {
			t.Errorf("%s: outcome %q, want one line", kind, out.Text)
		}
	}
}

func (s *suite) badArguments(t *testing.T, e Subject) {
	v := observe(t, e).Viewport
	w, h := float64(v.W), float64(v.H)
	bad := []env.Action{
		{Kind: "levitate"}, {Kind: ""},
		{Kind: env.LeftClick}, {Kind: env.LeftClickDrag}, {Kind: env.MouseMove},
		{Kind: env.LeftClick, Point: &env.Point{X: w, Y: 1}}, {Kind: env.RightClick, Point: &env.Point{X: 1, Y: h}},
		{Kind: env.DoubleClick, Point: &env.Point{X: -1, Y: 1}}, {Kind: env.MouseMove, Point: &env.Point{X: math.NaN(), Y: 1}},
		{Kind: env.Type, Text: "a", Point: &env.Point{X: w + 5, Y: 5}},
		{Kind: env.Type}, {Kind: env.Key}, {Kind: env.Scroll}, {Kind: env.Wait, For: -time.Second},
		{Kind: env.VisitURL}, {Kind: env.VisitURL, URL: "no scheme at all"},
	}
	for _, kind := range env.Kinds() {
		if !kind.InBrowser() {
			bad = append(bad, env.Action{Kind: kind, Text: "a"})
		}
	}
	for _, a := range bad {
		_, err := e.Perform(t.Context(), a)
		var action *env.ActionError
		if !errors.As(err, &action) || action.Code != env.BadArgument || action.Text == "" {
			t.Errorf("%+v (point %v): got %v, want a %s with a text", a, a.Point, err, env.BadArgument)
		}
	}
}

func (s *suite) lastPixel(t *testing.T, e Subject) {
	v := observe(t, e).Viewport
	perform(t, e, env.Action{Kind: env.MouseMove, Point: &env.Point{X: float64(v.W) - 1, Y: float64(v.H) - 1}})
	perform(t, e, env.Action{Kind: env.MouseMove, Point: &env.Point{}})
}

func (s *suite) notes(t *testing.T, e Subject) {
	observe(t, e)
	perform(t, e, env.Action{Kind: env.VisitURL, URL: s.site.URL + "/alert"})
	count := func() (n int) {
		for _, note := range observe(t, e).Notes {
			if note.Kind == env.NoteDialog && note.Quote == AlertText && note.Text != "" {
				n++
			}
		}
		return n
	}
	if first, second := count(), count(); first != 1 || second != 0 {
		t.Errorf("dialog noted %d times in the first observation and %d in the next, want 1 and 0", first, second)
	}
}

func (s *suite) read(t *testing.T, e Subject) {
	perform(t, e, env.Action{Kind: env.VisitURL, URL: s.site.URL + "/"})
	doc, err := e.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if doc.URL != s.site.URL+"/" || strings.TrimSpace(doc.Markdown) == "" {
		t.Errorf("got %+v, want the text of %s/", doc, s.site.URL)
	}
}

func (s *suite) cancelled(t *testing.T, e Subject) {
	cause := errors.New("the test is tired of it")
	calls := map[string]func(context.Context) error{
		"Observe": func(ctx context.Context) error { _, err := e.Observe(ctx); return err },
		"Read":    func(ctx context.Context) error { _, err := e.Read(ctx); return err },
		"Aim": func(ctx context.Context) error {
			_, err := e.Aim(ctx, env.Action{Kind: env.LeftClick, Point: &env.Point{X: 1, Y: 1}})
			return err
		},
		"Inspect": func(ctx context.Context) error { _, err := e.Inspect(ctx, env.Query{Text: true}); return err },
		"Perform": func(ctx context.Context) error {
			_, err := e.Perform(ctx, env.Action{Kind: env.MouseMove, Point: &env.Point{X: 1, Y: 1}})
			return err
		},
	}
	for name, call := range calls {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if err := call(ctx); !errors.Is(err, cause) {
			t.Errorf("%s with an ended context: got %v, want %v", name, err, cause)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	began := time.Now()
	timer := time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
	defer timer.Stop()
	_, err := e.Perform(ctx, env.Action{Kind: env.Wait, For: time.Minute})
	if took := time.Since(began); !errors.Is(err, cause) || took > prompt {
		t.Errorf("wait cancelled after 0.1s: got %v after %v, want %v within %v", err, took, cause, prompt)
	}
}

func (s *suite) overlap(t *testing.T, e Subject) {
	var work sync.WaitGroup
	for range 3 {
		work.Go(func() {
			if _, err := e.Observe(t.Context()); err != nil {
				t.Errorf("observe: %v", err)
			}
		})
		work.Go(func() {
			if _, err := e.Perform(t.Context(), env.Action{Kind: env.MouseMove, Point: &env.Point{X: 9, Y: 9}}); err != nil {
				t.Errorf("mouse_move: %v", err)
			}
		})
	}
	work.Wait()
}

func (s *suite) closing(t *testing.T, e Subject) {
	first, second := e.Close(), e.Close()
	if first != nil || second != nil {
		t.Errorf("close: got %v, then %v, want nil twice", first, second)
	}
	if _, err := e.Observe(t.Context()); !errors.Is(err, env.ErrLost) {
		t.Errorf("observe after close: got %v, want %v", err, env.ErrLost)
	}
	if _, err := e.Perform(t.Context(), env.Action{Kind: env.Wait}); !errors.Is(err, env.ErrLost) {
		t.Errorf("perform after close: got %v, want %v", err, env.ErrLost)
	}
	if _, err := e.Read(t.Context()); !errors.Is(err, env.ErrLost) {
		t.Errorf("read after close: got %v, want %v", err, env.ErrLost)
	}
	if _, err := e.Aim(t.Context(), env.Action{Kind: env.Key, Keys: []string{"Enter"}}); !errors.Is(err, env.ErrLost) {
		t.Errorf("aim after close: got %v, want %v", err, env.ErrLost)
	}
	if _, err := e.Inspect(t.Context(), env.Query{}); !errors.Is(err, env.ErrLost) {
		t.Errorf("inspect after close: got %v, want %v", err, env.ErrLost)
	}
}

func observe(t *testing.T, e Subject) env.Observation {
	t.Helper()
	obs, err := e.Observe(t.Context())
	if err != nil {
		t.Fatalf("observe: %v", err)
	}
	return obs
}

func perform(t *testing.T, e Subject, a env.Action) env.Outcome {
	t.Helper()
	out, err := e.Perform(t.Context(), a)
	if err != nil {
		t.Fatalf("%s: %v", a.Kind, err)
	}
	return out
}

func wantCode(t *testing.T, err error, code env.Code) {
	t.Helper()
	var action *env.ActionError
	if !errors.As(err, &action) || action.Code != code {
		t.Errorf("got %v, want an action error %s", err, code)
	}
}
