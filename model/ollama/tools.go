package ollama

import (
	"encoding/json"

	"github.com/ollama/ollama/api"

	"fara/model"
	"fara/model/wire"
)

// calls puts past calls into the API's words.
func calls(in []model.ToolCall) []api.ToolCall {
	var out []api.ToolCall
	for i, call := range in {
		args := api.NewToolCallFunctionArguments()
		// An object is what Arguments gives.
		_ = args.UnmarshalJSON(wire.Arguments(call.Arguments))
		out = append(out, api.ToolCall{ID: call.ID, Function: api.ToolCallFunction{Index: i, Name: call.Name, Arguments: args}})
	}
	return out
}

// read gives the calls of a piece of a reply. Ollama sends each whole.
func read(in []api.ToolCall) []model.ToolCall {
	var out []model.ToolCall
	for _, call := range in {
		args, err := json.Marshal(call.Function.Arguments)
		if err != nil || string(args) == "null" {
			args = []byte("{}")
		}
		out = append(out, model.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: string(args)})
	}
	return out
}

// callNames remembers the calls that no turn has answered yet: templates name the
// tool whose answer a turn is.
type callNames struct{ open []model.ToolCall }

func (n *callNames) add(calls []model.ToolCall) {
	if len(calls) > 0 {
		n.open = append([]model.ToolCall(nil), calls...)
	}
}

// take gives the name of the call with an id, or of the first one open when the
// server gave no ids; empty when there is none.
func (n *callNames) take(id string) string {
	for i, call := range n.open {
		if call.ID == id || id == "" {
			n.open = append(n.open[:i:i], n.open[i+1:]...)
			return call.Name
		}
	}
	return ""
}
