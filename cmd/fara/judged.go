package main

import (
	"fmt"
	"io"
	"strings"
)

// textJudged tells people what was said of a run.
func textJudged(w io.Writer, j judgedRun) {
	class := ""
	if j.Class != "" {
		class = " (" + j.Class + ")"
	}
	fmt.Fprintf(w, "%s  %s%s; the run ended %s (%s)\n", j.Run, j.Outcome, class, j.Status, j.Reason)
	for _, v := range j.Verdicts {
		word := "rejects"
		switch {
		case v.Accepted:
			word = "accepts"
		case v.Unsure:
			word = "cannot tell"
		}
		fmt.Fprintf(w, "  %-10s  %s%s\n", v.By, word, before(": ", cut(v.Reason, 300), len(v.Checks) == 0))
		for _, c := range v.Checks {
			mark := "no "
			switch {
			case c.Holds:
				mark = "ok "
			case c.Unproven:
				mark = " ? "
			}
			fmt.Fprintf(w, "    %s %s%s\n", mark, cut(c.Text, 200), before("  -> ", cut(c.Found, 200), !c.Holds))
		}
	}
}

// before puts a lead before a text that is to be shown and is not empty.
func before(lead, text string, show bool) string {
	if !show || strings.TrimSpace(text) == "" {
		return ""
	}
	return lead + text
}

// textSummary tells people what all runs came to.
func textSummary(w io.Writer, s summary) {
	runs := "runs"
	if s.Runs == 1 {
		runs = "run"
	}
	fmt.Fprintf(w, "%d %s: %d accepted, %d rejected, %d unproven\n", s.Runs, runs, s.Accepted, s.Rejected, s.Unproven)
	if a := s.Agree; a.Both > 0 {
		fmt.Fprintf(w, "judge and assertions agree on %d of %d", a.Agree(), a.Both)
		if a.OnlyJudgeAccepts+a.OnlyAssertionsAccept > 0 {
			fmt.Fprintf(w, "; only the judge accepts %d, only the assertions accept %d", a.OnlyJudgeAccepts, a.OnlyAssertionsAccept)
		}
		fmt.Fprintln(w)
	}
}
