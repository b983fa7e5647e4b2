package ollama_test

import (
	"encoding/base64"
	"errors"
	"image/color"
	"net/http"
	"reflect"
	"testing"
	"time"

	"fara/model"
	"fara/model/ollama"
	"fara/model/ollama/ollamatest"
)

func TestRequestAsksForNoCutting(t *testing.T) {
	server := newFake(t, streams(hello, done))
	client := server.connect(t, ollama.Config{})
	seed, img := 3, ollamatest.Picture(t, 4, 4, color.White)
	first := ollamatest.Ask("look", img)
	first.Temperature, first.Seed, first.Stop = 0.5, &seed, []string{"</tool_call>"}
	chat(t, client, first)
	chat(t, client, model.Request{Messages: first.Messages})

	got := server.chats[0]
	want := map[string]any{"num_ctx": 4096.0, "temperature": 0.5, "num_predict": 8.0, "seed": 3.0, "stop": []any{"</tool_call>"}}
	if !reflect.DeepEqual(got["options"], want) {
		t.Errorf("got options %v, want %v", got["options"], want)
	}
	if got["truncate"] != false || got["shift"] != false || got["keep_alive"] != "30m0s" {
		t.Errorf("got truncate %v, shift %v, keep_alive %v, want false, false, 30m0s", got["truncate"], got["shift"], got["keep_alive"])
	}
	message := got["messages"].([]any)[0].(map[string]any)
	if want := []any{base64.StdEncoding.EncodeToString(img.Data)}; !reflect.DeepEqual(message["images"], want) {
		t.Errorf("got images %v, want bare base64", message["images"])
	}
	options := server.chats[1]["options"]
	if want := map[string]any{"num_ctx": 4096.0, "temperature": 0.0}; !reflect.DeepEqual(options, want) {
		t.Errorf("bare request: got options %v, want %v", options, want)
	}
}

func TestThinkingIsKeptApart(t *testing.T) {
	server := newFake(t, streams(`{"message":{"role":"assistant","content":"","thinking":"hm"}}`+"\n", hello, done))
	think := false
	reply := chat(t, server.connect(t, ollama.Config{Think: &think}), ollamatest.Ask("hello"))
	if reply.Thinking != "hm" || reply.Text != "hello" {
		t.Errorf("got thinking %q and text %q, want hm and hello", reply.Thinking, reply.Text)
	}
	if reply.Usage != (model.Usage{PromptTokens: 7, CompletionTokens: 2}) {
		t.Errorf("got usage %+v, want 7 and 2 tokens and no negative time", reply.Usage)
	}
	if got := server.chats[0]["think"]; got != false {
		t.Errorf("got think %v, want false", got)
	}
}

func TestServerThatEndsAfterUntilIsCounted(t *testing.T) {
	client := newFake(t, streams(hello, space, done)).connect(t, ollama.Config{})
	reply, err := client.Chat(t.Context(), ollamatest.Ask("hello"), func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if reply.Text != "hello\n" || reply.Finish != model.FinishStop || reply.Usage.CompletionTokens != 2 {
		t.Errorf("got %+v, want the whole reply with its usage", reply)
	}
}

func TestServerThatGoesOnAfterUntilIsLeft(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"with more text": streams(hello, hello, done),
		"with silence": func(w http.ResponseWriter, r *http.Request) {
			streams(hello)(w, r)
			hangs(time.Minute, streams(done))(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := newFake(t, handler).connect(t, ollama.Config{})
			reply, err := client.Chat(t.Context(), ollamatest.Ask("hello"), func(string) bool { return true })
			if err != nil || reply.Text != "hello" || reply.Finish != model.FinishUntil {
				t.Errorf("got %+v and error %v, want hello and %q", reply, err, model.FinishUntil)
			}
		})
	}
}

func TestNewNeedsAnAddress(t *testing.T) {
	for _, endpoint := range []string{"ftp://host", "http://a b"} {
		if client, err := ollama.New(ollama.Config{Model: "m", Endpoint: endpoint}); err == nil {
			t.Errorf("%q: got %v, want an error", endpoint, client)
		}
	}
}

func TestWithoutAModelThereIsOnlyInfo(t *testing.T) {
	client, err := ollama.New(ollama.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Chat(t.Context(), ollamatest.Ask("hello"), nil); !errors.Is(err, model.ErrNotFound) {
		t.Errorf("chat: got error %v, want ErrNotFound", err)
	}
}
