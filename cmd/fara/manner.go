package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"fara/agent"
	"fara/dialect"
	"fara/imagebudget"
	"fara/model"
	"fara/parse"
	"fara/prompt"
	"fara/trajectory"
)

// manner is one way of asking: a dialect, and how its replies get their form.
type manner struct {
	// name is what --dialect takes.
	name    string
	dialect dialect.Dialect
	replies agent.Replies
}

func (m manner) String() string {
	return fmt.Sprintf("dialect %s, replies as %s", m.dialect.Name, m.form())
}

// form names the form of the replies for people.
func (m manner) form() string {
	switch {
	case m.replies == agent.NativeTools:
		return "native tool calls"
	case m.replies == agent.Constrained:
		return "JSON held to a schema"
	case m.dialect.Reply == parse.Object:
		return "one JSON object"
	case m.dialect.Reply == parse.Text:
		return "a line of text"
	}
	return "tagged JSON"
}

// config is a run in this manner that sees one frame.
func (m manner) config(numCtx int) agent.Config {
	return agent.Config{
		Task: aimTask, URL: "https://target.example/", Dialect: m.dialect, Replies: m.replies, MaxImages: 1, NumCtx: numCtx,
	}
}

// request is the first request of a run that sees this frame.
func (m manner) request(frame imagebudget.Frame, numCtx int, temperature float64) (model.Request, error) {
	const file = "frames/1"
	cfg := m.config(numCtx)
	cfg.Temperature = temperature
	started := cfg.Started(frame.Size)
	sum := sha256.Sum256(frame.Image)
	built, err := prompt.Build([]trajectory.Event{
		{Kind: trajectory.KindStarted, Started: &started},
		{Kind: trajectory.KindObserved, Observed: &trajectory.Observed{
			Frame: file, SHA256: hex.EncodeToString(sum[:]), MIME: frame.MIME, Captured: frame.Size, Size: frame.Size,
			Viewport: frame.Viewport, Tokens: m.dialect.Grid.Tokens(frame.Size), URL: started.URL,
		}},
	}, m.dialect, func(string) ([]byte, error) { return frame.Image, nil })
	return built.Request, err
}

// check finds out beforehand whether a run in this manner could work in a context
// of so many tokens.
func (m manner) check(numCtx int) error { return m.config(numCtx).Check() }

// until stops a reply that holds its call.
func (m manner) until() model.Until { return m.replies.Until(m.dialect) }

// read finds a reply's call.
func (m manner) read(reply model.Reply) (model.Call, error) {
	allowed, err := m.dialect.Allowed(m.dialect.System(m.dialect.Viewport))
	if err != nil {
		return model.Call{}, err
	}
	parsed, err := m.dialect.Parse(reply, allowed)
	return parsed.Call, err
}

// point is where a reply points, in the model's own numbers; or why nowhere.
func (m manner) point(reply model.Reply) (*model.Point, string) {
	call, err := m.read(reply)
	switch {
	case err != nil:
		return nil, err.Error()
	case call.Coordinate == nil:
		return nil, fmt.Sprintf("the model answers with %s, not with a click", call.Action)
	}
	return call.Coordinate, ""
}
