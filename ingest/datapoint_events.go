package ingest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"fara/model"
	"fara/trajectory"
)

// tell sorts the events into parts.
func (p *dataPoint) tell() error {
	for i, e := range p.events {
		if err := p.part(e); err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	for _, w := range p.own.After {
		if !w.Rejects { // those are among the verdicts
			p.rec.parts = append(p.rec.parts, &words{text: w.Text, by: w.By})
		}
	}
	return nil
}

func (p *dataPoint) part(e dpEvent) error {
	at := p.stamps.read(e.Timestamp)
	more, err := p.ours(e)
	switch {
	case err != nil:
		return err
	case e.Type == "action":
		return p.action(e, at)
	case e.Observation == "tool_output":
		p.came(e, more, at)
	case e.Observation == "user_message":
		p.words(e, more, at)
	case e.Screenshot != "":
		return p.see(e, more, at)
	}
	return nil
}

// see takes a screenshot. Our own export repeats the last frame where nobody looked any
// more.
func (p *dataPoint) see(e dpEvent, more dpExtra, at time.Time) error {
	if more.Looked != nil && !*more.Looked {
		return nil
	}
	s, err := shot(p.dir, e.Screenshot)
	if err != nil {
		return err
	}
	s.url, s.at, s.viewport, s.sent, s.notes, s.tabs = e.URL, at, more.Viewport, more.Size, more.Notes, more.Tabs
	if p.own.mine() {
		s.title = e.PageInfo
	}
	p.rec.parts = append(p.rec.parts, s)
	return nil
}

// came takes an action's outcome, and with it what only our own export says of the
// action.
func (p *dataPoint) came(e dpEvent, more dpExtra, at time.Time) {
	if p.own.mine() {
		for _, part := range slices.Backward(p.rec.parts) {
			if t, ok := part.(*turn); ok {
				t.ours = more.kept(e.Error)
				break
			}
		}
	}
	p.rec.parts = append(p.rec.parts, &outcome{text: e.Output, fault: e.Error, hit: more.Hit, when: at})
}

// words takes a user's message. The first one is the task.
func (p *dataPoint) words(e dpEvent, more dpExtra, at time.Time) {
	var said string
	if json.Unmarshal(e.Content, &said) != nil {
		return
	}
	begun := slices.ContainsFunc(p.rec.parts, func(part any) bool { _, ok := part.(*turn); return ok })
	if e.MessageType == "task" && !begun {
		p.rec.task = pick(p.rec.task, said)
		return
	}
	w := &words{text: said, by: trajectory.Person, when: at}
	if more.By != "" {
		w.by = trajectory.By(more.By)
		w.rejects = e.MessageType == "retry_feedback"
	}
	p.rec.parts = append(p.rec.parts, w)
}

// action takes a reply with what was done about it. The replies before it in the same
// conversation are those that could not be used.
func (p *dataPoint) action(e dpEvent, at time.Time) error {
	t := &turn{}
	for i, m := range e.Talk.Messages {
		t = p.reply(m)
		t.when = at
		if i < len(e.Talk.Messages)-1 {
			t.unused = pick(m.Label, "unused")
			p.rec.parts = append(p.rec.parts, t)
		}
	}
	var content struct {
		Action    string                     `json:"action"`
		Arguments map[string]json.RawMessage `json:"arguments"`
	}
	if err := decode(e.Content, &content); err != nil {
		return fmt.Errorf("content: %w", err)
	}
	t.did, t.thoughts = action(pick(content.Action, e.Name), content.Arguments)
	t.when = at
	p.rec.parts = append(p.rec.parts, t)
	return nil
}

func (p *dataPoint) reply(m dpMessage) *turn {
	p.rec.model = pick(p.rec.model, m.Model)
	return &turn{
		raw: m.Raw, thinking: m.Reasoning, model: m.Model, finish: finish(m.Finish),
		usage: model.Usage{PromptTokens: m.Usage.Prompt, CompletionTokens: m.Usage.Completion},
	}
}
