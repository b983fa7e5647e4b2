package prompt_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// checkFrames: exactly the newest frames, as many as there may be.
func (s *tale) checkFrames(p prompt.Prompt) {
	s.t.Helper()
	var may []string
	for i, o := range s.seen {
		newest := true
		for _, later := range s.seen[i+1:] {
			newest = newest && s.d.SkipsUnchanged && later.Frame == o.Frame
		}
		large := s.maxPixels > 0 && o.Size.W*o.Size.H > s.maxPixels
		if s.d.SkipsUnchanged && i > 0 && s.seen[i-1].Frame == o.Frame || large && !newest {
			continue
		}
		may = append(may, o.Frame)
	}
	got := images(p.Request)
	if !slices.Equal(got, p.Frames) {
		s.fail(p, "the request has %v, its record says %v", got, p.Frames)
	}
	n := len(got)
	if n == 0 || n > s.maxImages || n > len(may) || !slices.Equal(got, may[len(may)-n:]) {
		s.fail(p, "got frames %v, want the newest of %v, at most %d", got, may, s.maxImages)
	}
	if steady := s.events[0].Started.Trim == prompt.Steady; !steady && s.numCtx == 0 && n != min(s.maxImages, len(may)) {
		s.fail(p, "got %d frames, want %d", n, min(s.maxImages, len(may)))
	}
}

// checkRoles: user and assistant take turns, the user first and last; a tool
// speaks only right after the call it answers.
func (s *tale) checkRoles(req model.Request) {
	s.t.Helper()
	next, open := model.User, ""
	for i, m := range req.Messages {
		switch {
		case i == 0 && m.Role == model.System && len(m.Images) == 0:
			continue
		case m.Role == model.Tool && open != "" && m.CallID == open:
			open = ""
			continue
		case m.Role != next || open != "":
			s.fail(prompt.Prompt{Request: req}, "message %d is the %s's, want the %s's", i, m.Role, next)
		case m.Role == model.Assistant && len(m.Images) > 0 || m.Text == "" && len(m.Calls) == 0 && m.Role == model.User:
			s.fail(prompt.Prompt{Request: req}, "message %d is empty or has a picture in the wrong place", i)
		}
		next = map[model.Role]model.Role{model.User: model.Assistant, model.Assistant: model.User}[m.Role]
		for _, c := range m.Calls {
			open = c.ID
			if !json.Valid([]byte(c.Arguments)) || c.ID == "" || !s.tools {
				s.fail(prompt.Prompt{Request: req}, "message %d has the call %+v, tools on: %v", i, c, s.tools)
			}
		}
	}
	if next != model.Assistant {
		s.fail(prompt.Prompt{Request: req}, "the last word is not the user's")
	}
}

// checkWords: nothing that must stay is lost, no picture stands as text, and the
// budget is kept.
func (s *tale) checkWords(p prompt.Prompt) {
	s.t.Helper()
	said := transcript(p.Request)
	for _, k := range s.keep {
		if !strings.Contains(said, k) {
			s.fail(p, "%q is lost", k)
		}
	}
	if got := p.Request.Messages[0].Text; got != s.system {
		s.fail(p, "the system prompt is %q, want %q", got, s.system)
	}
	if strings.Contains(said, blob[:1024]) {
		s.fail(p, "a picture stands there as text")
	}
	if s.numCtx > 0 && p.Tokens > s.numCtx-p.Request.MaxTokens {
		s.fail(p, "%d tokens, but only %d-%d fit", p.Tokens, s.numCtx, p.Request.MaxTokens)
	}
	if s.tools != (p.Request.Tools != nil) {
		s.fail(p, "tools: got %s, want them: %v", p.Request.Tools, s.tools)
	}
}

// checkAgain: the same events give the same request, also from the disk.
func (s *tale) checkAgain(p prompt.Prompt) {
	s.t.Helper()
	var log bytes.Buffer
	enc := json.NewEncoder(&log)
	enc.SetEscapeHTML(false)
	for _, e := range s.events {
		if err := enc.Encode(e); err != nil {
			s.t.Fatal(err)
		}
	}
	read, torn, err := trajectory.ParseEvents(log.Bytes())
	if err != nil || torn {
		s.t.Fatal(torn, err)
	}
	for _, events := range [][]trajectory.Event{s.events, read} {
		again, err := prompt.Build(events, s.d, load)
		if err != nil || prompt.Hash(again.Request) != prompt.Hash(p.Request) || again.Tokens != p.Tokens {
			s.fail(p, "built again it differs: %v", err)
		}
	}
}
