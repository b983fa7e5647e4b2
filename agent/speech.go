package agent

import (
	"encoding/json"

	"fara/dialect"
	"fara/env"
	"fara/trajectory"
)

// spoken is how the model is spoken to now: as the run began, or as a server's
// refusal taught.
type spoken struct {
	replies Replies
	system  string
	// maxPixels is the most a frame may have; 0 is the dialect's own limit.
	maxPixels int
}

// started is everything the run's prompts depend on, for pictures of that size.
func (c Config) started(picture env.Size) trajectory.Started {
	began := trajectory.Started{
		Task: c.Task, URL: env.WithoutUser(c.URL), Dialect: c.Dialect.Name,
		MaxSteps: c.MaxSteps, MaxImages: c.MaxImages, NumCtx: c.NumCtx,
		ReplyTokens: c.ReplyTokens, Temperature: c.Temperature,
		Speech: c.Dialect.Speech(), Trim: c.Trim,
	}
	began.System, began.Tools = words(c.Dialect, c.Replies, picture)
	if c.Replies == Constrained {
		began.Schema = schemaOf(c.Dialect)
	}
	return began
}

// words are the system prompt and the native tools for pictures of that size.
func words(d dialect.Dialect, r Replies, picture env.Size) (system string, tools json.RawMessage) {
	if r == NativeTools {
		return systemForTools(d, picture), toolsOf(d, picture)
	}
	return d.System(picture), nil
}

// respeak puts into what was learned the words that change with it, for pictures
// of that size: a model that counts pixels is told how many there are.
func (a *Agent) respeak(learned *trajectory.Adapted, picture env.Size) {
	system, tools := words(a.cfg.Dialect, a.spoken.replies, picture)
	if system != a.spoken.system {
		a.spoken.system, learned.System = system, system
		learned.Tools = tools
	}
}
