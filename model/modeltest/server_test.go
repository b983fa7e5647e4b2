package modeltest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"fara/model"
	"fara/model/modeltest"
)

func serve(t *testing.T, config modeltest.Config, brain model.Chatter, faults ...modeltest.Fault) *modeltest.Server {
	t.Helper()
	server, err := config.Serve(brain, faults...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

func parrot() model.Chatter { return modeltest.NewEndlessScript(modeltest.Text("hello, wörld")) }

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	status, text, err := tryPost(t, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return status, text
}

// tryPost gives the error of a response that breaks off.
func tryPost(t *testing.T, url, body string) (int, string, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), err
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func nativeBody(rest string) string {
	return fmt.Sprintf(`{"model":%q,"stream":false,%s}`, modeltest.DefaultModel, rest)
}

func TestOllamaRefusesInItsOwnWords(t *testing.T) {
	server := serve(t, modeltest.Config{}, parrot())
	png := base64.StdEncoding.EncodeToString(picture(t, 64, 64))
	tiny := base64.StdEncoding.EncodeToString(picture(t, 8, 8))
	image := func(data string) string {
		return nativeBody(`"messages":[{"role":"user","content":"x","images":["` + data + `"]}]`)
	}
	for _, tt := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"model missing", `{"model":"nope","messages":[]}`, 404, `{"error":"model 'nope' not found"}`},
		{"no model", `{"messages":[]}`, 400, `{"error":"model is required"}`},
		{"bad JSON", `{"model":`, 400, `{"error":"unexpected EOF"}`},
		{"data URL", image("data:image/png;base64," + png), 400, `{"error":"illegal base64 data at input byte 4"}`},
		{"not a picture", image("aGVsbG8="), 500, "image: unknown format"},
		{"cut picture", image(png[:len(png)/8*4]), 500, "failed to process inputs: "},
		{"tiny picture", image(tiny), 500, "model runner has unexpectedly stopped"},
		{"thinking", nativeBody(`"think":true,"messages":[{"role":"user","content":"x"}]`), 400, "does not support thinking"},
		{"option type", nativeBody(`"options":{"temperature":"hot"},"messages":[{"role":"user"}]`), 500, `must be of type float64`},
		{"format", nativeBody(`"format":"xml","messages":[{"role":"user"}]`), 500, "invalid format"},
		{"context", nativeBody(`"truncate":false,"options":{"num_ctx":10},"messages":[{"role":"user","content":"` +
			strings.Repeat("x", 80) + `"}]`), 400, `{"error":"the input length exceeds the context length"}`},
	} {
		status, body := post(t, server.URL()+"/api/chat", tt.body)
		if status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s: got %d %s, want %d %s", tt.name, status, body, tt.status, tt.want)
		}
	}
	if status, body := post(t, server.URL()+"/api/chat", image(png)); status != 200 {
		t.Errorf("good picture: got %d %s, want 200", status, body)
	}
}

