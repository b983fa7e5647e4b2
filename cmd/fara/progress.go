package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"fara/env"
	"fara/model"
	"fara/trajectory"
)

// stepLine is one step as --json prints it, or what happened in one.
type stepLine struct {
	Type     string      `json:"type"` // "step", or the kind of an event
	Step     int         `json:"step"`
	Action   string      `json:"action"`
	Thoughts string      `json:"thoughts,omitempty"`
	Call     *model.Call `json:"call,omitempty"`
	// Point is in viewport CSS pixels.
	Point    *env.Point          `json:"point,omitempty"`
	URL      string              `json:"url,omitempty"`
	Outcome  string              `json:"outcome,omitempty"`
	Error    *trajectory.Problem `json:"error,omitempty"`
	Answer   string              `json:"page_answer,omitempty"`
	Repairs  []string            `json:"repairs,omitempty"`
	BadReply *trajectory.Problem `json:"bad_reply,omitempty"`
	// Clamped: the model's point lay a little outside and was moved to the edge.
	Clamped bool `json:"clamped,omitempty"`
	// Truncated is why the server seems not to have read the whole request.
	Truncated string              `json:"truncated,omitempty"`
	Adapted   *trajectory.Adapted `json:"adapted,omitempty"`
	// What happened, by Type.
	Asked   *trajectory.Asked   `json:"asked,omitempty"`
	Verdict *trajectory.Verdict `json:"verdict,omitempty"`
	Warned  *trajectory.Warned  `json:"warned,omitempty"`
	Paused  *trajectory.Paused  `json:"paused,omitempty"`
	Resumed *trajectory.Resumed `json:"resumed,omitempty"`
}

// progress puts a run's events together into steps and shows each.
type progress struct {
	show func(stepLine)
	now  stepLine
}

// event takes one event; a step is shown as soon as its outcome is known.
func (p *progress) event(e trajectory.Event) {
	switch e.Kind {
	case trajectory.KindAdapted:
		learned := *e.Adapted
		learned.System, learned.Tools = "", nil // words of ours, and long
		p.show(stepLine{Type: "adapted", Step: e.Step, URL: p.now.URL, Adapted: &learned})
	case trajectory.KindAsked, trajectory.KindWarned, trajectory.KindPaused, trajectory.KindResumed:
		p.show(stepLine{Type: string(e.Kind), Step: e.Step, URL: p.now.URL, Asked: e.Asked, Warned: e.Warned, Paused: e.Paused, Resumed: e.Resumed})
	case trajectory.KindVerdict:
		p.judged(e)
	case trajectory.KindObserved:
		p.now = stepLine{Type: "step", Step: e.Step, URL: e.Observed.URL}
	case trajectory.KindProposed:
		p.proposed(e.Proposed)
	case trajectory.KindDecided:
		if !e.Decided.Allowed {
			if p.now.Action == "" { // a page that was come to, and not an action
				p.now = stepLine{Type: "step", Step: e.Step, Action: "page"}
			}
			p.done(stepLine{Error: &trajectory.Problem{Reason: e.Decided.Code, Text: e.Decided.Text}})
		}
	case trajectory.KindActing:
		if p.now.Action == "" { // the runtime's own: the first visit, or leaving a page
			p.now = stepLine{Type: "step", Step: e.Step, Action: string(e.Acting.Action.Kind), URL: e.Acting.Action.URL}
		}
		p.now.Point, p.now.Clamped = e.Acting.Action.Point, e.Acting.Clamped
	case trajectory.KindActed:
		line := stepLine{Outcome: e.Acted.Text, Error: e.Acted.Error}
		if e.Acted.Read != nil {
			line.Answer = e.Acted.Read.Answer
		}
		p.done(line)
	case trajectory.KindEnded:
		if p.now.Action != "" {
			p.done(stepLine{})
		}
	}
}

// judged shows a verdict, and the answer's step when that was rejected.
func (p *progress) judged(e trajectory.Event) {
	v := *e.Verdict
	v.Raw = "" // the judging model's own words, in the log
	p.show(stepLine{Type: string(e.Kind), Step: e.Step, URL: p.now.URL, Verdict: &v})
	if !v.Accepted && !v.Unsure && p.now.Action != "" {
		p.done(stepLine{Outcome: "the answer was rejected"})
	}
}

func (p *progress) proposed(r *trajectory.Proposed) {
	if r.Truncated != "" {
		p.show(stepLine{Type: "step", Step: p.now.Step, URL: p.now.URL, Truncated: r.Truncated})
		return
	}
	if r.Problem != nil {
		p.show(stepLine{Type: "step", Step: p.now.Step, URL: p.now.URL, BadReply: r.Problem})
		return
	}
	p.now.Action, p.now.Thoughts, p.now.Call, p.now.Repairs = r.Call.Action, r.Thoughts, r.Call, r.Repairs
}

func (p *progress) done(line stepLine) {
	p.now.Outcome, p.now.Error, p.now.Answer = line.Outcome, line.Error, line.Answer
	p.show(p.now)
	p.now = stepLine{}
}

