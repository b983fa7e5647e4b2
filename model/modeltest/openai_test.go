package modeltest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fara/model"
	"fara/model/modeltest"
)

func v1Body(rest string) string {
	return fmt.Sprintf(`{"model":%q,%s}`, modeltest.DefaultModel, rest)
}

func v1Image(url string) string {
	return v1Body(`"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + url +
		`"}},{"type":"text","text":"what?"}]}]`)
}

func TestOpenAIRefusesInItsOwnWords(t *testing.T) {
	brain := modeltest.LimitImages(parrot(), 1)
	server := serve(t, modeltest.Config{Context: 50}, brain)
	data := picture(t, 64, 64)
	png := "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
	two := v1Body(`"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + png +
		`"}},{"type":"image_url","image_url":{"url":"` + png + `"}}]}]`)
	for _, tt := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"model missing", `{"model":"nope","messages":[]}`, 404, "The model `nope` does not exist."},
		{"bad JSON", `{`, 400, "unexpected end of JSON input"},
		{"no messages", v1Body(`"messages":[]`), 400, "required"},
		{"bare base64", v1Image(strings.TrimPrefix(png, "data:image/png;base64,")), 400, "must be either a HTTP, data or file URL"},
		{"web address", v1Image("https://example.com/a.png"), 400, "not currently supported"},
		{"wrong label", v1Image(strings.Replace(png, "png", "jpeg", 1)), 400, "labelled image/jpeg"},
		{"not a picture", v1Image("data:image/png;base64,aGVsbG8="), 400, "invalid image input"},
		{"unknown part", v1Body(`"messages":[{"role":"user","content":[{"type":"smell"}]}]`), 400, "Unknown part type: smell"},
		{"too many pictures", two, 400, "At most 1 image(s) may be provided in one prompt."},
		{"context", v1Body(`"messages":[{"role":"user","content":"` + strings.Repeat("x", 400) + `"}]`), 400,
			"This model's maximum context length is 50 tokens. However, your request has 101 input tokens."},
	} {
		status, body := post(t, server.URL()+"/v1/chat/completions", tt.body)
		var got struct {
			Error struct {
				Message, Type string
				Code          int
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Errorf("%s: %q is not an error object: %v", tt.name, body, err)
		}
		if status != tt.status || got.Error.Code != tt.status || got.Error.Type == "" || !strings.Contains(got.Error.Message, tt.want) {
			t.Errorf("%s: got %d %s, want %d %s", tt.name, status, body, tt.status, tt.want)
		}
	}
	if status, body := post(t, server.URL()+"/v1/chat/completions", v1Image(png)); status != 200 {
		t.Errorf("good picture: got %d %s, want 200", status, body)
	}
}

func TestOpenAIDecodesEveryField(t *testing.T) {
	server := serve(t, modeltest.Config{}, parrot())
	data := picture(t, 64, 64)
	body := v1Body(`"temperature":0.25,"max_tokens":9,"seed":5,"stop":"</s>",` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object"}}},` +
		`"messages":[{"role":"system","content":"rules"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` +
		base64.StdEncoding.EncodeToString(data) + `"}},{"type":"text","text":"what?"}]},{"role":"assistant","content":null}]`)
	if status, text := post(t, server.URL()+"/v1/chat/completions", body); status != 200 {
		t.Fatalf("got %d %s", status, text)
	}
	got := server.Requests()[0]
	if got.API != modeltest.OpenAI || got.Temperature != 0.25 || got.MaxTokens != 9 || *got.Seed != 5 || got.Stop[0] != "</s>" || string(got.Schema) != `{"type":"object"}` {
		t.Errorf("got %+v, want every field", got.Request)
	}
	user := got.Messages[1]
	if user.Role != model.User || user.Text != "what?" || !bytes.Equal(user.Images[0].Data, data) || user.Images[0].MIME != "image/png" {
		t.Errorf("got %s %q with %d pictures, want text and picture", user.Role, user.Text, len(user.Images))
	}
}

func TestOpenAIStreamsEventsWithUsageOnRequest(t *testing.T) {
	brain := modeltest.NewEndlessScript(modeltest.Say(model.Reply{Text: "hello, wörld", Thinking: "let me see"}))
	server := serve(t, modeltest.Config{}, brain)
	for _, tt := range []struct {
		options string
		usage   bool
	}{{"", false}, {`"stream_options":{"include_usage":true},`, true}} {
		_, text := post(t, server.URL()+"/v1/chat/completions", v1Body(`"stream":true,`+tt.options+`"messages":[{"role":"user","content":"hi"}]`))
		rest, ended := strings.CutSuffix(text, "data: [DONE]\n\n")
		if !ended {
			t.Fatalf("got %q, want the end mark", text)
		}
		content, reasoning, finish, usage := "", "", "", 0
		for event := range strings.SplitSeq(strings.TrimSpace(rest), "\n\n") {
			var got struct {
				Choices []struct {
					Delta struct {
						Content   string
						Reasoning string `json:"reasoning_content"`
					}
					FinishReason string `json:"finish_reason"`
				}
				Usage struct {
					Completion int `json:"completion_tokens"`
				}
			}
			if err := json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &got); err != nil {
				t.Fatalf("event %q: %v", event, err)
			}
			for _, c := range got.Choices {
				content += c.Delta.Content
				reasoning += c.Delta.Reasoning
				finish += c.FinishReason
			}
			usage += got.Usage.Completion
		}
		if content != "hello, wörld" || reasoning != "let me see" || finish != "stop" || (usage > 0) != tt.usage {
			t.Errorf("%q: got %q, %q, finish %q, usage %d", tt.options, content, reasoning, finish, usage)
		}
	}
}