func TestOllamaStreamsLinesWithMetricsInTheLast(t *testing.T) {
	brain := modeltest.NewScript(modeltest.Say(model.Reply{Text: "hello, wörld", Thinking: "let me see"}))
	server := serve(t, modeltest.Config{}, brain)
	body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hi"}]}`, modeltest.DefaultModel)
	_, text := post(t, server.URL()+"/api/chat", body)

	lines := strings.Split(strings.TrimSpace(text), "\n")
	content, thinking := "", ""
	for i, line := range lines {
		var got struct {
			Message         struct{ Content, Thinking string }
			Done            bool
			DoneReason      string `json:"done_reason"`
			PromptEvalCount int    `json:"prompt_eval_count"`
			EvalCount       int    `json:"eval_count"`
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		content += got.Message.Content
		thinking += got.Message.Thinking
		last := i == len(lines)-1
		if got.Done != last || (got.EvalCount > 0) != last || (got.PromptEvalCount > 0) != last || (got.DoneReason == "stop") != last {
			t.Errorf("line %d of %d: got %s, want done and metrics in the last only", i+1, len(lines), line)
		}
	}
	if content != "hello, wörld" || thinking != "let me see" || len(lines) < 5 {
		t.Errorf("got %q and %q in %d lines, want the reply in pieces", content, thinking, len(lines))
	}
}

func TestOllamaDropsPicturesSilentlyUnlessTruncateIsOff(t *testing.T) {
	brain := modeltest.NewEndlessScript(modeltest.Text("ok"))
	server := serve(t, modeltest.Config{}, brain)
	png := base64.StdEncoding.EncodeToString(picture(t, 640, 480))
	body := nativeBody(`"options":{"num_ctx":100},"messages":[{"role":"system","content":"rules"},` +
		`{"role":"user","content":"old"},{"role":"user","content":"new","images":["` + png + `"]}]`)
	if status, text := post(t, server.URL()+"/api/chat", body); status != 200 {
		t.Fatalf("got %d %s, want a silent 200", status, text)
	}
	got := brain.Requests()[0].Messages
	if len(got) != 2 || got[0].Text != "rules" || got[1].Text != "new" || len(got[1].Images) != 0 {
		t.Errorf("the brain saw %+v, want the system message and the last one without its picture", got)
	}
	if sent := server.Requests()[0]; len(sent.Messages) != 3 || len(sent.Messages[2].Images) != 1 {
		t.Errorf("logged %+v, want the request as it came", sent.Messages)
	}
}

func TestOllamaWithoutVisionSwallowsPictures(t *testing.T) {
	brain := modeltest.NewEndlessScript(modeltest.Text("ok"))
	server := serve(t, modeltest.Config{Capabilities: []string{"completion"}}, brain)
	png := base64.StdEncoding.EncodeToString(picture(t, 64, 64))
	status, _ := post(t, server.URL()+"/api/chat", nativeBody(`"messages":[{"role":"user","content":"what?","images":["`+png+`"]}]`))
	got := brain.Requests()[0].Messages[0]
	if status != 200 || got.Text != "[img-0]what?" || len(got.Images) != 0 {
		t.Errorf("got %d and %+v, want 200 and a marker in the text", status, got)
	}
}

func TestServerLogsWhatItWasAsked(t *testing.T) {
	server := serve(t, modeltest.Config{}, parrot())
	data := picture(t, 64, 64)
	body := nativeBody(`"options":{"num_ctx":8192,"temperature":0.5,"num_predict":7,"seed":3,"stop":["</s>"],"odd":1},` +
		`"truncate":false,"shift":false,"keep_alive":-1,"format":{"type":"object"},` +
		`"messages":[{"role":"user","content":"x","images":["` + base64.StdEncoding.EncodeToString(data) + `"]}]`)
	post(t, server.URL()+"/api/chat", body)

	got := server.Requests()[0]
	if got.API != modeltest.Ollama || got.Model != modeltest.DefaultModel || got.Stream || string(got.Body) != body {
		t.Errorf("got %s %s stream %v, want what was sent", got.API, got.Model, got.Stream)
	}
	if got.Options["num_ctx"] != 8192.0 || *got.Truncate || *got.Shift || string(got.KeepAlive) != "-1" {
		t.Errorf("got options %v truncate %v shift %v keep_alive %s", got.Options, *got.Truncate, *got.Shift, got.KeepAlive)
	}
	if got.Temperature != 0.5 || got.MaxTokens != 7 || *got.Seed != 3 || got.Stop[0] != "</s>" || string(got.Schema) != `{"type":"object"}` {
		t.Errorf("got %+v, want the options in the request", got.Request)
	}
	if image := got.Messages[0].Images[0]; !bytes.Equal(image.Data, data) || image.MIME != "image/png" {
		t.Errorf("got %d bytes of %s, want the picture as sent", len(image.Data), image.MIME)
	}
}

func TestOllamaDescribesItsModel(t *testing.T) {
	server := serve(t, modeltest.Config{Model: "tiny:1b", Context: 9000}, parrot())
	if _, body := get(t, server.URL()+"/api/version"); !strings.Contains(body, `"version":"0.`) {
		t.Errorf("version: got %s", body)
	}
	if _, body := get(t, server.URL()+"/api/tags"); !strings.Contains(body, `"name":"tiny:1b"`) {
		t.Errorf("tags: got %s, want the model", body)
	}
	_, body := post(t, server.URL()+"/api/show", `{"model":"tiny:1b"}`)
	if !strings.Contains(body, `"capabilities":["completion","vision"]`) || !strings.Contains(body, `"qwen3vl.context_length":9000`) {
		t.Errorf("show: got %s, want capabilities and context", body)
	}
	if status, body := post(t, server.URL()+"/api/show", `{"model":"nope"}`); status != 404 || body != `{"error":"model 'nope' not found"}` {
		t.Errorf("show of a missing model: got %d %s", status, body)
	}
	if _, body := get(t, server.URL()+"/api/ps"); body != `{"models":[]}` {
		t.Errorf("ps before a chat: got %s, want nothing loaded", body)
	}
	post(t, server.URL()+"/api/chat", `{"model":"tiny:1b","messages":[],"options":{"num_ctx":5000}}`)
	if _, body := get(t, server.URL()+"/api/ps"); !strings.Contains(body, `"context_length":5000`) {
		t.Errorf("ps: got %s, want the loaded context", body)
	}
}
