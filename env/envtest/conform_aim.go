package envtest

import (
	"bytes"
	"reflect"
	"testing"

	"fara/env"
)

// aimed gives what an action is about to hit.
func aimed(t *testing.T, e Subject, a env.Action) *env.Element {
	t.Helper()
	el, err := e.Aim(t.Context(), a)
	if err != nil {
		t.Fatalf("aim of %s: %v", a.Kind, err)
	}
	return el
}

func (s *suite) aim(t *testing.T, e Subject) {
	address := s.site.URL + "/form"
	perform(t, e, env.Action{Kind: env.VisitURL, URL: address})
	field, button := FormElements(address)[0], FormElements(address)[1]
	onField, onButton, nowhere := &env.Point{X: 150, Y: 120}, &env.Point{X: 150, Y: 220}, &env.Point{X: -5, Y: 120}
	for _, c := range []struct {
		act  env.Action
		want *env.Element
	}{
		{env.Action{Kind: env.LeftClick, Point: onButton}, &button},
		{env.Action{Kind: env.LeftClick, Point: onField}, &field},
		{env.Action{Kind: env.Type, Text: "x", Point: onField}, &field},
		{env.Action{Kind: env.LeftClickDrag, From: onField, Point: onButton}, &field},
		{env.Action{Kind: env.LeftClick, Point: nowhere}, nil},
		{env.Action{Kind: env.VisitURL, URL: address}, nil},
		{env.Action{Kind: env.HistoryBack}, nil},
		{env.Action{Kind: env.Wait}, nil},
	} {
		if got := aimed(t, e, c.act); !reflect.DeepEqual(got, c.want) {
			t.Errorf("aim of %s at %v: got %+v, want %+v", c.act.Kind, c.act.Point, got, c.want)
		}
	}
}

func (s *suite) aimKeys(t *testing.T, e Subject) {
	address := s.site.URL + "/form"
	perform(t, e, env.Action{Kind: env.VisitURL, URL: address})
	enter := env.Action{Kind: env.Key, Keys: []string{"Enter"}}
	if got := aimed(t, e, enter); got != nil {
		t.Errorf("nothing has the focus: got %+v, want nil", got)
	}
	perform(t, e, env.Action{Kind: env.LeftClick, Point: &env.Point{X: 150, Y: 120}})
	want := &FormElements(address)[0]
	for _, a := range []env.Action{enter, {Kind: env.Type, Text: "Ann"}} {
		if got := aimed(t, e, a); !reflect.DeepEqual(got, want) {
			t.Errorf("aim of %s: got %+v, want the field %+v", a.Kind, got, want)
		}
	}
}

func (s *suite) aimIsStill(t *testing.T, e Subject) {
	perform(t, e, env.Action{Kind: env.VisitURL, URL: s.site.URL + "/form"})
	before := observe(t, e)
	for _, kind := range env.Kinds() {
		aimed(t, e, env.Action{Kind: kind, Point: &env.Point{X: 150, Y: 220}, Keys: []string{"Enter"}, Text: "x", URL: s.site.URL + "/"})
	}
	after := observe(t, e)
	if !bytes.Equal(before.Image, after.Image) || after.URL != before.URL || len(after.Notes) > 0 {
		t.Errorf("aiming changed the page: same picture %v, at %q, notes %+v, want %q as before",
			bytes.Equal(before.Image, after.Image), after.URL, after.Notes, before.URL)
	}
}
