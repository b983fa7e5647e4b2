package openai_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"image/color"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"fara/model"
	"fara/model/ollama/ollamatest"
	"fara/model/openai"
)

func TestRequestIsWhatServersAccept(t *testing.T) {
	server := newFake(t, streams(hello, stop, usage, done))
	client := server.connect(t, openai.Config{Extra: map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": false}}})
	seed, img := 3, ollamatest.Picture(t, 4, 4, color.White)
	chat(t, client, model.Request{
		Messages: []model.Message{
			{Role: model.System, Text: "be brief"},
			{Role: model.User, Text: "look", Images: []model.Image{img}},
			{Role: model.Assistant, Text: "a page"},
			{Role: model.User, Text: "and now?"},
		},
		Temperature: 0.5, MaxTokens: 8, Seed: &seed, Stop: []string{"</tool_call>"},
		Schema: json.RawMessage(`{"type":"object"}`),
	})
	chat(t, client, ollamatest.Ask("bare"))

	var want map[string]any
	if err := json.Unmarshal([]byte(`{
		"model": "m", "temperature": 0.5, "max_tokens": 8, "seed": 3, "stop": ["</tool_call>"],
		"stream": true, "stream_options": {"include_usage": true},
		"response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}},
		"chat_template_kwargs": {"enable_thinking": false},
		"messages": [
			{"role": "system", "content": "be brief"},
			{"role": "user", "content": [
				{"type": "image_url", "image_url": {"url": "data:image/png;base64,`+base64.StdEncoding.EncodeToString(img.Data)+`"}},
				{"type": "text", "text": "look"}]},
			{"role": "assistant", "content": "a page"},
			{"role": "user", "content": "and now?"}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if got := server.chats[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for _, name := range []string{"seed", "stop", "response_format", "tools"} {
		if value, sent := server.chats[1][name]; sent {
			t.Errorf("bare request: got %s %v, want it left out", name, value)
		}
	}
}

func TestReasoningIsKeptApart(t *testing.T) {
	for _, name := range []string{"reasoning_content", "reasoning", "thinking"} {
		streamed := streams(role, `{"model":"m","choices":[{"index":0,"delta":{"content":null,"`+name+`":"hm"}}]}`, hello, stop, usage, done)
		whole := says(200, "application/json", `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello","`+name+`":"hm"},"finish_reason":"stop"}],
			"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`)
		want := model.Reply{Text: "hello", Thinking: "hm", Finish: model.FinishStop, Model: "m", Usage: model.Usage{PromptTokens: 7, CompletionTokens: 2}}
		for form, handler := range map[string]http.HandlerFunc{"streamed": streamed, "whole": whole} {
			if got := chat(t, newFake(t, handler).connect(t, openai.Config{}), ollamatest.Ask("hello")); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: got %+v, want %+v", name, form, got, want)
			}
		}
	}
}

func TestReplyMayBeReasoningAlone(t *testing.T) {
	handler := says(200, "application/json", `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"all of it"},"finish_reason":"length"}]}`)
	got := chat(t, newFake(t, handler).connect(t, openai.Config{}), ollamatest.Ask("hello"))
	if got.Text != "" || got.Thinking != "all of it" || got.Finish != model.FinishLength {
		t.Errorf("got %+v, want thinking alone, ended by length", got)
	}
}

func TestServerThatEndsAfterUntilIsCounted(t *testing.T) {
	client := newFake(t, streams(hello, space, stop, usage, done)).connect(t, openai.Config{})
	reply, err := client.Chat(t.Context(), ollamatest.Ask("hello"), func(string) bool { return true })
	if err != nil || reply.Text != "hello\n" || reply.Finish != model.FinishStop || reply.Usage.CompletionTokens != 2 {
		t.Errorf("got %+v and error %v, want the whole reply with its usage", reply, err)
	}
}

func TestServerThatGoesOnIsLeft(t *testing.T) {
	then := func(events ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			streams(events...)(w, r)
			hangs(time.Minute, streams(done))(w, r)
		}
	}
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		finish  model.Finish
	}{
		"with more text":                 {streams(hello, hello, stop, done), model.FinishUntil},
		"with silence":                   {then(hello), model.FinishUntil},
		"with an open connection at end": {then(hello, stop, usage, done), model.FinishStop},
	} {
		t.Run(name, func(t *testing.T) {
			client := newFake(t, tt.handler).connect(t, openai.Config{})
			reply, err := client.Chat(t.Context(), ollamatest.Ask("hello"), func(string) bool { return true })
			if err != nil || reply.Text != "hello" || reply.Finish != tt.finish {
				t.Errorf("got %+v and error %v, want hello and %q", reply, err, tt.finish)
			}
		})
	}
}

func TestInfoTellsTheContext(t *testing.T) {
	info, err := newFake(t, streams()).connect(t, openai.Config{}).Info(t.Context())
	if err != nil || info.Context().Tokens != 8192 || !slices.Equal(info.Models, []string{"a", "m"}) {
		t.Errorf("got %+v and error %v, want models a and m, context 8192", info, err)
	}
}

func TestNewNeedsAnAddress(t *testing.T) {
	for _, endpoint := range []string{"ftp://host", "http://a b"} {
		if client, err := openai.New(openai.Config{Model: "m", Endpoint: endpoint}); err == nil {
			t.Errorf("%q: got %v, want an error", endpoint, client)
		}
	}
}

func TestWithoutAModelThereIsOnlyInfo(t *testing.T) {
	client, err := openai.New(openai.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Chat(t.Context(), ollamatest.Ask("hello"), nil); !errors.Is(err, model.ErrNotFound) {
		t.Errorf("chat: got error %v, want ErrNotFound", err)
	}
}
