package agent

import (
	"fmt"

	"fara/env"
	"fara/trajectory"
)

// effects are what a run has done that its ending does not undo: actions of a
// class that somebody could have been asked about, and downloads.
func effects(events []trajectory.Event) []trajectory.Effect {
	var out []trajectory.Effect
	var page string
	var decided *trajectory.Decided
	var acting *trajectory.Effect
	for _, e := range events {
		switch e.Kind {
		case trajectory.KindObserved:
			page, decided = e.Observed.URL, nil
			out = append(out, downloads(e)...)
		case trajectory.KindDecided:
			decided = e.Decided
		case trajectory.KindActing:
			acting = begun(e, decided, page)
		case trajectory.KindResumed:
			if acting != nil {
				acting.Uncertain = true
				out = append(out, *acting)
			}
			acting = nil
		case trajectory.KindActed:
			if acting != nil && possible(e.Acted) {
				acting.Text = e.Acted.Text
				acting.Uncertain = e.Acted.Error != nil
				out = append(out, *acting)
			}
			acting, decided = nil, nil
		}
	}
	if acting != nil {
		acting.Uncertain = true
		out = append(out, *acting)
	}
	return out
}

// begun is an action under way as an effect; nil when it has none.
func begun(e trajectory.Event, decided *trajectory.Decided, page string) *trajectory.Effect {
	if decided == nil || len(decided.Classes) == 0 {
		return nil
	}
	return &trajectory.Effect{Step: e.Step, Action: string(e.Acting.Action.Kind), Classes: decided.Classes, URL: page}
}

// possible reports whether an action may have had its effect although it failed.
func possible(a *trajectory.Acted) bool {
	if a.Error == nil {
		return true
	}
	switch env.Code(a.Error.Reason) {
	case env.TimedOut, env.PageFailed, "unknown":
		return true
	}
	return false
}

func downloads(e trajectory.Event) []trajectory.Effect {
	var out []trajectory.Effect
	for _, n := range e.Observed.Notes {
		if n.Kind == env.NoteDownload {
			out = append(out, trajectory.Effect{Step: e.Step, Action: string(n.Kind), Classes: []string{"download"}, Text: fmt.Sprintf("%s %s", n.Text, n.Quote), URL: e.Observed.URL})
		}
	}
	return out
}