// jsonSteps shows steps as JSON lines.
func jsonSteps(w io.Writer) func(stepLine) {
	return func(l stepLine) { writeLine(w, l) }
}

// textSteps shows steps to people. What is typed is not shown: this output ends
// up in logs.
func textSteps(w io.Writer) func(stepLine) {
	return func(l stepLine) {
		what := l.Action + detail(l.Call)
		switch {
		case l.Truncated != "":
			what = "truncated: " + l.Truncated + "; the reply is not used"
		case l.Adapted != nil:
			what = "goes on with " + lesson(l.Adapted) + " since " + l.Adapted.Why
		case l.Type != "step":
			what = happened(l)
		case l.BadReply != nil:
			what = "reply without a usable call: " + l.BadReply.Text
		case l.Error != nil:
			what += " failed: " + l.Error.Text
		case l.Outcome != "" && l.Action != string(env.Type):
			what += ": " + l.Outcome
		}
		if l.Thoughts != "" {
			fmt.Fprintf(w, "     %s\n", cut(l.Thoughts, 160))
		}
		fmt.Fprintf(w, "%3d  %s\n", l.Step, cut(what, 240))
	}
}

// happened says what happened in a step beside its action.
func happened(l stepLine) string {
	switch {
	case l.Asked != nil && l.Asked.Approval == nil && l.Asked.Captcha == "":
		return "asks: " + plain(l.Asked.Question)
	case l.Asked != nil:
		return "waits for a person: " + plain(l.Asked.Question)
	case l.Verdict != nil:
		return verdictText(l.Verdict)
	case l.Warned != nil:
		return "the model is told: " + plain(l.Warned.Text)
	case l.Paused != nil:
		return "holds still"
	case l.Resumed != nil && l.Resumed.Uncertain != nil:
		return fmt.Sprintf("goes on; it is not known whether %s was done", l.Resumed.Uncertain.Kind)
	}
	return "goes on"
}

func verdictText(v *trajectory.Verdict) string {
	switch {
	case v.Accepted:
		return "accepted by " + v.By
	case v.Unsure:
		return fmt.Sprintf("%s cannot tell (%s): %s", v.By, v.Class, plain(v.Reason))
	}
	return fmt.Sprintf("rejected by %s (%s): %s", v.By, v.Class, plain(v.Reason))
}

// lesson is what holds from here on.
func lesson(a *trajectory.Adapted) string {
	var parts []string
	if a.MaxImages > 0 {
		parts = append(parts, fmt.Sprintf("at most %d frames in a request", a.MaxImages))
	}
	if a.NumCtx > 0 {
		parts = append(parts, fmt.Sprintf("a context of %d tokens", a.NumCtx))
	}
	if a.MaxPixels > 0 {
		parts = append(parts, fmt.Sprintf("frames of at most %d pixels", a.MaxPixels))
	}
	if a.NoCounts {
		parts = append(parts, "no trust in the server's counts of tokens")
	}
	if a.NoSchema {
		parts = append(parts, "replies that are not held to a form")
	}
	if a.NoTools {
		parts = append(parts, "the actions in the prompt's text")
	}
	return strings.Join(parts, ", ")
}

// detail is what a call says beside its action, without what it types.
func detail(c *model.Call) string {
	switch {
	case c == nil:
		return ""
	case c.Text != nil:
		return fmt.Sprintf(" (%d characters)", utf8.RuneCountInString(*c.Text))
	case c.Question != nil:
		return " " + *c.Question
	}
	return ""
}

func writeLine(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // a closed stdout is not this program's to mend
}

// resultLine is a result as --json prints it, last.
type resultLine struct {
	Type string `json:"type"` // "result"
	trajectory.Result
}

// textResult tells a person how a run ended.
func textResult(w io.Writer, r trajectory.Result) {
	fmt.Fprintf(w, "%s (%s) after %d steps: %s\n", r.Status, r.Reason, r.Steps, cut(r.Message, 500))
	if r.Usage.EstimatedTokens > 0 {
		fmt.Fprintf(w, "prompts: %d tokens by our estimate, %d by the server's count%s\n", r.Usage.EstimatedTokens, r.Usage.PromptTokens, cutOff(r.Usage.Truncated))
	}
	if r.Answer != "" {
		fmt.Fprintf(w, "answer: %s\n", plain(r.Answer))
	}
	for _, e := range r.Effects {
		fmt.Fprintf(w, "done in step %d: %s\n", e.Step, effect(e))
	}
	fmt.Fprintf(w, "run: %s\n", r.Dir)
	if r.Resume != "" {
		fmt.Fprintf(w, "go on: %s\n", r.Resume)
	}
}

// effect is what a run did that its ending does not take back.
func effect(e trajectory.Effect) string {
	text := fmt.Sprintf("%s (%s)", e.Action, strings.Join(e.Classes, ", "))
	if e.Text != "" {
		text += ": " + plain(e.Text)
	}
	if e.Uncertain {
		text += ", or perhaps not"
	}
	return cut(text, 240)
}

// cutOff says how many requests the server seems to have cut.
func cutOff(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %d truncated", n)
}
