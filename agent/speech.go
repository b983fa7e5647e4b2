package agent

import (
	"bytes"
	"encoding/json"
	"fmt"

	"fara/dialect"
	"fara/env"
	"fara/model"
	"fara/parse"
	"fara/trajectory"
)

// spoken is how the model is spoken to now: as the run began, or as a server's
// refusal taught.
type spoken struct {
	replies Replies
	system  string
	tools   json.RawMessage
	// maxPixels is the most a frame may have; 0 is the dialect's own limit.
	maxPixels int
}

// OwnWay is how the replies of a dialect's models get their form unless something
// else is said: where one JSON object is all that is asked for, the server holds
// them to it.
func OwnWay(d dialect.Dialect) Replies {
	if d.Reply == parse.Object {
		return Constrained
	}
	return FreeText
}

// Started is how a run with this Config begins, for pictures of that size:
// everything its prompts depend on.
func (c Config) Started(picture env.Size) trajectory.Started {
	c = c.withDefaults()
	began := trajectory.Started{
		Task: c.Task, URL: env.WithoutUser(c.URL), Dialect: c.Dialect.Name,
		MaxSteps: c.MaxSteps, MaxImages: c.MaxImages, NumCtx: c.NumCtx,
		ReplyTokens: c.ReplyTokens, Temperature: c.Temperature, Seed: c.Seed,
		Speech: c.Dialect.Speech(), Trim: c.Trim, AnswerSchema: c.AnswerSchema, Secrets: c.Secrets,
	}
	began.System, began.Tools = words(c.Dialect, c.Replies, picture)
	if c.Replies == Constrained {
		began.Schema = c.Dialect.Schema()
	}
	return began
}

// words are the system prompt and the native tools for pictures of that size.
func words(d dialect.Dialect, r Replies, picture env.Size) (system string, tools json.RawMessage) {
	switch r {
	case NativeTools:
		return d.SystemForTools(picture), d.Tools(picture)
	case Constrained:
		return d.SystemConstrained(picture), nil
	}
	return d.System(picture), nil
}

// checkForm is an error when the dialect has no such form.
func (c Config) checkForm(began trajectory.Started) error {
	switch {
	case c.Replies == NativeTools && began.Tools == nil:
		return fmt.Errorf("the models of the dialect %s know no native tools; leave out --tools", c.Dialect.Name)
	case c.Replies == Constrained && began.Schema == nil:
		return fmt.Errorf("replies in the dialect %s cannot be held to a schema; leave out --constrain", c.Dialect.Name)
	}
	return nil
}

// Until stops a reply in the dialect that holds its call.
func (r Replies) Until(d dialect.Dialect) model.Until {
	if r == Constrained {
		return func(text string) bool { return parse.CompleteForm(text, parse.Object) }
	}
	return d.Complete
}

// respeak writes down what was learned with the words that change by it, for
// pictures of that size: a model that counts pixels is told how many there are.
func (a *Agent) respeak(learned trajectory.Adapted, picture env.Size) error {
	system, tools := words(a.cfg.Dialect, a.spoken.replies, picture)
	if system != a.spoken.system {
		a.spoken.system, learned.System = system, system
	}
	if a.spoken.replies == NativeTools && !bytes.Equal(tools, a.spoken.tools) {
		a.spoken.tools, learned.Tools = tools, tools
	}
	return a.adapt(learned)
}
