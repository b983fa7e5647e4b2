package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"

	"fara/model"
	"fara/model/wire"
)

// assistant gives a past turn with its calls under the ids.
func assistant(m model.Message, ids []string) openai.ChatCompletionMessageParamUnion {
	out := openai.AssistantMessage(m.Text)
	for i, call := range m.Calls {
		out.OfAssistant.ToolCalls = append(out.OfAssistant.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: ids[i],
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name: call.Name, Arguments: string(wire.Arguments(call.Arguments)),
				},
			},
		})
	}
	return out
}

// callIDs gives calls without an id one, since servers match answers by it.
type callIDs struct{ open []string }

// give names each call. A made-up id depends on the call alone, so that a
// request's common beginning with the last one stays the same; its nine letters
// are what the strictest templates take.
func (n *callIDs) give(calls []model.ToolCall) []string {
	ids := make([]string, len(calls))
	for i, call := range calls {
		ids[i] = call.ID
		if call.ID == "" {
			sum := sha256.Sum256([]byte(call.Name + "\n" + call.Arguments))
			ids[i] = hex.EncodeToString(sum[:])[:9]
		}
	}
	n.open = slices.Clone(ids)
	return ids
}

// take names the call that a turn answers: the first one open when the turn does
// not say.
func (n *callIDs) take(id string) string {
	switch {
	case id != "":
		n.open = slices.DeleteFunc(n.open, func(open string) bool { return open == id })
	case len(n.open) > 0:
		id, n.open = n.open[0], n.open[1:]
	}
	return id
}

// fragment is a piece of a call in a stream, or a whole one.
type fragment struct {
	Index    *int     `json:"index"`
	ID       string   `json:"id"`
	Function function `json:"function"`
}

// function holds the arguments as text, or as an object with servers that read
// them already.
type function struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// delta is what a piece of a reply may hold of calls.
type delta struct {
	Calls []fragment `json:"tool_calls"`
	// Call is the form before there were tools.
	Call *function `json:"function_call"`
}

// callReader puts calls together.
type callReader struct {
	calls []model.ToolCall
	at    map[int]int // a server's index to a place in calls
}

// take adds what a piece holds. What cannot be read is left out: a call that is
// not there is for the caller to notice.
func (r *callReader) take(raw string) {
	var piece delta
	if !strings.Contains(raw, "call") || json.Unmarshal([]byte(raw), &piece) != nil {
		return
	}
	if piece.Call != nil {
		r.add(fragment{Function: *piece.Call})
	}
	for _, f := range piece.Calls {
		r.add(f)
	}
}

func (r *callReader) add(f fragment) {
	i := r.place(f)
	call := &r.calls[i]
	if call.ID == "" {
		call.ID = f.ID
	}
	if call.Name == "" {
		call.Name = f.Function.Name
	}
	call.Arguments += text(f.Function.Arguments)
}

// place finds the call that a fragment goes on with, or begins one. Some servers
// leave the index out, others give every call the same one: then a new id, or a
// name after whole arguments, begins the next.
func (r *callReader) place(f fragment) int {
	i, known := len(r.calls)-1, len(r.calls) > 0
	if f.Index != nil {
		i, known = r.at[*f.Index]
	}
	if known && !r.begins(r.calls[i], f) {
		return i
	}
	r.calls = append(r.calls, model.ToolCall{})
	i = len(r.calls) - 1
	if f.Index != nil {
		if r.at == nil {
			r.at = map[int]int{}
		}
		r.at[*f.Index] = i
	}
	return i
}

func (r *callReader) begins(last model.ToolCall, f fragment) bool {
	if f.ID != "" && last.ID != "" && f.ID != last.ID {
		return true
	}
	return f.Function.Name != "" && last.Name != "" && (f.ID == "" || f.ID != last.ID) && json.Valid([]byte(last.Arguments))
}

// text gives arguments as the text they are.
func text(raw json.RawMessage) string {
	var s string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &s) == nil:
		return s
	}
	return string(raw)
}

// whole gives the calls, each with arguments.
func (r *callReader) whole() []model.ToolCall {
	for i := range r.calls {
		if r.calls[i].Arguments == "" {
			r.calls[i].Arguments = "{}"
		}
	}
	return r.calls
}
