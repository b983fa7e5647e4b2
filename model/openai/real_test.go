package openai_test

import (
	"encoding/json"
	"errors"
	"image/color"
	"slices"
	"strings"
	"testing"

	"fara/model"
	"fara/model/ollama/ollamatest"
	"fara/model/openai"
)

// TestRealServer holds the client's claims against Ollama's OpenAI-compatible API.
func TestRealServer(t *testing.T) {
	endpoint := ollamatest.Start(t)
	for name, claim := range map[string]func(*testing.T, *openai.Client){
		"CountsImageTokensExactly":    countsImageTokensExactly,
		"SchemaHoldsTheReply":         schemaHoldsTheReply,
		"SameSeedRepeatsTheReply":     sameSeedRepeatsTheReply,
		"BrokenPictureIsNotTemporary": brokenPictureIsNotTemporary,
		"ListsModels":                 listsModels,
	} {
		t.Run(name, func(t *testing.T) {
			claim(t, connect(t, openai.Config{Endpoint: endpoint, Model: ollamatest.Vision}))
		})
	}
	t.Run("MissingModelListsTheOthers", func(t *testing.T) { missingModelListsTheOthers(t, endpoint) })
}

func connect(t *testing.T, cfg openai.Config) *openai.Client {
	t.Helper()
	client, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func chat(t *testing.T, client *openai.Client, req model.Request) model.Reply {
	t.Helper()
	reply, err := client.Chat(t.Context(), req, nil)
	if err != nil {
		t.Fatalf("chat: %v", err)
	}
	return reply
}

func countsImageTokensExactly(t *testing.T, client *openai.Client) {
	count := func(w, h int) int {
		return chat(t, client, ollamatest.Ask("hello", ollamatest.Picture(t, w, h, color.White))).Usage.PromptTokens
	}
	small := count(256, 256)
	for _, tt := range []struct{ w, h, more int }{{320, 256, 16}, {256, 320, 16}, {32, 32, 0}} {
		if got := count(tt.w, tt.h) - small; got != tt.more {
			t.Errorf("%d×%d picture: got %d tokens more than 256×256, want %d", tt.w, tt.h, got, tt.more)
		}
	}
	if bare := chat(t, client, ollamatest.Ask("hello")).Usage.PromptTokens; small < bare+66 {
		t.Errorf("got %d tokens with a picture and %d without, want at least 66 more", small, bare)
	}
}

func schemaHoldsTheReply(t *testing.T, client *openai.Client) {
	req := ollamatest.Ask("where?", ollamatest.Picture(t, 256, 256, color.White))
	req.MaxTokens = 400
	req.Schema = json.RawMessage(`{"type":"object","required":["action"],"additionalProperties":false,
		"properties":{"action":{"enum":["click","wait"]}}}`)
	reply := chat(t, client, req)
	var got struct{ Action string }
	if err := json.Unmarshal([]byte(reply.Text), &got); err != nil || got.Action != "click" && got.Action != "wait" {
		t.Errorf("got reply %q (%v), want what the schema allows", reply.Text, err)
	}
}

func sameSeedRepeatsTheReply(t *testing.T, client *openai.Client) {
	say := func(seed int) string {
		req := ollamatest.Ask("hello")
		req.Temperature, req.Seed, req.MaxTokens = 1, &seed, 24
		return chat(t, client, req).Text
	}
	first := say(1)
	if again, other := say(1), say(2); again != first || other == first {
		t.Errorf("seeds 1, 1, 2: got %q, %q, %q, want the third to differ", first, again, other)
	}
}

func brokenPictureIsNotTemporary(t *testing.T, client *openai.Client) {
	req := ollamatest.Ask("hello", model.Image{Data: []byte("no picture"), MIME: "image/png"})
	if _, err := client.Chat(t.Context(), req, nil); err == nil || model.Temporary(err) {
		t.Errorf("got error %v, want one that is not worth repeating", err)
	}
}

func listsModels(t *testing.T, client *openai.Client) {
	info, err := client.Info(t.Context())
	if want := []string{"tiny-text:latest", "tiny-vl:latest"}; err != nil || !slices.Equal(info.Models, want) {
		t.Errorf("got models %v and error %v, want %v", info.Models, err, want)
	}
	// Its own API alone can ask for another context.
	if info.Name() != "Ollama 0.17.4" || info.Context().Tokens == 0 {
		t.Errorf("got %q with context %+v, want Ollama 0.17.4 and what it loads models with", info.Name(), info.Context())
	}
}

func missingModelListsTheOthers(t *testing.T, endpoint string) {
	_, err := connect(t, openai.Config{Endpoint: endpoint, Model: "nope"}).Chat(t.Context(), ollamatest.Ask("hello"), nil)
	if !errors.Is(err, model.ErrNotFound) || !strings.Contains(err.Error(), "available: tiny-text:latest, tiny-vl:latest") {
		t.Errorf("got error %v, want ErrNotFound with the models there are", err)
	}
}
