package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"fara/dialect"
	"fara/model"
	"fara/trajectory"
)

// ErrOverflow: the task, the user's words, the facts and one frame alone are
// more than the context takes.
var ErrOverflow = errors.New("one frame and the task do not fit into the context")

// ErrNothingSeen: there is no observation to ask about.
var ErrNothingSeen = errors.New("nothing was observed yet")

// Prompt is a request with what is in it.
type Prompt struct {
	Request model.Request
	// Frames are the files of the frames in it, oldest first.
	Frames []string
	// Tokens is what it is thought to cost, FrameTokens the frames' part of it.
	Tokens, FrameTokens int
	// TextChars is its text in characters.
	TextChars int

	messages []message
	story    *story
}

// Load gives the bytes of a frame's file.
type Load func(file string) ([]byte, error)

// Build gives the request that follows the events: what the model is asked
// next. Only events[0], which starts the run, and what follows it matter.
//
// It carries the run's MaxImages newest frames, or fewer by its way to trim, and
// fewer when the context is known and does not take them; then the oldest
// turns' words go too. The task, the user's words, the memorised facts and the
// newest frame are always there, and user and assistant take turns. It returns
// ErrOverflow when what must be there alone does not fit.
func Build(events []trajectory.Event, d dialect.Dialect, load Load) (Prompt, error) {
	s, err := read(events, d)
	if err != nil {
		return Prompt{}, err
	}
	if len(s.turns) == 0 {
		return Prompt{}, ErrNothingSeen
	}
	l, err := s.fit()
	if err != nil {
		return Prompt{}, err
	}
	p := Prompt{messages: s.compose(l), FrameTokens: s.pictureCost(l), story: s}
	size := s.size(p.messages)
	p.TextChars, p.Tokens = size.chars, s.counts.text(size)+p.FrameTokens
	for _, at := range l.pictures {
		p.Frames = append(p.Frames, s.turns[at].seen.Frame)
	}
	p.Request = model.Request{
		Temperature: s.started.Temperature, Seed: s.started.Seed, MaxTokens: s.replyTokens(),
		Schema: s.limits.schema, Tools: s.limits.tools,
	}
	p.Request.Messages, err = attach(p.messages, load)
	return p, err
}

// Until gives the events before the first reply of a step: what Build was asked
// for it. It is false when the run has no such step.
func Until(events []trajectory.Event, step int) ([]trajectory.Event, bool) {
	for i, e := range events {
		if e.Kind == trajectory.KindProposed && e.Step == step {
			return events[:i], true
		}
	}
	return nil, false
}

// Hash is the fingerprint of a request, all of it: SHA-256, in hex.
func Hash(req model.Request) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	head := []any{req.Temperature, req.MaxTokens, req.Seed, req.Stop, req.Schema}
	if len(req.Tools) > 0 {
		head = append(head, req.Tools)
	}
	enc.Encode(head)
	for _, m := range req.Messages {
		line := []string{string(m.Role), m.Text}
		for _, img := range m.Images {
			sum := sha256.Sum256(img.Data)
			line = append(line, img.MIME, hex.EncodeToString(sum[:]))
		}
		if m.CallID != "" {
			line = append(line, "answers", m.CallID)
		}
		for _, c := range m.Calls {
			line = append(line, "calls", c.ID, c.Name, c.Arguments)
		}
		enc.Encode(line) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// attach reads the frames into the messages.
func attach(msgs []message, load Load) ([]model.Message, error) {
	out := make([]model.Message, len(msgs))
	for i, m := range msgs {
		out[i] = model.Message{Role: m.role, Text: m.text, CallID: m.callID}
		if m.call != nil {
			out[i].Calls = []model.ToolCall{*m.call}
		}
		if m.frame == nil {
			continue
		}
		data, err := load(m.frame.Frame)
		if err != nil {
			return nil, fmt.Errorf("frame %s: %w", m.frame.Frame, err)
		}
		out[i].Images = []model.Image{{Data: data, MIME: m.frame.MIME}}
	}
	return out, nil
}
