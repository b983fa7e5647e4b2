package trajectory

import (
	"time"

	"fara/env"
	"fara/model"
)

// Asked is a question that waits for a person: the model's own, or the runtime's
// whether an action may be done, or for hands that get the run past a captcha.
type Asked struct {
	Question string `json:"question"`
	// Expires is when nobody waits for the answer any more; nil waits for ever.
	Expires *time.Time `json:"expires,omitempty"`
	// Approval is the action that waits, frozen; nil when none does.
	Approval *Approval `json:"approval,omitempty"`
	// Captcha names the widget that a person has to deal with.
	Captcha string `json:"captcha,omitempty"`
}

// Approval is an action that is done only when a person says so, as it will then
// be done: nothing of it changes while it waits.
type Approval struct {
	// Action is in viewport CSS pixels.
	Action env.Action `json:"action"`
	// Code is a stable name for the rule that has a person asked; empty in old runs.
	Code string `json:"code,omitempty"`
	// Classes are what it was taken for.
	Classes []string `json:"classes"`
	// Hit is the element it reaches, URL the page it is on; untrusted.
	Hit *env.Element `json:"hit,omitempty"`
	URL string       `json:"url"`
	// Frame is the file of the frame that the model saw.
	Frame string `json:"frame"`
	// Clamped: as in Acting.
	Clamped bool `json:"clamped,omitempty"`
}

// By says who replied.
type By string

// Who replies.
const (
	Person By = "person"
	Auto   By = "auto"
	Nobody By = "nobody" // nobody did in time
)

// Choice is a person's answer to an approval.
type Choice string

// The choices.
const (
	Yes        Choice = "yes"
	No         Choice = "no"
	AlwaysHere Choice = "site" // and for this class on this site for the rest of the run
	Expired    Choice = "expired"
)

// Replied is the answer to it.
type Replied struct {
	Text string `json:"text"`
	By   By     `json:"by"`
	// Choice is set when an approval or a captcha was asked about, and when nobody
	// answered in time.
	Choice Choice `json:"choice,omitempty"`
}

// Verdict is what one verifier says of the answer the model wants to finish with.
type Verdict struct {
	// By is the verifier: "schema", "assertions" or "judge".
	By string `json:"by"`
	// Accepted: nothing speaks against it. Unsure verifiers neither accept nor
	// reject: then Class is "unproven" or "infra_error" and Unsure is set.
	Accepted bool `json:"accepted"`
	Unsure   bool `json:"unsure,omitempty"`
	// Class is why not, as a stable code: "impossible_task", "blocked_captcha",
	// "login_wall", "infra_error", "wrong" or "unproven".
	Class string `json:"class,omitempty"`
	// Reason says it in words, to the model too; untrusted where a model wrote it.
	Reason string `json:"reason,omitempty"`
	// Answer and Claim are what the verdict is about.
	Answer string `json:"answer"`
	Claim  string `json:"claim,omitempty"`
	// Checks are the single assertions, in their order.
	Checks []Check `json:"checks,omitempty"`
	// Evidence is the file, below the run's folder, with what was known of the page
	// when the verdict was given; empty when nothing is kept.
	Evidence string `json:"evidence,omitempty"`
	// Model is the judging model's name; Usage and Latency are what it cost; Request
	// is the hash of what it was asked, Raw what it answered.
	Model   string        `json:"model,omitempty"`
	Usage   model.Usage   `json:"usage,omitzero"`
	Latency time.Duration `json:"latency_ns,omitempty"`
	Request string        `json:"request_sha256,omitempty"`
	Raw     string        `json:"raw,omitempty"`
}

// Check is one assertion's outcome.
type Check struct {
	// Text is the assertion as it was written, At where, as FILE:LINE.
	Text string `json:"text"`
	At   string `json:"at,omitempty"`
	// Unproven: nothing that is known decides it.
	Holds    bool `json:"holds"`
	Unproven bool `json:"unproven,omitempty"`
	// Found is what was there, or why nothing is known.
	Found string `json:"found,omitempty"`
}

// Warned is something the runtime noticed and told the model before it would
// end the run for it.
type Warned struct {
	// Code is a stable name: "cycle", "no_progress", "captcha".
	Code string `json:"code"`
	Text string `json:"text"`
}

// Paused says that the run holds still.
type Paused struct {
	// Why is a stable name: "asked", "captcha".
	Why string `json:"why"`
	By  By     `json:"by"`
}

// Resumed says that it goes on.
type Resumed struct {
	// Why is a stable name: "restart" after the program had ended, "asked",
	// "captcha".
	Why string `json:"why"`
	// Hands: a person may have used the browser meanwhile, so what is different now
	// need not be the model's doing.
	Hands bool `json:"hands,omitempty"`
	// Uncertain is the action of which nobody knows whether it was done.
	Uncertain *env.Action `json:"uncertain,omitempty"`
	// Text says it to the model; empty tells it nothing.
	Text string `json:"text,omitempty"`
}
