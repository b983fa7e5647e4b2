package ollama_test

import (
	"encoding/json"
	"errors"
	"image/color"
	"strings"
	"testing"

	"fara/model"
	"fara/model/ollama"
	"fara/model/ollama/ollamatest"
)

// numCtx is the same for all subtests, so that the server loads each model once.
const numCtx = 4096

// TestRealServer holds the client's claims against a real Ollama.
func TestRealServer(t *testing.T) {
	endpoint := ollamatest.Start(t)
	for name, claim := range map[string]func(*testing.T, *ollama.Client){
		"SeesThePicture":              seesThePicture,
		"CountsImageTokensExactly":    countsImageTokensExactly,
		"SameSeedRepeatsTheReply":     sameSeedRepeatsTheReply,
		"SchemaHoldsTheReply":         schemaHoldsTheReply,
		"LongPromptIsRefusedNotCut":   longPromptIsRefusedNotCut,
		"FullContextEndsTheReply":     fullContextEndsTheReply,
		"RendersTheExactPrompt":       rendersTheExactPrompt,
		"UntrustedTextAddsNoImage":    untrustedTextAddsNoImage,
		"BrokenPictureIsNotTemporary": brokenPictureIsNotTemporary,
		"BadSchemaIsNotTemporary":     badSchemaIsNotTemporary,
		"TellsAboutItself":            tellsAboutItself,
		"ToolsAreRendered":            toolsAreRendered,
		"ToolsAndSchemaGoTogether":    toolsAndSchemaGoTogether,
		"PicturesThatFail":            picturesThatFail,
		"AnyMixLoadsOnce":             anyMixLoadsOnce,
	} {
		t.Run(name, func(t *testing.T) { claim(t, connect(t, ollama.Config{Endpoint: endpoint, Model: ollamatest.Vision})) })
	}
	t.Run("MissingModelListsTheOthers", func(t *testing.T) { missingModelListsTheOthers(t, endpoint) })
	t.Run("TextModelIsRefusedImages", func(t *testing.T) { textModelIsRefusedImages(t, endpoint) })
	t.Run("ThinkingIsRefusedWithAHint", func(t *testing.T) { thinkingIsRefusedWithAHint(t, endpoint) })
	t.Run("TextModelHasNoTools", func(t *testing.T) { textModelHasNoTools(t, endpoint) })
	t.Run("LoadsOnce", func(t *testing.T) { loadsOnce(t, endpoint) })
}

func connect(t *testing.T, cfg ollama.Config) *ollama.Client {
	t.Helper()
	cfg.NumCtx = numCtx
	client, err := ollama.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func chat(t *testing.T, client *ollama.Client, req model.Request) model.Reply {
	t.Helper()
	reply, err := client.Chat(t.Context(), req, nil)
	if err != nil {
		t.Fatalf("chat: %v", err)
	}
	return reply
}

func seesThePicture(t *testing.T, client *ollama.Client) {
	replies := map[string]bool{}
	for _, fill := range []color.Gray{{Y: 0}, {Y: 90}, {Y: 255}} {
		req := ollamatest.Ask("what is this?", ollamatest.Picture(t, 256, 256, fill))
		req.MaxTokens = 24
		replies[chat(t, client, req).Text] = true
	}
	if len(replies) < 2 {
		t.Errorf("three pictures got the same reply %v, want different ones", replies)
	}
}

func countsImageTokensExactly(t *testing.T, client *ollama.Client) {
	without := chat(t, client, ollamatest.Ask("hello")).Usage.PromptTokens
	for _, tt := range []struct{ w, h, tokens int }{
		{256, 256, 8*8 + 2},
		{320, 256, 10*8 + 2},
		{32, 32, 8*8 + 2}, // too small: scaled up to 256×256
	} {
		reply := chat(t, client, ollamatest.Ask("hello", ollamatest.Picture(t, tt.w, tt.h, color.White)))
		if got := reply.Usage.PromptTokens - without; got != tt.tokens {
			t.Errorf("%d×%d picture: got %d tokens, want %d", tt.w, tt.h, got, tt.tokens)
		}
		if reply.Usage.PromptTime <= 0 || reply.Model != ollamatest.Vision {
			t.Errorf("%d×%d picture: got usage %+v of %q, want a time and the model's name", tt.w, tt.h, reply.Usage, reply.Model)
		}
	}
}

func sameSeedRepeatsTheReply(t *testing.T, client *ollama.Client) {
	say := func(seed int) string {
		req := ollamatest.Ask("hello")
		req.Temperature, req.Seed, req.MaxTokens = 1, &seed, 24
		return chat(t, client, req).Text
	}
	first := say(1)
	if again := say(1); again != first {
		t.Errorf("seed 1: got %q, then %q, want the same", first, again)
	}
	if other := say(2); other == first {
		t.Errorf("seeds 1 and 2 both gave %q, want different replies", other)
	}
}

func schemaHoldsTheReply(t *testing.T, client *ollama.Client) {
	req := ollamatest.Ask("where?", ollamatest.Picture(t, 256, 256, color.White))
	req.MaxTokens = 400
	req.Schema = json.RawMessage(`{"type":"object","required":["action","x"],"additionalProperties":false,
		"properties":{"action":{"enum":["click","wait"]},"x":{"type":"integer","minimum":0,"maximum":1000}}}`)
	reply := chat(t, client, req)
	var got struct {
		Action string
		X      int
	}
	if err := json.Unmarshal([]byte(reply.Text), &got); err != nil {
		t.Fatalf("reply %q: %v", reply.Text, err)
	}
	if got.Action != "click" && got.Action != "wait" || got.X < 0 || got.X > 1000 {
		t.Errorf("got %+v, want what the schema allows", got)
	}
}

func longPromptIsRefusedNotCut(t *testing.T, client *ollama.Client) {
	_, err := client.Chat(t.Context(), ollamatest.Ask(strings.Repeat("long ", numCtx)), nil)
	if !errors.Is(err, model.ErrContext) {
		t.Errorf("prompt of %d tokens in a context of %d: got error %v, want ErrContext", 5*numCtx, numCtx, err)
	}
}

func fullContextEndsTheReply(t *testing.T, client *ollama.Client) {
	req := ollamatest.Endless()
	req.Messages[0].Text = strings.Repeat("x", numCtx-60)
	reply := chat(t, client, req)
	total := reply.Usage.PromptTokens + reply.Usage.CompletionTokens
	if reply.Finish != model.FinishLength || total > numCtx+1 { // the last token is said but no longer read
		t.Errorf("got finish %q after %d tokens in all, want %q and at most %d", reply.Finish, total, model.FinishLength, numCtx)
	}
}
