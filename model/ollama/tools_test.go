package ollama_test

import (
	"encoding/json"
	"errors"
	"image/color"
	"reflect"
	"testing"

	"fara/model"
	"fara/model/ollama"
	"fara/model/ollama/ollamatest"
)

var tools = json.RawMessage(`[{"type":"function","function":{"name":"computer","description":"acts",
	"parameters":{"type":"object","required":["action"],"properties":{"action":{"type":"string","enum":["click","wait"]},
	"coordinate":{"type":"array","items":{"type":"number"}}}}}}]`)

func TestCallsAreRead(t *testing.T) {
	const (
		one  = `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"computer","arguments":{"action":"click","coordinate":[1,2.5]}}}]}}` + "\n"
		two  = `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","function":{"index":1,"name":"computer","arguments":{}}}]}}` + "\n"
		none = `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"stop"}}]}}` + "\n"
	)
	server := newFake(t, streams(hello, one, two, none, done))
	req := ollamatest.Ask("hello")
	req.Tools = tools
	reply := chat(t, server.connect(t, ollama.Config{}), req)
	want := []model.ToolCall{
		{Name: "computer", Arguments: `{"action":"click","coordinate":[1,2.5]}`},
		{ID: "call_1", Name: "computer", Arguments: `{}`},
		{Name: "stop", Arguments: `{}`},
	}
	if !reflect.DeepEqual(reply.Calls, want) || reply.Text != "hello" {
		t.Errorf("got %q and calls %+v, want hello and %+v", reply.Text, reply.Calls, want)
	}
	sent, _ := json.Marshal(server.chats[0]["tools"])
	var got, asked []any
	_ = json.Unmarshal(sent, &got)
	_ = json.Unmarshal(tools, &asked)
	if !reflect.DeepEqual(got, asked) {
		t.Errorf("sent tools %s, want %s", sent, tools)
	}
}

func TestPastCallsAreSentAsObjects(t *testing.T) {
	server := newFake(t, streams(hello, done))
	img := ollamatest.Picture(t, 4, 4, color.White)
	chat(t, server.connect(t, ollama.Config{}), model.Request{Tools: tools, Messages: []model.Message{
		{Role: model.User, Text: "go"},
		{Role: model.Assistant, Text: "I click.", Calls: []model.ToolCall{{Name: "computer", Arguments: `{"b":1,"a":2}`}}},
		{Role: model.Tool, Text: "done", Images: []model.Image{img}},
		{Role: model.Assistant, Calls: []model.ToolCall{{ID: "x", Name: "other", Arguments: `"{\"a\":1}"`}}},
		{Role: model.Tool, Text: "ok", CallID: "x"},
	}})
	messages := server.chats[0]["messages"].([]any)
	if len(messages) != 6 {
		t.Fatalf("got %d messages, want the picture in one of its own", len(messages))
	}
	for i, want := range map[int]string{
		1: `{"content":"I click.","role":"assistant","tool_calls":[{"function":{"arguments":{"a":2,"b":1},"index":0,"name":"computer"}}]}`,
		2: `{"content":"done","role":"tool","tool_name":"computer"}`,
		4: `{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":{"a":1},"index":0,"name":"other"},"id":"x"}]}`,
		5: `{"content":"ok","role":"tool","tool_call_id":"x","tool_name":"other"}`,
	} {
		if got, _ := json.Marshal(messages[i]); string(got) != want {
			t.Errorf("message %d: got %s, want %s", i, got, want)
		}
	}
	if picture := messages[3].(map[string]any); picture["role"] != "user" || len(picture["images"].([]any)) != 1 {
		t.Errorf("got %v, want the picture in a user's message", picture)
	}
}

func TestModelWithoutToolsIsRefused(t *testing.T) {
	for name, handler := range map[string]string{
		"no template": `{"error":"registry.ollama.ai/library/m:latest does not support tools"}`,
		"its parser":  `{"error":"error parsing tool call: raw='{\"a', err=unexpected end of JSON input"}`,
	} {
		status := map[string]int{"no template": 400, "its parser": 500}[name]
		req := ollamatest.Ask("hello")
		req.Tools = tools
		_, err := newFake(t, says(status, "application/json", handler)).connect(t, ollama.Config{}).Chat(t.Context(), req, nil)
		if !errors.Is(err, model.ErrTools) {
			t.Errorf("%s: got error %v, want ErrTools", name, err)
		}
	}
	req := ollamatest.Ask("hello")
	req.Tools = json.RawMessage(`"none"`)
	if _, err := newFake(t, streams(hello, done)).connect(t, ollama.Config{}).Chat(t.Context(), req, nil); !errors.Is(err, model.ErrTools) {
		t.Errorf("tools that are none: got error %v, want ErrTools", err)
	}
}
