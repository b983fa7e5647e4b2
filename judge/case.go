package judge

import (
	"context"

	"fara/env"
	"fara/trajectory"
)

// Case is an answer to be judged, with all that may speak for or against it.
type Case struct {
	// Task is what the user wanted, Answer what the agent finishes with, Claim its
	// own word for it: "success", "failure" or nothing.
	Task, Answer, Claim string
	// Events are the run's, Load gives the bytes of the files that they name.
	Events []trajectory.Event
	Load   func(file string) ([]byte, error)
	// Evidence is what is known of the page and of what the run did; nil is nothing.
	Evidence *Evidence
}

// Verifier says whether a Case reaches its goal.
//
// Verify gives a verdict that accepts, rejects or is unsure. Its error is not nil
// only when ctx has ended, and is then its cause.
type Verifier interface {
	Verify(ctx context.Context, c Case) (trajectory.Verdict, error)
}

// Inspector is a page that can be asked how it stands.
type Inspector interface {
	Inspect(ctx context.Context, q env.Query) (env.Evidence, error)
}

// The names of the verifiers, as in Verdict.By.
const (
	BySchema     = "schema"
	ByAssertions = "assertions"
	ByModel      = "judge"
)

// The classes of a verdict that does not accept.
const (
	Impossible = "impossible_task" // the task asks for what does not exist
	Captcha    = "blocked_captcha"
	Login      = "login_wall"
	Infra      = "infra_error" // server, browser or network failed, not the agent
	Wrong      = "wrong"
	Unproven   = "unproven" // it may be right, and nothing shows it
)

// Classes lists them.
func Classes() []string { return []string{Impossible, Captcha, Login, Infra, Wrong, Unproven} }

// verdict begins what a verifier says of a case.
func (c Case) verdict(by string) trajectory.Verdict {
	v := trajectory.Verdict{By: by, Answer: c.Answer, Claim: c.Claim}
	if c.Evidence != nil {
		v.Evidence = c.Evidence.File
	}
	return v
}

// rejected makes it a verdict against the answer.
func rejected(v trajectory.Verdict, class, reason string) trajectory.Verdict {
	v.Class, v.Reason = class, reason
	return v
}

// unsure makes it neither for nor against.
func unsure(v trajectory.Verdict, class, reason string) trajectory.Verdict {
	v.Unsure, v.Class, v.Reason = true, class, reason
	return v
}
