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
	none := policy.Decision{Do: policy.Allow, Code: policy.CodeDefault}
	worst := none
	var decided *trajectory.Decided
	var acting *trajectory.Acting
	for _, e := range a.run.Events() {
		switch {
		case e.Decided != nil:
			decided, acting = e.Decided, nil
		case e.Acting != nil:
			acting = e.Acting
		case e.Observed != nil && acting != nil && decided != nil && sameTarget(action, acting.Action, decided.Hit, hit):
			for _, n := range e.Observed.Notes {
				if n.Kind != env.NoteDeclined {
					continue
				}
				if d := a.cfg.Policy.Question(n.Quote, e.Observed.URL); d.Stricter(worst) {
					worst = d
				}
			}
		}
		if e.Observed != nil {
			acting = nil
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