func TestOpenAIWholeReplyHasUsage(t *testing.T) {
	server := serve(t, modeltest.Config{}, parrot())
	_, body := post(t, server.URL()+"/v1/chat/completions", v1Body(`"messages":[{"role":"user","content":"abcd"}]`))
	if !strings.Contains(body, `"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}`) || !strings.Contains(body, `"content":"hello, wörld"`) {
		t.Errorf("got %s, want the reply with its usage", body)
	}
}

func TestReplyEndsAtStopTextAndTokenLimit(t *testing.T) {
	server := serve(t, modeltest.Config{}, parrot())
	for _, tt := range []struct{ field, content, finish string }{
		{`"stop":[", w"]`, "hello", "stop"},
		{`"max_tokens":1`, "hell", "length"},
	} {
		_, body := post(t, server.URL()+"/v1/chat/completions", v1Body(tt.field+`,"messages":[{"role":"user","content":"x"}]`))
		if !strings.Contains(body, `"content":"`+tt.content+`"`) || !strings.Contains(body, `"finish_reason":"`+tt.finish+`"`) {
			t.Errorf("%s: got %s, want %q, %s", tt.field, body, tt.content, tt.finish)
		}
	}
}

func TestOpenAIAsksForItsKey(t *testing.T) {
	server := serve(t, modeltest.Config{Key: "sesame"}, parrot())
	if status, body := get(t, server.URL()+"/v1/models"); status != 401 || body != `{"error":"Unauthorized"}` {
		t.Errorf("without the key: got %d %s, want 401", status, body)
	}
	req, err := http.NewRequest("GET", server.URL()+"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sesame")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("with the key: got %d, want 200", resp.StatusCode)
	}
}

func TestServerCanSpeakOneAPIOnly(t *testing.T) {
	for _, tt := range []struct {
		only           modeltest.API
		ollama, openai int
	}{{"", 200, 200}, {modeltest.Ollama, 200, 404}, {modeltest.OpenAI, 404, 200}} {
		server := serve(t, modeltest.Config{Only: tt.only}, parrot())
		ollama, _ := get(t, server.URL()+"/api/version")
		openai, _ := get(t, server.URL()+"/v1/models")
		if ollama != tt.ollama || openai != tt.openai {
			t.Errorf("only %q: got %d and %d, want %d and %d", tt.only, ollama, openai, tt.ollama, tt.openai)
		}
	}
}
