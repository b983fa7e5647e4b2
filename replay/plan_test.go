package replay_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"fara/env"
	"fara/env/envtest"
	"fara/model"
	"fara/replay"
	"fara/trajectory"
)

// example is an action of a kind with everything in it that the kind can have.
func example(k env.Kind) env.Action {
	act := env.Action{Kind: k}
	switch k {
	case env.Key:
		act.Keys = []string{"Control", "a"}
	case env.Type:
		act.Point, act.Text, act.Clear, act.Enter = point(1.5, 2), "ä <b>\n", true, true
	case env.LeftClickDrag:
		act.From, act.Point = point(3, 4), point(5, 6)
	case env.Scroll:
		act.Point, act.DY = point(7, 8), -100.5
	case env.HScroll:
		act.DX = 30
	case env.VisitURL:
		act.URL = "https://a.example/x?y=1#z"
	case env.Wait:
		act.For = 1500 * time.Millisecond
	case env.HistoryBack:
	default:
		act.Point = point(9, 10)
	}
	return act
}

// A kind of action that is added has to be given a place in a replay: this fails until
// it is.
func TestEveryKindIsPlayedOrSaidNotToBe(t *testing.T) {
	for _, kind := range env.Kinds() {
		r := begin(t, &envtest.Env{Viewport: small}).look()
		r.add(trajectory.Proposed{Call: &model.Call{Action: string(kind)}})
		want := example(kind)
		if kind.InBrowser() {
			r.act(want, trajectory.Decided{Allowed: true})
		}
		move := r.plan().Moves[1]
		switch {
		case kind.InBrowser() && (move.Action == nil || !reflect.DeepEqual(*move.Action, want)):
			t.Errorf("%s: got %+v (%s), want it played", kind, move.Action, move.Skipped)
		case !kind.InBrowser() && (move.Action != nil || move.Skipped == ""):
			t.Errorf("%s: got %+v, skipped for %q, want a reason not to play it", kind, move.Action, move.Skipped)
		}
	}
}

func TestActionsOfEveryKindAreReadAsTheyWereWritten(t *testing.T) {
	w, err := trajectory.Create(t.TempDir(), trajectory.Task{Run: "run"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range env.Kinds() {
		if _, err := w.Append(i, trajectory.Acting{Action: example(kind), Clamped: i%2 == 0}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := trajectory.Read(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range env.Kinds() {
		want := trajectory.Acting{Action: example(kind), Clamped: i%2 == 0}
		if got := *run.Events[i].Acting; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", kind, got, want)
		}
	}
}

func TestUnknownActionIsAnErrorThatNamesIt(t *testing.T) {
	r := begin(t, &envtest.Env{Viewport: small}).look()
	r.add(trajectory.Acting{Action: env.Action{Kind: "fly"}})
	r.w.Close()
	run, err := trajectory.Read(r.w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replay.Read(run); err == nil || !strings.Contains(err.Error(), `"fly"`) {
		t.Errorf("got %v, want an error that names the action", err)
	}
	if _, err := replay.Read(&trajectory.Run{}); !errors.Is(err, replay.ErrNothing) {
		t.Errorf("an empty run: got %v, want %v", err, replay.ErrNothing)
	}
}

func TestWhatNeverHappenedIsNotPlayed(t *testing.T) {
	r := begin(t, &envtest.Env{Viewport: small}).look()
	r.add(trajectory.Decided{Code: "rule_deny", Text: "no"})
	r.look().add(trajectory.Asked{Question: "May it?", Approval: &trajectory.Approval{Action: click(320)}})
	r.look().add(trajectory.Acting{Action: click(320)}) // in whose middle it was killed
	plan := r.plan()
	for i, want := range []string{"refused (rule_deny)", "nobody allowed it", "broke off in the middle"} {
		if m := plan.Moves[i+1]; m.Action != nil || !strings.Contains(m.Skipped, want) {
			t.Errorf("step %d: got action %v, skipped for %q, want %q", m.Step, m.Action, m.Skipped, want)
		}
	}
}

func TestTextsAreNamedByTheirFields(t *testing.T) {
	plan := filled(t)
	if got, want := plan.Names(), []string{"First name", "text1", "First name 2"}; !reflect.DeepEqual(got, want) {
		t.Fatalf("got names %q, want %q", got, want)
	}
	for _, set := range []string{"text1=a=b", "First name 2="} {
		if err := plan.Set(set); err != nil {
			t.Errorf("%s: %v", set, err)
		}
	}
	want := []replay.Text{
		{Name: "First name", Step: 1, Was: "Ada", Text: "Ada"},
		{Name: "text1", Step: 2, Was: "x=1", Text: "a=b", Set: true},
		{Name: "First name 2", Step: 3, Was: "Grace", Set: true},
	}
	if !reflect.DeepEqual(plan.Texts, want) {
		t.Errorf("got %+v, want %+v", plan.Texts, want)
	}
	var unknown *replay.NameError
	if err := plan.Set("Town=x"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "First name, text1, First name 2") {
		t.Errorf("an unknown name: got %v", err)
	}
	if err := plan.Set("text1"); err == nil || !strings.Contains(err.Error(), "NAME=VALUE") {
		t.Errorf("no value: got %v", err)
	}
}

func TestBaseIsAnOrigin(t *testing.T) {
	for text, want := range map[string]replay.Base{
		"http://A.example:80=https://b.example/": {Old: "http://a.example:80", New: "https://b.example"},
		"http://a.example":                       {},
		"http://a.example/x=http://b.example":    {},
		"ftp://a.example=http://b.example":       {},
		"http://u:p@a.example=http://b.example":  {},
	} {
		got, err := replay.ParseBase(text)
		if (err == nil) != (want != replay.Base{}) || err == nil && got != want {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "u:p") {
			t.Errorf("%s: the error repeats the password: %v", text, err)
		}
	}
}
