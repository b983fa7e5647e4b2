package openai

import (
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3"

	"fara/model"
)

// reader puts a reply together from its stream.
type reader struct {
	until    model.Until
	part     func() // called when nothing but the usage is still wanted
	text     strings.Builder
	thinking strings.Builder
	calls    callReader
	name     string
	usage    openai.CompletionUsage
	reason   string // why the server ended the reply; empty while it has not
	enough   bool
}

// take adds a chunk and reports whether to read on. After the finish reason comes
// the usage.
func (r *reader) take(chunk openai.ChatCompletionChunk) bool {
	r.name = chunk.Model
	if chunk.Usage.PromptTokens > 0 {
		r.usage = chunk.Usage
	}
	if len(chunk.Choices) == 0 {
		return true
	}
	choice := chunk.Choices[0]
	if r.enough && strings.TrimSpace(choice.Delta.Content) != "" {
		return false
	}
	if choice.FinishReason != "" {
		r.reason = choice.FinishReason
		r.part()
	}
	r.add(choice.Delta)
	return true
}

func (r *reader) add(delta openai.ChatCompletionChunkChoiceDelta) {
	r.thinking.WriteString(reasoning(delta))
	r.calls.take(delta.RawJSON())
	piece := content(delta)
	if piece == "" {
		return
	}
	r.text.WriteString(piece)
	if !r.enough && r.until != nil && r.until(r.text.String()) {
		r.enough = true
		r.part()
	}
}

// content gives the text, also of a server that sends it in parts.
func content(delta openai.ChatCompletionChunkChoiceDelta) string {
	if !strings.HasPrefix(delta.Content, "[") {
		return delta.Content
	}
	var parts struct {
		Content []struct{ Text string }
	}
	if json.Unmarshal([]byte(delta.RawJSON()), &parts) != nil {
		return delta.Content // a text that begins with a bracket
	}
	var all strings.Builder
	for _, p := range parts.Content {
		all.WriteString(p.Text)
	}
	return all.String()
}

// reasoning reads the field that every server names differently; one that sends
// two names sends the same text in both.
func reasoning(delta openai.ChatCompletionChunkChoiceDelta) string {
	for _, name := range []string{"reasoning_content", "reasoning", "thinking"} {
		var text string
		raw := delta.JSON.ExtraFields[name].Raw()
		if json.Unmarshal([]byte(raw), &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// complete reports whether the server ended the reply, or the caller had enough.
func (r *reader) complete() bool { return r.reason != "" || r.enough }

func (r *reader) reply() model.Reply {
	return model.Reply{
		Text:     r.text.String(),
		Thinking: r.thinking.String(),
		Calls:    r.calls.whole(),
		Finish:   r.finish(),
		Model:    r.name,
		Usage: model.Usage{
			PromptTokens:     int(r.usage.PromptTokens),
			CompletionTokens: int(r.usage.CompletionTokens),
		},
	}
}

func (r *reader) finish() model.Finish {
	switch r.reason {
	case "":
		return model.FinishUntil
	case "length":
		return model.FinishLength
	}
	return model.FinishStop
}
