package openai

import (
	"encoding/json"
	"errors"
	"regexp"
	"sync/atomic"

	"fara/model"
)

// constraint is a way to tell a server the schema of its reply.
type constraint int32

// The ways, the usual first: OpenAI's own, which vLLM, SGLang, LM Studio and
// llama.cpp have; llama.cpp's and llama-cpp-python's older one; vLLM's older one;
// TGI's.
const (
	jsonSchema constraint = iota
	jsonObject
	guidedJSON
	jsonValue
	constraints // how many there are
)

// field is what a request gets for a schema: a field's name and its value.
func (c constraint) field(schema json.RawMessage) (name string, value any) {
	switch c {
	case jsonObject:
		return "response_format", map[string]any{"type": "json_object", "schema": schema}
	case guidedJSON:
		return "guided_json", schema
	case jsonValue:
		return "response_format", map[string]any{"type": "json", "value": schema}
	}
	return "response_format", map[string]any{
		"type": "json_schema", "json_schema": map[string]any{"name": "reply", "schema": schema},
	}
}

// formRefused is a refusal of the way, not of the schema: it names the field or
// a type, and says that it is none.
var (
	formNamed = regexp.MustCompile(`(?i)response_format|guided_json|json_schema|json_object`)
	// aboutSchema is a refusal of the schema itself, which no other way helps.
	aboutSchema = regexp.MustCompile(`(?i)invalid schema|schema (contains|conversion|error)|features`)
	formRefused = regexp.MustCompile(`(?i)must be|not supported|unsupported|unavailable|unknown|unrecognized|unexpected|should be|invalid type|not permitted|does not match`)
)

// ways remembers which way a server takes.
type ways struct{ now atomic.Int32 }

func (w *ways) current() constraint { return constraint(w.now.Load()) }

// next turns to the way after the refused one and reports whether there is one.
// Of several requests that were refused at once one turns.
func (w *ways) next(refused constraint) bool {
	if refused+1 >= constraints {
		return false
	}
	w.now.CompareAndSwap(int32(refused), int32(refused)+1)
	return true
}

// wayRefused reports whether an error says that the server does not know this way
// of giving a schema.
func wayRefused(req model.Request, err error) bool {
	var e *model.Error
	if req.Schema == nil || !errors.As(err, &e) {
		return false
	}
	return (e.Kind == model.ErrSchema || e.Kind == model.ErrBadRequest) &&
		formNamed.MatchString(e.Message) && formRefused.MatchString(e.Message) && !aboutSchema.MatchString(e.Message)
}

// held reports whether a reply is what any schema makes of it: JSON, complete or
// cut. A server that does not know a field may answer as if it were not there.
func held(reply model.Reply) bool {
	if len(reply.Calls) > 0 || reply.Finish != model.FinishStop {
		return true
	}
	return json.Valid([]byte(reply.Text))
}

// asSchema makes a refusal one of the schema, after every way was refused.
func asSchema(err error) error {
	var e *model.Error
	if errors.As(err, &e) {
		e.Kind = model.ErrSchema
		e.Hint = "leave --constrain out for this server"
	}
	return err
}
