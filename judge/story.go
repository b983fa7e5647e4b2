package judge

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"fara/trajectory"
)

// Limits of what a judging model is told, in characters.
const (
	lineLimit     = 300
	textLimitTold = 4_000
	stepsTold     = 12
)

// story is what a run's events tell a judge.
type story struct {
	steps    []string // what was done and what came of it
	replies  []string // what a person said during the run
	frames   []frame
	page     string
	thoughts string
}

type frame struct{ file, mime string }

// storyOf reads the events. Frames are the last most different ones, oldest first.
func storyOf(events []trajectory.Event, most int) story {
	var s story
	for _, e := range events {
		s.add(e)
	}
	if n := len(s.steps); n > stepsTold {
		s.steps = s.steps[n-stepsTold:]
	}
	s.frames = lastOf(s.frames, most)
	return s
}

func (s *story) add(e trajectory.Event) {
	switch {
	case e.Observed != nil:
		s.observed(e.Step, e.Observed)
	case e.Proposed != nil && e.Proposed.Call != nil:
		s.thoughts = e.Proposed.Thoughts
	case e.Decided != nil && !e.Decided.Allowed:
		s.step(e.Step, "not allowed: %s", e.Decided.Text)
	case e.Acting != nil:
		s.step(e.Step, "%s", intent(e.Acting))
	case e.Acted != nil:
		s.acted(e.Step, e.Acted)
	case e.Fact != nil:
		s.step(e.Step, "noted: %s", e.Fact.Text)
	case e.Replied != nil && e.Replied.By == trajectory.Person && e.Replied.Text != "":
		s.replies = append(s.replies, plainLine(e.Replied.Text, lineLimit))
	case e.Recovered != nil:
		s.step(e.Step, "%s", e.Recovered.Text)
	case e.Resumed != nil && e.Resumed.Hands:
		s.step(e.Step, "a person may have used the browser")
	case e.Verdict != nil && !e.Verdict.Accepted && !e.Verdict.Unsure:
		s.step(e.Step, "an earlier answer was rejected: %s", e.Verdict.Reason)
	}
}

func (s *story) observed(step int, o *trajectory.Observed) {
	s.page = plainLine(o.URL, lineLimit)
	if o.Title != "" {
		s.page += "\n" + plainLine(o.Title, lineLimit)
	}
	for _, n := range o.Notes {
		text := n.Text
		if n.Quote != "" {
			text += fmt.Sprintf(" %q", n.Quote)
		}
		s.step(step, "%s", text)
	}
	if n := len(s.frames); o.Frame != "" && (n == 0 || s.frames[n-1].file != o.Frame) {
		s.frames = append(s.frames, frame{o.Frame, o.MIME})
	}
}

func (s *story) acted(step int, a *trajectory.Acted) {
	switch {
	case a.Error != nil:
		s.step(step, "failed: %s", a.Error.Text)
	case a.Read != nil:
		s.step(step, "read the page and asked %q; the answer: %s", a.Read.Question, a.Read.Answer)
	case a.Text != "":
		s.step(step, "%s", a.Text)
	}
}

func (s *story) step(n int, format string, args ...any) {
	s.steps = append(s.steps, plainLine(fmt.Sprintf("step %d: %s", n, fmt.Sprintf(format, args...)), lineLimit))
}

// intent is an action before it is done.
func intent(a *trajectory.Acting) string {
	text := string(a.Action.Kind)
	switch {
	case a.Action.URL != "":
		text += " " + a.Action.URL
	case a.Action.Text != "":
		text += fmt.Sprintf(" %q", a.Action.Text)
	case len(a.Action.Keys) > 0:
		text += " " + strings.Join(a.Action.Keys, "+")
	case a.Action.Point != nil:
		text += " at " + a.Action.Point.String()
	}
	return text
}

// defuse breaks what chat templates and servers take for their own marks.
var defuse = strings.NewReplacer("<|", "< |", "|>", "| >", "[img-", "[img -", "<tool_call", "< tool_call", "</tool_call", "< /tool_call", "<think", "< think", "</think", "< /think")

// plainLine is foreign text as one line.
func plainLine(text string, limit int) string { return defuse.Replace(oneLine(text, limit)) }

// plainText keeps the lines of a foreign text, and its head and tail when it is too
// long.
func plainText(text string, limit int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = plainLine(l, limit)
	}
	text = strings.Join(lines, "\n")
	n := utf8.RuneCountInString(text)
	if n <= limit {
		return text
	}
	r := []rune(text)
	return fmt.Sprintf("%s\n[%d characters left out]\n%s", string(r[:limit/2]), n-limit, string(r[n-limit/2:]))
}

func lastOf[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }
