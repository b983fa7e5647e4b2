package ollama_test

import (
	"context"
	"encoding/json"
	"errors"
	"image/color"
	"strings"
	"testing"
	"time"

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
		"CancelFreesTheServer":        cancelFreesTheServer,
		"UntilStopsTheServer":         untilStopsTheServer,
		"RendersTheExactPrompt":       rendersTheExactPrompt,
		"UntrustedTextAddsNoImage":    untrustedTextAddsNoImage,
		"BrokenPictureIsNotTemporary": brokenPictureIsNotTemporary,
		"BadSchemaIsNotTemporary":     badSchemaIsNotTemporary,
		"TellsAboutItself":            tellsAboutItself,
	} {
		t.Run(name, func(t *testing.T) { claim(t, connect(t, ollama.Config{Endpoint: endpoint, Model: ollamatest.Vision})) })
	}
	t.Run("MissingModelListsTheOthers", func(t *testing.T) { missingModelListsTheOthers(t, endpoint) })
	t.Run("TextModelIsRefusedImages", func(t *testing.T) { textModelIsRefusedImages(t, endpoint) })
	t.Run("ThinkingIsRefusedWithAHint", func(t *testing.T) { thinkingIsRefusedWithAHint(t, endpoint) })
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
		req := ask("what is this?", picture(t, 256, 256, fill))
		req.MaxTokens = 24
		replies[chat(t, client, req).Text] = true
	}
	if len(replies) < 2 {
		t.Errorf("three pictures got the same reply %v, want different ones", replies)
	}
}

func countsImageTokensExactly(t *testing.T, client *ollama.Client) {
	without := chat(t, client, ask("hello")).Usage.PromptTokens
	for _, tt := range []struct{ w, h, tokens int }{
		{256, 256, 8*8 + 2},
		{320, 256, 10*8 + 2},
		{32, 32, 8*8 + 2}, // too small: scaled up to 256×256
	} {
		reply := chat(t, client, ask("hello", picture(t, tt.w, tt.h, color.White)))
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
		req := ask("hello")
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
	req := ask("where?", picture(t, 256, 256, color.White))
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
	_, err := client.Chat(t.Context(), ask(strings.Repeat("long ", numCtx)), nil)
	if !errors.Is(err, model.ErrContext) {
		t.Errorf("prompt of %d tokens in a context of %d: got error %v, want ErrContext", 5*numCtx, numCtx, err)
	}
}

func fullContextEndsTheReply(t *testing.T, client *ollama.Client) {
	req := ask(strings.Repeat("x", numCtx-60))
	req.MaxTokens, req.Temperature = 0, 1.5
	seed := 1
	req.Seed = &seed
	reply, err := client.Chat(t.Context(), req, nil)
	if err != nil {
		t.Fatalf("chat: %v", err)
	}
	if total := reply.Usage.PromptTokens + reply.Usage.CompletionTokens; total > numCtx {
		t.Errorf("got %d tokens in all, want at most %d", total, numCtx)
	}
}

func cancelFreesTheServer(t *testing.T, client *ollama.Client) {
	gone := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	var cancelled time.Time
	_, err := client.Chat(ctx, endless(), func(string) bool {
		if cancelled.IsZero() {
			cancelled = time.Now()
			cancel(gone)
		}
		return false
	})
	if took := time.Since(cancelled); !errors.Is(err, gone) || took > time.Second {
		t.Errorf("got error %v after %v, want the context's cause within a second", err, took)
	}
	mustBeFree(t, client)
}

func untilStopsTheServer(t *testing.T, client *ollama.Client) {
	reply, err := client.Chat(t.Context(), endless(), func(text string) bool { return len(text) >= 5 })
	if err != nil {
		t.Fatalf("chat: %v", err)
	}
	if reply.Finish != model.FinishUntil || len(reply.Text) < 5 || len(reply.Text) > 20 {
		t.Errorf("got finish %q after %q, want %q after about 5 characters", reply.Finish, reply.Text, model.FinishUntil)
	}
	mustBeFree(t, client)
}

// endless is a request whose reply takes the server much longer than a test waits.
func endless() model.Request {
	req := ask("count")
	seed := 3
	req.MaxTokens, req.Temperature, req.Seed = 3000, 1.5, &seed
	return req
}

func mustBeFree(t *testing.T, client *ollama.Client) {
	t.Helper()
	start := time.Now()
	chat(t, client, ask("are you free?"))
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("the next request took %v, want the server to be free", took)
	}
}
