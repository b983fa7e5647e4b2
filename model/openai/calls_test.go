package openai_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"fara/model"
	"fara/model/ollama/ollamatest"
	"fara/model/openai"
)

var tools = json.RawMessage(`[{"type":"function","function":{"name":"computer","description":"acts","parameters":{"type":"object","properties":{"action":{"type":"string"}}}}}]`)

// piece is an event of a stream with a delta.
func piece(delta string) string { return `{"model":"m","choices":[{"index":0,"delta":` + delta + `}]}` }

// ends is an event that ends the reply for a reason.
func ends(reason string) string {
	return `{"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// wholeMessage is an answer that is not streamed.
func wholeMessage(message, reason string) http.HandlerFunc {
	return says(200, "application/json", `{"model":"m","choices":[{"index":0,"message":`+message+`,"finish_reason":"`+reason+`"}]}`)
}

func TestCallsAreReadInEveryShape(t *testing.T) {
	click := model.ToolCall{ID: "a", Name: "computer", Arguments: `{"action":"click"}`}
	nameless := model.ToolCall{Name: "computer", Arguments: `{"action":"click"}`}
	second := model.ToolCall{ID: "b", Name: "computer", Arguments: `{"action":"wait"}`}
	bare := model.ToolCall{ID: "a", Name: "stop", Arguments: `{}`}
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		want    []model.ToolCall
	}{
		"fragments by index": {streams(role,
			piece(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"computer","arguments":""}}]}`),
			piece(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"action\":"}}]}`),
			piece(`{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"computer","arguments":"{\"action\":"}}]}`),
			piece(`{"tool_calls":[{"index":0,"function":{"arguments":"\"click\"}"}},{"index":1,"function":{"arguments":"\"wait\"}"}}]}`),
			ends("tool_calls"), usage, done), []model.ToolCall{click, second}},
		"no index and no ids": {streams(
			piece(`{"tool_calls":[{"function":{"name":"computer","arguments":"{\"action\":"}}]}`),
			piece(`{"tool_calls":[{"function":{"arguments":"\"click\"}"}}]}`),
			ends("tool_calls"), done), []model.ToolCall{nameless}},
		"two whole ones without index": {streams(
			piece(`{"tool_calls":[{"function":{"name":"computer","arguments":"{\"action\":\"click\"}"}}]}`),
			piece(`{"tool_calls":[{"function":{"name":"computer","arguments":"{\"action\":\"click\"}"}}]}`),
			ends("tool_calls"), done), []model.ToolCall{nameless, nameless}},
		"one index for all": {streams(
			piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"computer","arguments":"{\"action\":\"click\"}"}}]}`),
			piece(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"computer","arguments":"{\"action\":\"wait\"}"}}]}`),
			ends("tool_calls"), done), []model.ToolCall{click, second}},
		"id and name in every fragment": {streams(
			piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"computer","arguments":"{\"action\":"}}]}`),
			piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"computer","arguments":"\"click\"}"}}]}`),
			ends("tool_calls"), done), []model.ToolCall{click}},
		"arguments as an object": {streams(
			piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"computer","arguments":{"action":"click"}}}]}`),
			ends("tool_calls"), done), []model.ToolCall{click}},
		"finish reason stop": {streams(
			piece(`{"content":null,"tool_calls":[{"index":0,"id":"a","function":{"name":"computer","arguments":"{\"action\":\"click\"}"}}]}`),
			ends("stop"), done), []model.ToolCall{click}},
		"no arguments": {streams(
			piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"stop","arguments":null}}]}`),
			ends("tool_calls"), done), []model.ToolCall{bare}},
		"function_call": {streams(
			piece(`{"function_call":{"name":"computer","arguments":"{\"action\":"}}`),
			piece(`{"function_call":{"arguments":"\"click\"}"}}`),
			ends("function_call"), done), []model.ToolCall{nameless}},
		"whole": {wholeMessage(`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"computer","arguments":"{\"action\":\"click\"}"}},
			{"id":"b","type":"function","function":{"name":"computer","arguments":"{\"action\":\"wait\"}"}}]}`, "tool_calls"), []model.ToolCall{click, second}},
		"whole with an object": {wholeMessage(`{"content":"","tool_calls":[{"id":"a","function":{"name":"computer","arguments":{"action":"click"}}}]}`, "stop"), []model.ToolCall{click}},
		"whole function_call":  {wholeMessage(`{"content":null,"function_call":{"name":"computer","arguments":"{\"action\":\"click\"}"}}`, "function_call"), []model.ToolCall{nameless}},
		"none":                 {wholeMessage(`{"content":"hello","tool_calls":[]}`, "stop"), nil},
		"null":                 {wholeMessage(`{"content":"hello","tool_calls":null,"function_call":null}`, "stop"), nil},
		"cut": {streams(
			piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"computer","arguments":"{\"action\":\"cl"}}]}`),
			ends("length"), done), []model.ToolCall{{ID: "a", Name: "computer", Arguments: `{"action":"cl`}}},
	} {
		t.Run(name, func(t *testing.T) {
			req := ollamatest.Ask("hello")
			req.Tools = tools
			reply := chat(t, newFake(t, tt.handler).connect(t, openai.Config{}), req)
			if !reflect.DeepEqual(reply.Calls, tt.want) {
				t.Errorf("got calls %+v, want %+v", reply.Calls, tt.want)
			}
			if wantCut := name == "cut"; (reply.Finish == model.FinishLength) != wantCut {
				t.Errorf("got finish %q", reply.Finish)
			}
		})
	}
}

