package ollamatest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"fara/model"
)

// endlessTokens is the length of a reply that no test waits for.
const endlessTokens = 3000

// Endless asks for a reply that its schema keeps from ending early.
func Endless() model.Request {
	req := Ask("count")
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

// Leaving shows that leaving a reply frees the server. It leaves one that would
// go on for long, in each way there is, and asks again at once. A few in a hundred
// times Ollama 0.17.4 blocks for good when its client leaves while it hands on a
// token, which the fast tiny model provokes; so each way of leaving gets three
// servers, of which one must become free.
func Leaving(t *testing.T, connect func(endpoint string) model.Chatter) {
	for name, leave := range map[string]func(*testing.T, model.Chatter) pace{
		"by until":  leaveByUntil,
		"by cancel": leaveByCancel,
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				client := connect(Start(t))
				if _, err := client.Chat(t.Context(), Ask("load"), nil); err != nil {
					t.Fatalf("chat: %v", err)
				}
				if isFree(t, client, leave(t, client)) {
					return
				}
			}
			t.Error("three servers were still busy after their client had left")
		})
	}
}

func leaveByCancel(t *testing.T, client model.Chatter) pace {
	gone := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	var p pace
	var cancelled time.Time
	_, err := client.Chat(ctx, Endless(), func(text string) bool {
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

func leaveByUntil(t *testing.T, client model.Chatter) pace {
	var p pace
	reply, err := client.Chat(t.Context(), Endless(), p.enough)
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
func isFree(t *testing.T, client model.Chatter, p pace) bool {
	t.Helper()
	start := time.Now()
	_, err := client.Chat(t.Context(), Ask("are you free?"), nil)
	took, limit := time.Since(start), p.perToken*endlessTokens/2
	t.Logf("at %v a token the next request took %v, limit %v, error %v", p.perToken, took, limit, err)
	return err == nil && took < limit
}
