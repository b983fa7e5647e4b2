package openai_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"fara/model"
	"fara/model/ollama/ollamatest"
	"fara/model/openai"
)

// takes is a server that holds replies to a schema in one way, and refuses or
// overlooks the others.
func takes(way, refusal string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch sent := wayOf(r); {
		case sent == way:
			streams(piece(`{"content":"{}"}`), stop, done)(w, r)
		case refusal == "" || sent == "":
			streams(hello, stop, done)(w, r)
		default:
			says(400, "application/json", refusal)(w, r)
		}
	}
}

func wayOf(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	var chat struct {
		Format struct{ Type string } `json:"response_format"`
		Guided json.RawMessage       `json:"guided_json"`
	}
	_ = json.Unmarshal(body, &chat)
	if chat.Guided != nil {
		return "guided_json"
	}
	return chat.Format.Type
}

func TestSchemaIsSentInTheWayTheServerTakes(t *testing.T) {
	for name, tt := range map[string]struct {
		way, refusal string
		requests     int
	}{
		"the usual":           {"json_schema", `{"error":{"message":"never seen"}}`, 1},
		"llama.cpp, older":    {"json_object", `{"error":{"code":500,"message":"response_format type must be one of \"text\" or \"json_object\", but got: json_schema"}}`, 2},
		"vLLM, older":         {"guided_json", `{"object":"error","message":"[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}]"}`, 3},
		"FastAPI":             {"guided_json", `{"detail":[{"loc":["body","response_format","type"],"msg":"Input should be 'text'"}]}`, 3},
		"TGI":                 {"json", `{"error":"Failed to deserialize the JSON body into the target type: response_format: unknown variant"}`, 4},
		"none, said so":       {"none", `{"error":{"message":"This response_format type is unavailable now"}}`, 4},
		"overlooks the usual": {"guided_json", ``, 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := newFake(t, takes(tt.way, tt.refusal))
			client := server.connect(t, openai.Config{})
			req := ollamatest.Ask("hello")
			req.Schema = json.RawMessage(`{"type":"object"}`)
			_, err := client.Chat(t.Context(), req, nil)
			if wantErr := tt.way == "none"; errors.Is(err, model.ErrSchema) != wantErr || (err != nil) != wantErr {
				t.Fatalf("got error %v", err)
			}
			if got := len(server.chats); got != tt.requests {
				t.Errorf("got %d requests, want %d", got, tt.requests)
			}
			_, again := client.Chat(t.Context(), req, nil)
			if got := len(server.chats); got != tt.requests+1 || (again == nil) != (err == nil) {
				t.Errorf("second time: got %d requests more and error %v, want one and the same outcome", got-tt.requests, again)
			}
		})
	}
}

func TestRefusedSchemaIsNotTriedInOtherWays(t *testing.T) {
	for _, message := range []string{
		"The provided JSON schema contains features not supported by xgrammar.",
		"Invalid schema for response_format 'reply': 'type' must be a string",
		"JSON schema conversion failed: unsupported pattern in json_schema",
	} {
		server := newFake(t, refuses(400, message))
		req := ollamatest.Ask("hello")
		req.Schema = json.RawMessage(`{"type":"object"}`)
		_, err := server.connect(t, openai.Config{}).Chat(t.Context(), req, nil)
		if !errors.Is(err, model.ErrSchema) || len(server.chats) != 1 || !strings.Contains(err.Error(), "--constrain") {
			t.Errorf("%q: got error %v after %d requests, want ErrSchema after one", message, err, len(server.chats))
		}
	}
}

func TestOverlookedSchemaIsNoticed(t *testing.T) {
	server := newFake(t, takes("none", ""))
	// The first way is refused, the others are overlooked.
	first := true
	server.Config.Handler = overlooks(server.Config.Handler, &first)
	client := server.connect(t, openai.Config{})
	req := ollamatest.Ask("hello")
	req.Schema = json.RawMessage(`{"type":"object"}`)
	if _, err := client.Chat(t.Context(), req, nil); !errors.Is(err, model.ErrSchema) {
		t.Errorf("got error %v, want ErrSchema: no reply was held to it", err)
	}
	if got := len(server.chats); got != 3 {
		t.Errorf("the server answered %d requests freely, want 3", got)
	}
}

func overlooks(next http.Handler, first *bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if *first {
			*first = false
			refuses(400, "response_format.type must be 'text'")(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
