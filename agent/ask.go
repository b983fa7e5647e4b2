package agent

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"fara/policy"
	"fara/trajectory"
)

// errExpired is the cause of a wait that nobody ended in time.
var errExpired = errors.New("nobody answered in time")

// User is the person who answers: questions of the model, and of the runtime
// whether an action may be done or a captcha is dealt with.
type User interface {
	// Ask waits for the answer. To a question it is Text, and an empty one gives the
	// task up; to an approval it is Choice; to a captcha it is Choice, Yes when the
	// run may go on. It returns the cause of ctx when that ends first.
	Ask(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error)
}

// expiry is when a question that is asked now is no longer waited for.
func (a *Agent) expiry() *time.Time {
	if a.cfg.AnswerLimit <= 0 {
		return nil
	}
	at := time.Now().Add(a.cfg.AnswerLimit).UTC()
	return &at
}

// late reports whether nobody waits for the answer any more.
func late(asked *trajectory.Asked) bool {
	return asked.Expires != nil && !time.Now().Before(*asked.Expires)
}

// answer waits for a person. With nobody there it ends the run, as waiting.
func (a *Agent) answer(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
	switch {
	case late(&asked):
		return trajectory.Replied{By: trajectory.Nobody, Choice: trajectory.Expired}, nil
	case a.user == nil:
		return trajectory.Replied{}, a.waiting(asked)
	}
	waits := ctx
	if asked.Expires != nil {
		var cancel context.CancelFunc
		waits, cancel = context.WithDeadlineCause(ctx, *asked.Expires, errExpired)
		defer cancel()
	}
	replied, err := a.user.Ask(waits, asked)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(waits), errExpired) {
		return trajectory.Replied{By: trajectory.Nobody, Choice: trajectory.Expired}, nil
	}
	if errors.Is(err, ErrNobody) {
		return trajectory.Replied{}, a.waiting(asked)
	}
	replied.Text = strings.TrimSpace(replied.Text)
	if replied.By == "" {
		replied.By = trajectory.Person
	}
	return replied, err
}

// ErrNobody is what a User returns who has gone.
var ErrNobody = errors.New("nobody is there to answer")

// waiting ends the run as one that waits for a person.
func (a *Agent) waiting(asked trajectory.Asked) error {
	a.waits = &asked
	switch {
	case asked.Approval != nil:
		return a.needsApproval(asked, reasonOf(asked.Approval.Classes), "nobody is there to allow it")
	case asked.Captcha != "":
		return Ending{Status: trajectory.Blocked, Reason: "captcha", Message: "a person has to deal with " + asked.Captcha + ", and nobody is there who sees the browser; go on with --headful, and solve it in the window"}
	}
	return Ending{Status: trajectory.WaitingForUser, Reason: "question", Message: "the model asks: " + asked.Question}
}

// reasonOf names what an approval is about: most that is sent is a form, which says
// least.
func reasonOf(classes []string) string {
	for _, c := range classes {
		if c != string(policy.Submit) {
			return c
		}
	}
	return cmp.Or(append(classes, "approval")...)
}

// askUser puts the model's question to whoever answers.
func (a *Agent) askUser(ctx context.Context, question string) error {
	asked := trajectory.Asked{Question: question, Expires: a.expiry()}
	if err := a.record(asked); err != nil {
		return err
	}
	return a.hear(ctx, asked)
}

// hear takes the answer to the model's question.
func (a *Agent) hear(ctx context.Context, asked trajectory.Asked) error {
	reply := trajectory.Replied{Text: a.cfg.AutoReply, By: trajectory.Auto}
	if a.cfg.AutoReply == "" {
		var err error
		if reply, err = a.answer(ctx, asked); err != nil {
			return err
		}
	}
	if reply.Choice == trajectory.Expired {
		a.waits = &asked
		return Ending{Status: trajectory.WaitingForUser, Reason: "expired", Message: "nobody answered in time; the model asked: " + asked.Question}
	}
	if reply.Text == "" {
		return Ending{Status: trajectory.Cancelled, Reason: "abandoned", Message: "the question was left without an answer, which gives the task up"}
	}
	reply.Choice = ""
	if err := a.record(reply); err != nil {
		return err
	}
	return a.record(trajectory.Acted{Text: "asked the user"})
}
