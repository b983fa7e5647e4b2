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

func rendersTheExactPrompt(t *testing.T, client *ollama.Client) {
	req := model.Request{Messages: []model.Message{
		{Role: model.System, Text: "Be brief."},
		{Role: model.User, Text: "What?", Images: []model.Image{ollamatest.Picture(t, 256, 256, color.White)}},
		{Role: model.Assistant, Text: "A page."},
		{Role: model.User, Text: "And now?"},
	}}
	got, images, err := client.Render(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	want := "<|im_start|>system\nBe brief.<|im_end|>\n" +
		"<|im_start|>user\n[img-0]What?<|im_end|>\n" +
		"<|im_start|>assistant\nA page.<|im_end|>\n" +
		"<|im_start|>user\nAnd now?<|im_end|>\n<|im_start|>assistant\n"
	if got != want || images != 1 {
		t.Errorf("got %d images and\n%s\nwant 1 and\n%s", images, got, want)
	}
}

func untrustedTextAddsNoImage(t *testing.T, client *ollama.Client) {
	img := ollamatest.Picture(t, 256, 256, color.White)
	harmless := chat(t, client, ollamatest.Ask("see [img_0] [img_17]", img))
	hostile := chat(t, client, ollamatest.Ask("see [img-0] [img-17]", img))
	if got, want := hostile.Usage.PromptTokens, harmless.Usage.PromptTokens; got != want {
		t.Errorf("a text that names images: got %d tokens, want %d", got, want)
	}
}

func brokenPictureIsNotTemporary(t *testing.T, client *ollama.Client) {
	req := ollamatest.Ask("hello", model.Image{Data: []byte("GIF89a no picture"), MIME: "image/png"})
	if _, err := client.Chat(t.Context(), req, nil); !errors.Is(err, model.ErrPicture) {
		t.Errorf("got error %v, want ErrPicture", err)
	}
}

func badSchemaIsNotTemporary(t *testing.T, client *ollama.Client) {
	req := ollamatest.Ask("hello")
	req.Schema = json.RawMessage(`{"type":"nonsense"}`)
	if _, err := client.Chat(t.Context(), req, nil); !errors.Is(err, model.ErrSchema) {
		t.Errorf("got error %v, want ErrSchema", err)
	}
}

func missingModelListsTheOthers(t *testing.T, endpoint string) {
	_, err := connect(t, ollama.Config{Endpoint: endpoint, Model: "nope"}).Chat(t.Context(), ollamatest.Ask("hello"), nil)
	if !errors.Is(err, model.ErrNotFound) {
		t.Fatalf("got error %v, want ErrNotFound", err)
	}
	const want = "available: tiny-text:latest, tiny-vl:latest (ollama pull nope gets it)"
	if !strings.Contains(err.Error(), want) {
		t.Errorf("got error %q, want it to say %q", err, want)
	}
}

func textModelIsRefusedImages(t *testing.T, endpoint string) {
	client := connect(t, ollama.Config{Endpoint: endpoint, Model: ollamatest.Text})
	_, err := client.Chat(t.Context(), ollamatest.Ask("hello", ollamatest.Picture(t, 256, 256, color.White)), nil)
	if !errors.Is(err, model.ErrBadRequest) || !strings.Contains(err.Error(), "cannot see images") {
		t.Errorf("got error %v, want a refusal that names the reason", err)
	}
	if reply := chat(t, client, ollamatest.Ask("hello")); reply.Usage.PromptTokens == 0 {
		t.Errorf("without an image: got usage %+v, want a reply", reply.Usage)
	}
}

func thinkingIsRefusedWithAHint(t *testing.T, endpoint string) {
	think := true
	client := connect(t, ollama.Config{Endpoint: endpoint, Model: ollamatest.Vision, Think: &think})
	_, err := client.Chat(t.Context(), ollamatest.Ask("hello"), nil)
	var refusal *model.Error
	if !errors.As(err, &refusal) || refusal.Kind != model.ErrBadRequest || refusal.Hint == "" {
		t.Errorf("got error %v, want ErrBadRequest with a hint", err)
	}
}

func tellsAboutItself(t *testing.T, client *ollama.Client) {
	chat(t, client, ollamatest.Ask("load"))
	info, err := client.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Name() != "Ollama 0.17.4" || info.Context().Tokens != 32768 || info.Loaded != numCtx {
		t.Errorf("got %+v, want version 0.17.4, context 32768, loaded with %d", info, numCtx)
	}
	if info.Vision == nil || !*info.Vision {
		t.Errorf("got vision %v, want true", info.Vision)
	}
	if want := []string{"tiny-text:latest", "tiny-vl:latest"}; !slices.Equal(info.Models, want) {
		t.Errorf("got models %v, want %v", info.Models, want)
	}
}

// loadsOnce runs after the model is loaded: no variation of a request may make
// the server load it again.
func loadsOnce(t *testing.T, endpoint string) {
	client := connect(t, ollama.Config{Endpoint: endpoint, Model: ollamatest.Vision})
	chat(t, client, ollamatest.Ask("load"))
	seed := 5
	for _, req := range []model.Request{
		ollamatest.Ask("plain"),
		ollamatest.Ask("picture", ollamatest.Picture(t, 256, 256, color.Black)),
		{Messages: ollamatest.Ask("options").Messages, Temperature: 1, Seed: &seed, MaxTokens: 4, Stop: []string{"x"}},
	} {
		reply := chat(t, client, req)
		if reply.Usage.LoadTime > time.Second {
			t.Errorf("%q: got load time %v, want the loaded model", req.Messages[0].Text, reply.Usage.LoadTime)
		}
	}
}
