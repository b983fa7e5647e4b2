package agent

import (
	"reflect"

	"fara/env"
	"fara/policy"
	"fara/trajectory"
)

// questioned is what the policy says about the question that the page asked when the
// same action was done on the same thing before, and that was answered with no: who
// does it again wants a yes.
func (a *Agent) questioned(action env.Action, hit *env.Element) policy.Decision {
	worst := policy.Decision{Do: policy.Allow, Code: policy.CodeDefault}
	var decided *trajectory.Decided
	var acting *trajectory.Acting
	for _, e := range a.run.Events() {
		switch e.Kind {
		case trajectory.KindDecided:
			decided, acting = e.Decided, nil
		case trajectory.KindActing:
			acting = e.Acting
		case trajectory.KindObserved:
			if acting != nil && decided != nil && sameTarget(action, acting.Action, decided.Hit, hit) {
				worst = a.strictest(worst, e.Observed)
			}
			acting = nil
		}
	}
	return worst
}

// strictest is the strictest of a decision and those about the questions that a page
// asked and that were answered with no.
func (a *Agent) strictest(worst policy.Decision, seen *trajectory.Observed) policy.Decision {
	for _, n := range seen.Notes {
		if n.Kind != env.NoteDeclined {
			continue
		}
		if d := a.cfg.Policy.Question(n.Quote, seen.URL); d.Stricter(worst) {
			worst = d
		}
	}
	return worst
}

// sameTarget reports whether an action works on what an earlier one worked on.
func sameTarget(now, before env.Action, hitBefore, hit *env.Element) bool {
	if now.Kind != before.Kind || !reflect.DeepEqual(now.Keys, before.Keys) {
		return false
	}
	return hit != nil && hitBefore != nil && changed(hitBefore, hit) == ""
}

// sure reports whether the decision that was just written down allows what an action
// does by name: a person did, or a rule.
func (a *Agent) sure() bool {
	events := a.run.Events()
	for i := len(events) - 1; i >= 0; i-- {
		if d := events[i].Decided; d != nil {
			switch d.Code {
			case codeApproved, codeApprovedSite, policy.CodeNever, policy.CodeRuleAllow:
				return d.Allowed
			}
			return false
		}
	}
	return false
}
