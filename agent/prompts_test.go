package agent_test

import (
	"bytes"
	"slices"
	"testing"

	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// checkPrompts computes every request of a run again from its files and
// compares it, byte for byte, with what the model was sent.
func (b *bench) checkPrompts(t *testing.T, run *trajectory.Run) {
	t.Helper()
	sent := map[string]model.Request{}
	for _, req := range b.model.Requests() {
		sent[prompt.Hash(req)] = req
	}
	for i, e := range run.Events {
		if e.Acted != nil && e.Acted.Read != nil {
			b.checkPageRead(t, run, i, sent)
		}
		if e.Kind != trajectory.KindProposed {
			continue
		}
		again, err := prompt.Build(run.Events[:i], b.cfg.Dialect, run.Load)
		if err != nil {
			t.Errorf("event %d: %v", i, err)
			continue
		}
		if got := prompt.Hash(again.Request); got != e.Proposed.Request {
			t.Errorf("event %d: the request comes out with hash %s, recorded is %s", i, got, e.Proposed.Request)
		}
		was, ok := sent[e.Proposed.Request]
		if !ok || !sameMessages(was.Messages, again.Request.Messages) || was.MaxTokens != again.Request.MaxTokens {
			t.Errorf("event %d: the request differs from the one that was sent", i)
		}
		if !slices.Equal(again.Frames, e.Proposed.Frames) {
			t.Errorf("event %d: frames %v, recorded are %v", i, again.Frames, e.Proposed.Frames)
		}
	}
}

// checkPageRead does the same for a question about a page's text.
func (b *bench) checkPageRead(t *testing.T, run *trajectory.Run, at int, sent map[string]model.Request) {
	t.Helper()
	read := run.Events[at].Acted.Read
	page, err := run.Load(read.Page)
	if err != nil {
		t.Fatal(err)
	}
	asked, chars, err := prompt.Page(run.Events[:at], b.cfg.Dialect, string(page), read.Question, read.Chars)
	if err != nil {
		t.Fatal(err)
	}
	again := asked.Request
	was, ok := sent[read.Request]
	if !ok || prompt.Hash(again) != read.Request || chars != read.Chars || !sameMessages(was.Messages, again.Messages) {
		t.Errorf("the question about %s comes out differently, or was never sent", read.Page)
	}
}

func sameMessages(a, b []model.Message) bool {
	return slices.EqualFunc(a, b, func(x, y model.Message) bool {
		return x.Role == y.Role && x.Text == y.Text && slices.EqualFunc(x.Images, y.Images, func(i, j model.Image) bool {
			return i.MIME == j.MIME && bytes.Equal(i.Data, j.Data)
		})
	})
}
