package main

import (
	"context"

	"fara/agent"
	"fara/judge"
	"fara/trajectory"
)

// verifiers are the chain as an agent asks it. page is the run's browser, store keeps
// what was seen of it.
func (v *verifyFlags) verifiers(page judge.Inspector, store func([]byte) (string, error)) []agent.Verifier {
	witness := &judge.Witness{Page: page, Wants: v.chain.Wants(), Store: store}
	var all []agent.Verifier
	for _, part := range v.chain.Verifiers() {
		all = append(all, &verifier{part, witness})
	}
	return all
}

// verifier has a part of the chain judge an agent's candidates.
type verifier struct {
	judge.Named
	witness *judge.Witness
}

// Verify looks at the page once for all verifiers of a candidate.
func (v *verifier) Verify(ctx context.Context, c agent.Candidate) (trajectory.Verdict, error) {
	evidence, err := v.witness.Evidence(ctx, c.Events)
	if err != nil {
		return trajectory.Verdict{By: v.By}, err
	}
	return v.Named.Verify(ctx, judge.Case{
		Task: c.Task, Answer: c.Answer, Claim: c.Claim, Events: c.Events, Load: c.Load, Evidence: evidence,
	})
}
