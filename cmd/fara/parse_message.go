package main

import (
	"encoding/json"
	"errors"
	"strings"

	"fara/model"
)

// answered is a server's answer: a whole one of Ollama's or of an OpenAI-like
// server's, or the message in it alone.
type answered struct {
	saidMessage
	Message    *saidMessage `json:"message"`
	DoneReason string       `json:"done_reason"`
	Choices    []struct {
		Message      saidMessage `json:"message"`
		FinishReason string      `json:"finish_reason"`
	} `json:"choices"`
}

// saidMessage is an assistant's message under the names that servers use.
type saidMessage struct {
	Content          saidText   `json:"content"`
	Thinking         string     `json:"thinking"`
	Reasoning        string     `json:"reasoning"`
	ReasoningContent string     `json:"reasoning_content"`
	ToolCalls        []saidCall `json:"tool_calls"`
	FunctionCall     *calledAs  `json:"function_call"`
}

// saidCall is a tool call, with its function inside or flat.
type saidCall struct {
	ID       string    `json:"id"`
	Function *calledAs `json:"function"`
	calledAs
}

type calledAs struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// saidText is a content: a text, null, or a list of parts.
type saidText string

// UnmarshalJSON reads any of these.
func (s *saidText) UnmarshalJSON(data []byte) error {
	var text *string
	if json.Unmarshal(data, &text) == nil {
		if text != nil {
			*s = saidText(*text)
		}
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		*s += saidText(part.Text)
	}
	return nil
}

// readMessage reads a server's answer as a model's client would.
func readMessage(data []byte) (model.Reply, error) {
	var a answered
	if err := json.Unmarshal(data, &a); err != nil {
		return model.Reply{}, err
	}
	message, finish := a.saidMessage, a.DoneReason
	switch {
	case len(a.Choices) > 0:
		message, finish = a.Choices[0].Message, a.Choices[0].FinishReason
	case a.Message != nil:
		message = *a.Message
	}
	reply := message.reply()
	reply.Finish = map[string]model.Finish{"stop": model.FinishStop, "tool_calls": model.FinishStop, "length": model.FinishLength}[finish]
	if reply.Text == "" && reply.Thinking == "" && len(reply.Calls) == 0 && !strings.Contains(string(data), `"content"`) {
		return reply, errors.New("it holds no message; give a server's whole answer, or its message with content and tool_calls")
	}
	return reply, nil
}

func (m saidMessage) reply() model.Reply {
	reply := model.Reply{Text: string(m.Content)}
	for _, thinking := range []string{m.Thinking, m.ReasoningContent, m.Reasoning} {
		if reply.Thinking == "" {
			reply.Thinking = thinking
		}
	}
	calls := m.ToolCalls
	if m.FunctionCall != nil {
		calls = append(calls, saidCall{Function: m.FunctionCall})
	}
	for _, c := range calls {
		called := c.calledAs
		if c.Function != nil {
			called = *c.Function
		}
		reply.Calls = append(reply.Calls, model.ToolCall{ID: c.ID, Name: called.Name, Arguments: called.text()})
	}
	return reply
}

// text gives the arguments' text: servers send an object, or its text as a string.
func (c calledAs) text() string {
	var inner string
	if json.Unmarshal(c.Arguments, &inner) == nil {
		return inner
	}
	return string(c.Arguments)
}
