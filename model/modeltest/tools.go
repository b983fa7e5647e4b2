package modeltest

import (
	"encoding/json"

	"fara/model"
)

// nativeCall is a call in Ollama's words: its arguments are an object, and it
// seldom has an id.
type nativeCall struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

func nativeCalls(calls []model.ToolCall) []nativeCall {
	var out []nativeCall
	for _, call := range calls {
		n := nativeCall{ID: call.ID}
		n.Function.Name, n.Function.Arguments = call.Name, json.RawMessage(call.Arguments)
		out = append(out, n)
	}
	return out
}

// compatibleCall is a call in OpenAI's words: its arguments are a text.
type compatibleCall struct {
	Index    *int   `json:"index,omitempty"` // in a stream alone
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func compatibleCalls(calls []model.ToolCall) []compatibleCall {
	var out []compatibleCall
	for _, call := range calls {
		c := compatibleCall{ID: call.ID, Type: "function"}
		c.Function.Name, c.Function.Arguments = call.Name, call.Arguments
		out = append(out, c)
	}
	return out
}

// fragments cuts the n-th call as a stream does: first its name, then its
// arguments piece by piece.
func fragments(n int, call model.ToolCall) []compatibleCall {
	head := compatibleCalls([]model.ToolCall{{ID: call.ID, Name: call.Name}})[0]
	head.Index = &n
	out := []compatibleCall{head}
	for _, piece := range pieces(call.Arguments) {
		c := compatibleCall{Index: &n}
		c.Function.Arguments = piece
		out = append(out, c)
	}
	return out
}

// listed gives a list of tools; nil for none.
func listed(tools json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(tools, &list) != nil || len(list) == 0 {
		return nil
	}
	return tools
}
