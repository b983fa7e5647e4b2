package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"fara/model"
)

func TestPointIsAPairInJSON(t *testing.T) {
	call := model.Call{Action: "left_click", Coordinate: &model.Point{X: 1.5, Y: 200}}
	raw, err := json.Marshal(call)
	if want := `{"action":"left_click","coordinate":[1.5,200]}`; err != nil || string(raw) != want {
		t.Fatalf("got %s, %v, want %s", raw, err, want)
	}
	var back model.Call
	if err := json.Unmarshal(raw, &back); err != nil || *back.Coordinate != *call.Coordinate {
		t.Errorf("read back: got %+v, %v", back.Coordinate, err)
	}
	if err := json.Unmarshal([]byte(`{"coordinate": {"x": 1}}`), &back); err == nil {
		t.Error("an object was read as a point")
	}
}

func TestTemporaryIsWhatMaySucceedLater(t *testing.T) {
	for kind, want := range map[error]bool{
		model.ErrUnreachable: true, model.ErrBusy: true, model.ErrServer: true, model.ErrIncomplete: true,
		model.ErrNotFound: false, model.ErrUnauthorized: false, model.ErrContext: false,
		model.ErrTooManyImages: false, model.ErrBadRequest: false, model.ErrPicture: false,
		model.ErrSchema: false, model.ErrTools: false, errors.New("other"): false,
	} {
		if got := model.Temporary(fmt.Errorf("asking: %w", &model.Error{Kind: kind})); got != want {
			t.Errorf("%v: got %v, want %v", kind, got, want)
		}
	}
	if model.Temporary(fmt.Errorf("loading: %w", &model.Error{Kind: model.ErrUnreachable, Final: true})) {
		t.Error("what is final is temporary")
	}
	if model.Temporary(nil) {
		t.Error("no error is temporary")
	}
}

func TestErrorSaysWhatTheServerSaidAndWhatToDo(t *testing.T) {
	err := &model.Error{Kind: model.ErrNotFound, Status: 404, Message: "model 'x' not found", Hint: "ollama pull x"}
	if got, want := err.Error(), "the model server does not know this model (HTTP 404): model 'x' not found; ollama pull x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := (&model.Error{Kind: model.ErrBusy}).Error(), "the model server is busy"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUsageAddsUp(t *testing.T) {
	a := model.Usage{PromptTokens: 1, CompletionTokens: 2, PromptTime: 3, CompletionTime: 4, LoadTime: 5, Retries: 6}
	want := model.Usage{PromptTokens: 2, CompletionTokens: 4, PromptTime: 6, CompletionTime: 8, LoadTime: 10, Retries: 12}
	if got := a.Add(a); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := (model.Usage{LoadTime: time.Second}).Add(model.Usage{}); got.LoadTime != time.Second {
		t.Errorf("got %+v", got)
	}
}
