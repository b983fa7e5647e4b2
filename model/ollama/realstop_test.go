package ollama_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"fara/model"
	"fara/model/ollama"
	"fara/model/ollama/ollamatest"
)

// endlessTokens is the length of a reply that no test waits for.
const endlessTokens = 3000

// endless asks for a reply that its schema keeps from ending early.
func endless() model.Request {
	req := ask("count")
	req.MaxTokens, req.Temperature = endlessTokens, 1
	req.Schema = json.RawMessage(`{"type":"array","minItems":400,"items":{"enum":["aaaaaaaaaa","bbbbbbbbbb"]}}`)
	return req
}

// pace measures how long the server needs for a token, of which each is one
// character of the reply.
type pace struct {
	started  time.Time
	perToken time.Duration
}

// enough reports whether the text is long enough to tell the pace.
func (p *pace) enough(text string) bool {
	const measured = 60
	if p.started.IsZero() {
		p.started = time.Now()
	}
	if len(text) < measured {
		return false
	}
	if p.perToken == 0 {
		p.perToken = time.Since(p.started) / measured
	}
	return true
}

// TestLeavingFreesTheServer leaves a reply that would go on for long and asks
// again at once. A few in a hundred times Ollama 0.17.4 blocks for good when its
// client leaves while it hands on a token, which the fast tiny model provokes; so
// each way of leaving gets three servers, of which one must become free.
func TestLeavingFreesTheServer(t *testing.T) {
	for name, leave := range map[string]func(*testing.T, *ollama.Client) pace{
		"by until":  leaveByUntil,
		"by cancel": leaveByCancel,
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				client := connect(t, ollama.Config{
					Endpoint: ollamatest.Start(t), Model: ollamatest.Vision, Timeout: 10 * time.Second,
				})
				chat(t, client, ask("load"))
				if isFree(t, client, leave(t, client)) {
					return
				}
			}
			t.Error("three servers were still busy after their client had left")
		})
	}
}

func leaveByCancel(t *testing.T, client *ollama.Client) pace {
	gone := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	var p pace
	var cancelled time.Time
	_, err := client.Chat(ctx, endless(), func(text string) bool {
		if p.enough(text) && cancelled.IsZero() {
			cancelled = time.Now()
			cancel(gone)
		}
		return false
	})
	if took := time.Since(cancelled); !errors.Is(err, gone) || took > time.Second {
		t.Errorf("got error %v after %v, want the context's cause within a second", err, took)
	}
	return p
}

func leaveByUntil(t *testing.T, client *ollama.Client) pace {
	var p pace
	reply, err := client.Chat(t.Context(), endless(), p.enough)
	if err != nil {
		t.Fatalf("chat: %v", err)
	}
	if reply.Finish != model.FinishUntil || len(reply.Text) > 200 {
		t.Errorf("got finish %q after %d characters, want %q soon after 60", reply.Finish, len(reply.Text), model.FinishUntil)
	}
	return p
}

// isFree reports whether the next request is answered before the endless one
// could have been half done.
func isFree(t *testing.T, client *ollama.Client, p pace) bool {
	t.Helper()
	start := time.Now()
	_, err := client.Chat(t.Context(), ask("are you free?"), nil)
	took, limit := time.Since(start), p.perToken*endlessTokens/2
	t.Logf("at %v a token the next request took %v, limit %v, error %v", p.perToken, took, limit, err)
	return err == nil && took < limit
}
