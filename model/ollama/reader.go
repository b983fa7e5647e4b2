package ollama

import (
	"errors"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"fara/model"
)

// errEnough ends a stream that the caller has read enough of; leaving makes the
// server stop generating.
var errEnough = errors.New("read enough")

// reader puts a reply together from its stream.
type reader struct {
	until    model.Until
	part     func() // called when until is satisfied
	text     strings.Builder
	thinking strings.Builder
	calls    []model.ToolCall
	enough   bool
	done     bool
	last     api.ChatResponse
}

func (r *reader) take(resp api.ChatResponse) error {
	piece := resp.Message.Content
	if r.enough && strings.TrimSpace(piece) != "" {
		return errEnough
	}
	r.last, r.done = resp, resp.Done
	r.thinking.WriteString(resp.Message.Thinking)
	r.text.WriteString(piece)
	r.calls = append(r.calls, read(resp.Message.ToolCalls)...)
	if piece != "" && !r.enough && r.until != nil && r.until(r.text.String()) {
		r.enough = true
		r.part()
	}
	return nil
}

// complete reports whether the server ended the reply, or the caller had enough.
func (r *reader) complete() bool { return r.done || r.enough }

func (r *reader) reply() model.Reply {
	m := r.last.Metrics
	return model.Reply{
		Text:     r.text.String(),
		Thinking: r.thinking.String(),
		Calls:    r.calls,
		Finish:   r.finish(),
		Model:    r.last.Model,
		Usage: model.Usage{
			PromptTokens:     m.PromptEvalCount,
			CompletionTokens: m.EvalCount,
			PromptTime:       known(m.PromptEvalDuration),
			CompletionTime:   known(m.EvalDuration),
			LoadTime:         known(m.LoadDuration),
		},
	}
}

func (r *reader) finish() model.Finish {
	switch {
	case !r.done:
		return model.FinishUntil
	case r.last.DoneReason == "length":
		return model.FinishLength
	}
	return model.FinishStop
}

// known leaves out what a metric cannot be: Ollama reports a huge negative
// duration for a phase that did not take place.
func known(d time.Duration) time.Duration { return max(0, d) }
