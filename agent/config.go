package agent

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"fara/dialect"
	"fara/policy"
	"fara/prompt"
	"fara/trajectory"
)

// Config is what a run is and how far it may go.
type Config struct {
	// Task is what the user wants, in the user's words. It must not be empty.
	Task string
	// URL is opened before the model is asked for the first time; empty leaves
	// the page as it is.
	URL string
	// AnswerSchema is the JSON Schema that the model is told its answer has to fit;
	// empty leaves the form free. It is for the Verifiers to hold it to that.
	AnswerSchema string
	// Secrets are the secrets that the model may type by name; the Environment puts
	// their values in.
	Secrets []trajectory.Secret
	// Dialect is how the model speaks.
	Dialect dialect.Dialect
	// MaxSteps bounds the model's actions; 0 means 100.
	MaxSteps int
	// FinalAnswer has the model say what it knows when its steps are used up. Such an
	// answer is on record, and no success.
	FinalAnswer bool
	// Deadline bounds the whole run; 0 is no bound.
	Deadline time.Duration
	// MaxTokens bounds the tokens of all requests and replies, as the server
	// counts them; 0 is no bound.
	MaxTokens int
	// MaxCalls bounds the requests that the model answers; 0 is no bound.
	MaxCalls int
	// MaxFailures is the number of failed actions in a row that end the run; 0
	// means 5.
	MaxFailures int
	// MaxBadReplies is the number of replies in a row that could not be used
	// which ends the run; 0 means 3.
	MaxBadReplies int
	// MaxRejections is the number of answers that verifiers reject which ends the
	// run; 0 means 3.
	MaxRejections int
	// MaxImages is the number of frames in a request; 0 means 3.
	MaxImages int
	// NumCtx is the model's context in tokens; 0 means it is not known.
	NumCtx int
	// ReplyTokens bounds one reply; 0 means 2048.
	ReplyTokens int
	// Temperature is sent with every request.
	Temperature float64
	// Seed is sent with every request; nil sends none.
	Seed *int
	// Trim says which frames requests let go of: prompt.Window or prompt.Steady;
	// empty means prompt.Window.
	Trim string
	// Replies says how replies get their form; empty is the dialect's own way.
	Replies Replies
	// SearchURL is the address of a web search, with %s where the words go.
	SearchURL string
	// AutoReply answers every question of the model; empty asks the user.
	AutoReply string
	// AnswerLimit is how long a question or an approval waits for a person; 0 waits
	// for ever.
	AnswerLimit time.Duration
	// Policy is what the run may do. URL and SearchURL are trusted beside it.
	Policy policy.Policy
	// Verifiers look at an answer before the run ends with it, one after the other;
	// none takes the model's word, and says so.
	Verifiers []Verifier
	// Hold has the run hold still; nil never does.
	Hold *Hold
	// Keep gives what the environment needs to go on from where it is, after every
	// action, so that a run can be taken up again; nil keeps nothing.
	Keep func(ctx context.Context) ([]byte, error)
	// Progress is called with every event right after it was written; nil is none.
	Progress func(trajectory.Event)
	// Logger is for what happens; nil is silent.
	Logger *slog.Logger
}

// Replies says how replies get their form.
type Replies string

// The ways.
const (
	// FreeText: the model was told in the prompt.
	FreeText Replies = "text"
	// Constrained: the server holds every reply to the dialect's schema.
	Constrained Replies = "constrained"
	// NativeTools: the actions are offered as tools, and called as such.
	NativeTools Replies = "tools"
)

func (c Config) withDefaults() Config {
	for _, d := range []struct {
		field *int
		value int
	}{{&c.MaxSteps, 100}, {&c.MaxFailures, 5}, {&c.MaxBadReplies, 3}, {&c.MaxRejections, 3}, {&c.MaxImages, 3}, {&c.ReplyTokens, 2048}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.SearchURL == "" {
		c.SearchURL = DefaultSearchURL
	}
	c.Trim = cmp.Or(c.Trim, prompt.Window)
	c.Replies = cmp.Or(c.Replies, OwnWay(c.Dialect))
	c.Policy.Trusted = append(slices.Clone(c.Policy.Trusted), c.URL, c.SearchURL)
	return c
}
