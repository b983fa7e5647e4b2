package judge

import (
	"context"

	"fara/trajectory"
)

// Chain is what answers are held to, in this order; a nil part is left out.
type Chain struct {
	Schema     *Schema
	Assertions *Assertions
	Model      *Model
}

// Verifiers are its parts by name, in their order.
func (c Chain) Verifiers() []Named {
	var all []Named
	if c.Schema != nil {
		all = append(all, Named{BySchema, c.Schema})
	}
	if c.Assertions != nil {
		all = append(all, Named{ByAssertions, *c.Assertions})
	}
	if c.Model != nil {
		all = append(all, Named{ByModel, *c.Model})
	}
	return all
}

// Named is a verifier with its name, as in Verdict.By.
type Named struct {
	By string
	Verifier
}

// Wants are what evidence has to hold for all of it.
func (c Chain) Wants() Wants {
	if c.Assertions == nil {
		return Wants{}
	}
	return c.Assertions.Wants()
}

// Score has every part judge a case that nobody goes on with. Only after a schema's
// rejection no model is asked. The error is ctx's cause.
func (c Chain) Score(ctx context.Context, of Case) ([]trajectory.Verdict, error) {
	var all []trajectory.Verdict
	for _, v := range c.Verifiers() {
		if v.By == ByModel && len(all) > 0 && all[0].By == BySchema && Rejects(all[0]) {
			break
		}
		verdict, err := v.Verify(ctx, of)
		if err != nil {
			return nil, err
		}
		all = append(all, verdict)
	}
	return all, nil
}

// Rejects reports whether a verdict is against the answer.
func Rejects(v trajectory.Verdict) bool { return !v.Accepted && !v.Unsure }

// Outcome is what verdicts come to.
type Outcome string

// The outcomes.
const (
	Accepted  Outcome = "accepted" // somebody accepts, and nobody else says less
	Rejected  Outcome = "rejected" // somebody rejects
	Undecided Outcome = "unproven" // neither
)

// Total is what the verdicts on one answer come to, with the class of the first one
// that decides against it.
func Total(verdicts []trajectory.Verdict) (o Outcome, class string) {
	accepted := 0
	for _, v := range verdicts {
		switch {
		case Rejects(v):
			return Rejected, v.Class
		case v.Accepted:
			accepted++
		case class == "":
			class = v.Class
		}
	}
	switch {
	case class != "":
		return Undecided, class
	case accepted == 0:
		return Undecided, Unproven
	}
	return Accepted, ""
}

// Agreement counts how a model's verdicts compare with assertions on the same
// answers, where both decided.
type Agreement struct {
	Both int `json:"both"`
	// BothAccept and BothReject are where they agree; the others name who accepts.
	BothAccept           int `json:"both_accept"`
	BothReject           int `json:"both_reject"`
	OnlyJudgeAccepts     int `json:"only_judge_accepts"`
	OnlyAssertionsAccept int `json:"only_assertions_accept"`
}

// Agree is the number of answers on which they agree.
func (a Agreement) Agree() int { return a.BothAccept + a.BothReject }

// Add counts the verdicts on one answer.
func (a *Agreement) Add(verdicts []trajectory.Verdict) {
	decided := map[string]trajectory.Verdict{}
	for _, v := range verdicts {
		if !v.Unsure {
			decided[v.By] = v
		}
	}
	model, both := decided[ByModel]
	checks, ok := decided[ByAssertions]
	if !both || !ok {
		return
	}
	a.Both++
	switch {
	case model.Accepted && checks.Accepted:
		a.BothAccept++
	case model.Accepted:
		a.OnlyJudgeAccepts++
	case checks.Accepted:
		a.OnlyAssertionsAccept++
	default:
		a.BothReject++
	}
}
