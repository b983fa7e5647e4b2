package trajectory

import (
	"time"

	"fara/model"
)

// Status is how a run ended.
type Status string

// The statuses.
const (
	Success          Status = "success"
	Failure          Status = "failure" // the model gave up, or nothing could be begun
	BudgetExhausted  Status = "budget_exhausted"
	Stuck            Status = "stuck"
	BadReplies       Status = "bad_replies"
	ContextOverflow  Status = "context_overflow"
	Blocked          Status = "blocked"
	WaitingForUser   Status = "waiting_for_user"
	NeedsApproval    Status = "needs_approval"
	ModelUnavailable Status = "model_unavailable"
	BrowserLost      Status = "browser_lost"
	Cancelled        Status = "cancelled"
	Error            Status = "error"
)

// Result is how a run ended, with what it came to.
type Result struct {
	Version int `json:"version"`
	// Run is the run's id, Dir its folder.
	Run string `json:"run"`
	Dir string `json:"dir"`

	Status Status `json:"status"`
	// Reason is a stable code below the status.
	Reason string `json:"reason"`
	// Message says it to a person and what can be done.
	Message string `json:"message"`
	// Answer is empty unless the model gave one.
	Answer string `json:"answer"`
	// Claim is what the model itself said of the ending: "success", "failure", or
	// nothing; "forced" when it was asked for an answer because its steps were used up.
	Claim string `json:"claim,omitempty"`
	// Verified names who agreed with a success; empty means nobody checked.
	Verified []string `json:"verified"`
	// Question is what a run waiting for its user asked.
	Question string `json:"question,omitempty"`
	// Approval is the action that waits for a person's yes; nil when none does.
	Approval *Approval `json:"approval,omitempty"`
	// Expires is when the question or the approval is no longer waited for.
	Expires *time.Time `json:"expires,omitempty"`
	// Verdicts are the last ones on the last answer, Rejections how many answers
	// were rejected.
	Verdicts   []Verdict `json:"verdicts,omitempty"`
	Rejections int       `json:"rejections,omitempty"`
	// Effects are what the run has changed or may have changed in the world, oldest
	// first: what its ending does not take back.
	Effects []Effect `json:"effects,omitempty"`
	// Resume is how to go on, as a command; empty when nothing is left to do.
	Resume string `json:"resume,omitempty"`

	// Steps counts the model's turns that came to an action.
	Steps   int     `json:"steps"`
	Usage   Usage   `json:"usage"`
	Timings Timings `json:"timings"`
}

// Effect is something a run did that does not go away with its browser.
type Effect struct {
	Step int `json:"step"`
	// Action and Classes say what was done; Text is its outcome in our words.
	Action  string   `json:"action"`
	Classes []string `json:"classes,omitempty"`
	Text    string   `json:"text,omitempty"`
	// URL is the page it was done on; untrusted.
	URL string `json:"url,omitempty"`
	// Uncertain: the program ended before it knew whether it was done.
	Uncertain bool `json:"uncertain,omitempty"`
}

// Usage is what a run cost.
type Usage struct {
	model.Usage
	// Calls counts requests the model answered, BadReplies those of them that
	// could not be used.
	Calls      int `json:"calls"`
	BadReplies int `json:"bad_replies"`
	// EstimatedTokens is what the prompts were thought to cost, beside
	// PromptTokens, what the server says it read. Truncated counts the replies to
	// requests that the server seems to have cut.
	EstimatedTokens int `json:"estimated_tokens,omitempty"`
	Truncated       int `json:"truncated,omitempty"`
	// Servers counts the calls each server answered, by address, where there are
	// several.
	Servers map[string]int `json:"servers,omitempty"`
}

// Timings are a run's times, in nanoseconds in JSON.
type Timings struct {
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// Total is how long the run was under way, which is Ended minus Started unless
	// it was taken up again in between. Model and Browser are the parts of it spent
	// waiting for the model and in the browser.
	Total   time.Duration `json:"total_ns"`
	Model   time.Duration `json:"model_ns"`
	Browser time.Duration `json:"browser_ns"`
}