func TestPastCallsAreSentWithMatchingIDs(t *testing.T) {
	server := newFake(t, streams(hello, stop, done))
	img := model.Image{Data: []byte("x"), MIME: "image/png"}
	req := model.Request{Tools: tools, Messages: []model.Message{
		{Role: model.User, Text: "go"},
		{Role: model.Assistant, Text: "I click.", Calls: []model.ToolCall{{ID: "a", Name: "computer", Arguments: `{"action":"click"}`}}},
		{Role: model.Tool, Text: "done", CallID: "a"},
		{Role: model.Assistant, Calls: []model.ToolCall{{Name: "computer", Arguments: `no JSON`}}},
		{Role: model.Tool, Text: "wrong", Images: []model.Image{img}},
	}}
	client := server.connect(t, openai.Config{})
	chat(t, client, req)
	chat(t, client, req)
	got := server.chats[0]
	var want []any
	made := got["messages"].([]any)[3].(map[string]any)["tool_calls"].([]any)[0].(map[string]any)["id"].(string)
	if err := json.Unmarshal([]byte(`[
		{"role":"user","content":"go"},
		{"role":"assistant","content":"I click.","tool_calls":[{"id":"a","type":"function","function":{"name":"computer","arguments":"{\"action\":\"click\"}"}}]},
		{"role":"tool","content":"done","tool_call_id":"a"},
		{"role":"assistant","content":"","tool_calls":[{"id":"`+made+`","type":"function","function":{"name":"computer","arguments":"{\"arguments\":\"no JSON\"}"}}]},
		{"role":"tool","content":"wrong","tool_call_id":"`+made+`"},
		{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}]}]`), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got["messages"], any(want)) {
		t.Errorf("got  %v\nwant %v", got["messages"], want)
	}
	if len(made) != 9 || !reflect.DeepEqual(server.chats[0], server.chats[1]) {
		t.Errorf("got the made-up id %q, want nine letters that stay the same", made)
	}
	var sent []any
	_ = json.Unmarshal(tools, &sent)
	if !reflect.DeepEqual(got["tools"], any(sent)) {
		t.Errorf("got tools %v, want them as given", got["tools"])
	}
}

func TestToolsThatAreNoneAreRefusedHere(t *testing.T) {
	server := newFake(t, streams(hello, stop, done))
	req := ollamatest.Ask("hello")
	req.Tools = json.RawMessage(`{"no":"list"}`)
	_, err := server.connect(t, openai.Config{}).Chat(t.Context(), req, nil)
	if err == nil || !strings.Contains(err.Error(), "definitions") || len(server.chats) != 0 {
		t.Errorf("got error %v after %d requests, want one that names the definitions and no request", err, len(server.chats))
	}
}
