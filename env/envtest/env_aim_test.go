package envtest_test

import (
	"errors"
	"reflect"
	"testing"

	"fara/env"
	"fara/env/envtest"
)

func TestFakeAimsAtTheSmallestElementThatIsSet(t *testing.T) {
	boom := errors.New("boom")
	card := env.Element{Tag: "div", Name: "Card", Box: env.Rect{X: 10, Y: 10, W: 300, H: 300}}
	buy := env.Element{Tag: "button", Name: "Buy", Box: env.Rect{X: 20, Y: 20, W: 50, H: 20}, Form: &env.Form{Method: "post", Submits: true}}
	e := &envtest.Env{Elements: []env.Element{buy, card}, FailAim: map[int]error{4: boom}}
	enter := env.Action{Kind: env.Key, Keys: []string{"Enter"}}
	for _, c := range []struct {
		act  env.Action
		want *env.Element
		err  error
	}{
		{env.Action{Kind: env.LeftClick, Point: &env.Point{X: 30, Y: 30}}, &buy, nil},
		{env.Action{Kind: env.LeftClick, Point: &env.Point{X: 200, Y: 30}}, &card, nil},
		{env.Action{Kind: env.LeftClick, Point: &env.Point{X: 500, Y: 30}}, nil, nil},
		{env.Action{Kind: env.LeftClick, Point: &env.Point{X: 30, Y: 30}}, nil, boom},
		{enter, nil, nil},
	} {
		if got, err := e.Aim(t.Context(), c.act); !reflect.DeepEqual(got, c.want) || !errors.Is(err, c.err) {
			t.Errorf("aim of %s at %v: got %+v, %v, want %+v, %v", c.act.Kind, c.act.Point, got, err, c.want, c.err)
		}
	}
	e.Focus(&buy)
	if got, err := e.Aim(t.Context(), enter); got != &buy || err != nil {
		t.Errorf("aim of Enter: got %+v, %v, want what has the focus", got, err)
	}
	if got := e.Aims(); got != 6 || len(e.Actions()) != 0 {
		t.Errorf("%d aims and %d actions, want 6 and none", got, len(e.Actions()))
	}
}

func TestFakeInspectsOnlyWhatIsAskedFor(t *testing.T) {
	button := env.Matches{Selector: "button", Count: 1, Found: []env.State{{Text: "Buy", Visible: true}}}
	e := &envtest.Env{Markdown: "All words", Evidence: env.Evidence{
		Elements: []env.Matches{button}, Cookies: []env.Cookie{{Name: "id"}}, Downloads: []env.Download{{Name: "a.txt"}},
	}, FailInspect: map[int]error{3: env.ErrLost}}
	e.Go("http://a.test/", "A")
	want := env.Evidence{URL: "http://a.test/", Title: "A", Downloads: []env.Download{{Name: "a.txt"}}}
	if got, err := e.Inspect(t.Context(), env.Query{}); !reflect.DeepEqual(got, want) || err != nil {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	want.Text, want.Cookies, want.Elements = "All words", []env.Cookie{{Name: "id"}}, []env.Matches{{Selector: "p"}, button}
	if got, err := e.Inspect(t.Context(), env.Query{Selectors: []string{"p", "button"}, Text: true, Cookies: true}); !reflect.DeepEqual(got, want) || err != nil {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err := e.Inspect(t.Context(), env.Query{}); !errors.Is(err, env.ErrLost) {
		t.Errorf("got %v, want %v", err, env.ErrLost)
	}
}
