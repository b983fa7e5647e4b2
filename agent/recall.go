package agent

import (
	"time"

	"fara/trajectory"
)

// recall brings back what the loop itself remembers.
func (a *Agent) recall(events []trajectory.Event) {
	began := events[0].Started
	a.spoken.system, a.spoken.tools, a.spoken.replies = began.System, began.Tools, a.cfg.Replies
	resumed := time.Duration(0)
	since := events[0].At
	final := 0 // the step of a last word, which was none
	for i, e := range events {
		if e.Warned != nil && e.Warned.Code == codeFinal {
			final = e.Step
		}
		if e.Proposed != nil && e.Proposed.Call != nil && e.Step != final {
			a.step = max(a.step, e.Step)
		}
		a.recallSpoken(e)
		a.recallCounts(e)
		if e.Resumed != nil && e.Resumed.Why == "restart" {
			resumed += events[max(0, i-1)].At.Sub(since)
			since = e.At
		}
	}
	a.timings.Started = events[0].At
	a.before = resumed + events[len(events)-1].At.Sub(since)
}

func (a *Agent) recallSpoken(e trajectory.Event) {
	l := e.Adapted
	if l == nil {
		return
	}
	if l.NoSchema || l.NoTools {
		a.spoken.replies = FreeText
	}
	if l.System != "" {
		a.spoken.system = l.System
	}
	if len(l.Tools) > 0 {
		a.spoken.tools = l.Tools
	}
	if l.MaxPixels > 0 {
		a.spoken.maxPixels = l.MaxPixels
	}
	if l.NoCounts {
		a.spoken.maxPixels = 0
	}
}

func (a *Agent) recallCounts(e trajectory.Event) {
	switch e.Kind {
	case trajectory.KindProposed:
		p := e.Proposed
		a.usage.Usage = a.usage.Usage.Add(p.Usage)
		a.usage.EstimatedTokens += p.EstimatedTokens
		a.usage.Calls++
		a.timings.Model += p.Latency
		if p.Server != "" {
			if a.usage.Servers == nil {
				a.usage.Servers = map[string]int{}
			}
			a.usage.Servers[p.Server]++
		}
		switch {
		case p.Truncated != "":
			a.usage.Truncated++
		case p.Problem != nil:
			a.usage.BadReplies++
		}
	case trajectory.KindActed:
		a.timings.Browser += e.Acted.Took
		if e.Acted.Error == nil {
			a.failures = 0
		} else {
			a.failures++
		}
		if read := e.Acted.Read; read != nil && read.Request != "" {
			a.usage.Usage = a.usage.Usage.Add(read.Usage)
			a.usage.Calls++
			a.timings.Model += read.Latency
		}
	case trajectory.KindDecided:
		if !e.Decided.Allowed {
			a.failures++
		}
	case trajectory.KindVerdict:
		a.usage.Usage = a.usage.Usage.Add(e.Verdict.Usage)
		if e.Verdict.Request != "" {
			a.usage.Calls++
		}
		a.timings.Model += e.Verdict.Latency
	case trajectory.KindEnded:
		a.failures = 0 // whoever goes on has seen to it
	}
}

// speakAgain writes down limits of the prompt that were changed for what is left.
func (a *Agent) speakAgain(events []trajectory.Event) error {
	began := events[0].Started
	now := began.MaxSteps
	for _, e := range events {
		if e.Adapted != nil && e.Adapted.MaxSteps > 0 {
			now = e.Adapted.MaxSteps
		}
	}
	if a.cfg.MaxSteps == now {
		return nil
	}
	return a.record(trajectory.Adapted{MaxSteps: a.cfg.MaxSteps, Why: "the run goes on with another budget"})
}
