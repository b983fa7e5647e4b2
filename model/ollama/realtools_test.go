package ollama_test

import (
	"encoding/json"
	"errors"
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/model"
	"fara/model/ollama"
	"fara/model/ollama/ollamatest"
)

// toolsAreRendered shows that tools, past calls and their answers reach the
// prompt. What the tiny model makes of them means nothing.
func toolsAreRendered(t *testing.T, client *ollama.Client) {
	img := ollamatest.Picture(t, 256, 256, color.White)
	req := model.Request{Tools: tools, Messages: []model.Message{
		{Role: model.User, Text: "go"},
		{Role: model.Assistant, Text: "I click.", Calls: []model.ToolCall{{Name: "computer", Arguments: `{"action":"click","coordinate":[1,2]}`}}},
		{Role: model.Tool, Text: "done", Images: []model.Image{img}},
	}}
	prompt, images, err := client.Render(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if images != 1 {
		t.Errorf("got %d images, want the one of the tool's turn", images)
	}
	for _, want := range []string{`"name": "computer"`, "coordinate", "<tool_call>", "click", "<tool_response>\ndone\n</tool_response>", "[img-0]"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, prompt)
		}
	}
	if reply := chat(t, client, req); reply.Usage.PromptTokens < len(prompt)/2 {
		t.Errorf("got %d tokens for a prompt of %d characters", reply.Usage.PromptTokens, len(prompt))
	}
}

// toolsAndSchemaGoTogether shows that a schema holds the reply with tools too.
func toolsAndSchemaGoTogether(t *testing.T, client *ollama.Client) {
	req := ollamatest.Ask("where?")
	req.MaxTokens, req.Tools = 400, tools
	req.Schema = json.RawMessage(`{"type":"object","required":["action"],"additionalProperties":false,
		"properties":{"action":{"oneOf":[{"const":"click"},{"const":"wait"}]}}}`)
	var got struct{ Action string }
	reply := chat(t, client, req)
	if err := json.Unmarshal([]byte(reply.Text), &got); err != nil || !slices.Contains([]string{"click", "wait"}, got.Action) {
		t.Errorf("got %q (%v) and calls %v, want what the schema allows", reply.Text, err, reply.Calls)
	}
}

func textModelHasNoTools(t *testing.T, endpoint string) {
	client := connect(t, ollama.Config{Endpoint: endpoint, Model: ollamatest.Text})
	req := ollamatest.Ask("hello")
	req.Tools = tools
	_, err := client.Chat(t.Context(), req, nil)
	if !errors.Is(err, model.ErrTools) || !strings.Contains(err.Error(), "--tools") {
		t.Errorf("got error %v, want ErrTools that says what to leave out", err)
	}
}

// picturesThatFail are those that Ollama answers with status 500.
func picturesThatFail(t *testing.T, client *ollama.Client) {
	good := ollamatest.Picture(t, 256, 256, color.White).Data
	for name, data := range map[string][]byte{
		"no picture": []byte("GIF89a no picture"), "cut": good[:len(good)/2], "empty": {},
	} {
		_, err := client.Chat(t.Context(), ollamatest.Ask("hello", model.Image{Data: data, MIME: "image/png"}), nil)
		if !errors.Is(err, model.ErrPicture) {
			t.Errorf("%s: got error %v, want ErrPicture", name, err)
		}
	}
	// A picture that crashes the runner is told apart by coming again: see model/retry.
	_, err := client.Chat(t.Context(), ollamatest.Ask("hello", ollamatest.Picture(t, 8, 8, color.White)), nil)
	if !errors.Is(err, model.ErrServer) || !strings.Contains(err.Error(), "unexpectedly stopped") {
		t.Errorf("8×8: got error %v, want the runner's", err)
	}
}

// anyMixLoadsOnce runs all kinds of requests, by several goroutines' worth of
// settings, on one load.
func anyMixLoadsOnce(t *testing.T, client *ollama.Client) {
	chat(t, client, ollamatest.Ask("load"))
	img := ollamatest.Picture(t, 256, 256, color.Black)
	for name, change := range map[string]func(*model.Request){
		"tools":   func(r *model.Request) { r.Tools = tools },
		"schema":  func(r *model.Request) { r.Schema, r.MaxTokens = json.RawMessage(`{"type":"boolean"}`), 40 },
		"picture": func(r *model.Request) { r.Messages[0].Images = []model.Image{img} },
		"stop":    func(r *model.Request) { r.Stop, r.Temperature = []string{"x"}, 1 },
	} {
		req := ollamatest.Ask(name)
		change(&req)
		if reply := chat(t, client, req); reply.Usage.LoadTime > time.Second {
			t.Errorf("%s: got load time %v, want the loaded model", name, reply.Usage.LoadTime)
		}
	}
	if info, err := client.Info(t.Context()); err != nil || info.Loaded != numCtx {
		t.Errorf("got %+v and error %v, want it loaded with %d", info, err, numCtx)
	}
}
