package agent

import (
	"errors"
	"fmt"

	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// mostLessons bounds what one step may teach. Every lesson makes the request
// smaller, so this many are never needed.
const mostLessons = 24

// lessons are what one step has brought so far.
type lessons struct {
	// refusal is why the server would not take the last request.
	refusal error
	count   int
	// failed counts failures on the picture of the same request.
	failed int
	// refused: the server refused a request outright.
	refused bool
	// cuts counts the signs that a request was cut; alike says that the server
	// reported the same count each time, read, and no usual context's size.
	cuts, read int
	alike      bool
	// bad counts replies that could not be used; crowded says that one of them
	// answered a request which all but filled the context.
	bad     int
	crowded bool
}

// picturePatience is how often a server may fail on the same picture before it
// gets a smaller one.
const picturePatience = 2

// learn takes a limit from a server's refusal, so that the same step can be
// asked again with less. Any other error comes back.
func (a *Agent) learn(refusal error, asked prompt.Prompt, so *lessons) error {
	so.refusal, so.refused = refusal, true
	if so.count++; so.count > mostLessons {
		return refusal
	}
	switch {
	case errors.Is(refusal, model.ErrContext):
		return a.learnContext(refusal, asked)
	case errors.Is(refusal, model.ErrTooManyImages) && len(asked.Frames) > 1:
		return a.adapt(trajectory.Adapted{MaxImages: fewer(refusal, len(asked.Frames)), Why: refusal.Error()})
	case errors.Is(refusal, model.ErrPicture):
		if so.failed += failures(refusal); so.failed < picturePatience {
			return nil
		}
		so.failed = 0
		return a.shrink(refusal)
	case errors.Is(refusal, model.ErrSchema) && asked.Request.Schema != nil:
		a.spoken.replies = FreeText
		return a.respeak(trajectory.Adapted{NoSchema: true, Why: refusal.Error()}, a.view.geo.Size)
	case errors.Is(refusal, model.ErrTools) && asked.Request.Tools != nil:
		a.spoken.replies = FreeText
		return a.respeak(trajectory.Adapted{NoTools: true, Why: refusal.Error()}, a.view.geo.Size)
	}
	return refusal
}

// failures is how often the server failed before it came to this.
func failures(refusal error) int {
	var told *model.Error
	if errors.As(refusal, &told) {
		return max(1, told.Failures)
	}
	return 1
}

// fewer is how many frames a server takes that refused more.
func fewer(refusal error, sent int) int {
	var told *model.Error
	if errors.As(refusal, &told) && told.MaxImages > 0 {
		return min(sent-1, told.MaxImages)
	}
	return sent - 1
}

// learnContext takes the context's size from a refusal. Where none is named, or
// it was kept to already, our count of tokens is off: then what was refused is
// the measure, and the next request is a tenth shorter.
func (a *Agent) learnContext(refusal error, asked prompt.Prompt) error {
	named := 0
	var told *model.Error
	if errors.As(refusal, &told) {
		named = told.Context
	}
	return a.adapt(trajectory.Adapted{NumCtx: asked.Shorter(named), Why: refusal.Error()})
}

// leave writes down a reply to a request that the server seems to have cut, does
// nothing of what it says, and makes the next request shorter.
func (a *Agent) leave(p trajectory.Proposed, cut prompt.Sign, reply model.Reply, asked prompt.Prompt, so *lessons) error {
	a.usage.Truncated++
	p.Truncated = cut.Text
	if err := a.record(p); err != nil {
		return err
	}
	read := reply.Usage.PromptTokens
	so.alike = (so.cuts == 0 || so.alike && read == so.read) && !cut.Usual
	so.cuts, so.read = so.cuts+1, read
	so.refusal = &model.Error{Kind: model.ErrContext, Message: cut.Text, Hint: "raise the server's context length"}
	if so.count++; so.count > mostLessons {
		return so.refusal
	}
	return a.learnCut(cut, reply, asked)
}

// meaningless reports whether a step's counts cannot be counts: always the same,
// however short the request was, and no size that a context has.
func (so *lessons) meaningless() bool { return so.cuts >= 2 && so.alike && !so.refused }

// disbelieve has the run go on as if the server had never counted.
func (a *Agent) disbelieve(so *lessons) error {
	why := fmt.Sprintf("the server says %d tokens whatever it is asked", so.read)
	*so = lessons{}
	a.spoken.maxPixels = 0
	return a.showAgain(trajectory.Adapted{NoCounts: true, Why: why})
}

// learnCut takes the context's size from a request that was cut.
func (a *Agent) learnCut(cut prompt.Sign, reply model.Reply, asked prompt.Prompt) error {
	learned := trajectory.Adapted{NumCtx: asked.ShorterThan(reply.Usage.PromptTokens), Why: cut.Text}
	if cut.Context > 0 {
		learned.NumCtx = asked.Shorter(cut.Context)
	}
	return a.adapt(learned)
}

// rubbish is how many replies in a row that could not be used make the context
// suspect.
const rubbish = 2

// suspect takes it that a context is exceeded in silence when replies became
// unusable with the first request that is longer than such contexts are.
func (a *Agent) suspect(reply model.Reply, asked prompt.Prompt, so *lessons) error {
	size := asked.Outgrown(reply)
	if so.bad != rubbish || size == 0 {
		return nil
	}
	so.crowded = true
	why := fmt.Sprintf("replies cannot be used since requests are longer than %d tokens, which many servers' contexts have", size)
	return a.adapt(trajectory.Adapted{NumCtx: asked.Shorter(size), Why: why})
}

// adapt writes down what was learned: from here on it holds.
func (a *Agent) adapt(learned trajectory.Adapted) error {
	a.cfg.Logger.Warn("the server takes less than was sent", "step", a.step, "frames", learned.MaxImages,
		"num_ctx", learned.NumCtx, "pixels", learned.MaxPixels, "err", learned.Why)
	return a.record(learned)
}
