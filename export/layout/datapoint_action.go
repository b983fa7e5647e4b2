package layout

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

func (w *pointWriter) action(m *move) dpAction {
	arguments := argumentsOf(m)
	a := dpAction{
		Type: "action", ID: w.id(fmt.Sprint("action ", m.said.seq)), Timestamp: stamp(m.said.at), Name: m.call(),
		State:       dpState{Agent: "fara " + w.run.Task.Dialect, Tools: []string{}, Plan: []any{}, Facts: append([]string{}, m.facts...)},
		Content:     dpContent{Action: m.call(), Arguments: arguments},
		Description: described(m, arguments), SubCalls: []any{},
	}
	for _, b := range m.bad {
		label := "unusable"
		if b.Truncated != "" {
			label = "truncated"
		}
		a.Conversation.Messages = append(a.Conversation.Messages, w.reply(b, label))
	}
	a.Conversation.Messages = append(a.Conversation.Messages, w.reply(m.said, "action"))
	return a
}

func (w *pointWriter) reply(r reply, label string) dpReply {
	return dpReply{
		Model: cmp.Or(r.Model, w.run.Task.Model), Label: label, Raw: r.Raw, Reasoning: cmp.Or(r.Thinking, r.Thoughts),
		Finish: string(r.Finish), Usage: dpUsage{Prompt: r.Usage.PromptTokens, Completion: r.Usage.CompletionTokens},
	}
}

// output is what came of an action. Its metadata has what the format does not: whether
// it was done, where in CSS pixels, and what stood there.
func (w *pointWriter) output(m *move, action string) dpOutput {
	at := m.actedAt
	if at.IsZero() {
		at = m.said.at
	}
	o := dpOutput{dpEvent: w.event("tool_output", fmt.Sprint("output ", m.said.seq), at)}
	o.ActionID = &action
	o.Output, o.Error = outcome(m)
	o.Metadata["done"] = m.done()
	if m.forced {
		o.Metadata["forced"] = true
	}
	if len(m.said.Repairs) > 0 {
		o.Metadata["repairs"] = m.said.Repairs
	}
	if len(m.said.Calls) > 0 {
		o.Metadata["tool_calls"] = m.said.Calls
	}
	if m.refused != nil {
		o.Metadata["refused"] = m.refused.Code
	}
	if m.acting != nil {
		o.Metadata["performed"] = m.acting.Action
	}
	if m.acted != nil && m.acted.Hit != nil {
		o.Metadata["hit"] = m.acted.Hit
	}
	return o
}

// outcome says in words what came of an action.
func outcome(m *move) (output, problem string) {
	switch {
	case m.refused != nil:
		return "", m.refused.Text
	case m.uncertain:
		return "", "the program ended before it knew whether this was done"
	case m.left:
		return "", "the program ended before this was done"
	case m.acted == nil:
		return "", ""
	case m.acted.Error != nil:
		return m.acted.Text, m.acted.Error.Text
	case m.acted.Read != nil:
		return m.acted.Read.Answer, ""
	}
	return m.acted.Text, ""
}

// argumentsOf are the call's arguments as the model gave them, in canonical names and
// the model's own coordinates, with its thoughts.
func argumentsOf(m *move) map[string]any {
	out := map[string]any{}
	raw, err := json.Marshal(m.said.Call)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil { // a call that was read from JSON is written as JSON
		out["action"] = m.call()
	}
	out["thoughts"] = m.said.Thoughts
	return out
}

// described is the action in words: the thoughts, then the call.
func described(m *move, arguments map[string]any) string {
	rest := map[string]any{}
	for k, v := range arguments {
		if k != "action" && k != "thoughts" {
			rest[k] = v
		}
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(rest) // a string builder takes everything
	call := fmt.Sprintf("%s(%s)", m.call(), strings.TrimSpace(b.String()))
	if m.said.Thoughts == "" {
		return call
	}
	return m.said.Thoughts + "\n" + call
}
