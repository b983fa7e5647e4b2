package replay

import (
	"time"

	"fara/env"
)

// Version is the version of replay.json.
const Version = 1

// Status is how a replay ended.
type Status string

// The statuses.
const (
	// Same: everything was as in the run, to its end.
	Same Status = "same"
	// Different: something was not.
	Different Status = "different"
	// Stopped: it was ended before its end; Report.Reason says by what.
	Stopped Status = "stopped"
)

// Reasons why a replay is Stopped.
const (
	ReasonApproval    = "approval"        // a person has to say that something may be done again
	ReasonCaptcha     = "captcha"         // a person has to deal with one
	ReasonPolicy      = "policy"          // the run's own rules do not allow it
	ReasonBrowser     = "browser_lost"    // the browser is gone
	ReasonInterrupted = "interrupted"     // the user ended it
	ReasonFault       = "could_not_go_on" // something else; Report.Message says what
)

// Report is everything about a replay; replay.json holds it.
type Report struct {
	Version int `json:"version"`
	// Replay is the replay's id, Dir its folder; Run and RunDir are those of the run.
	Replay string `json:"replay"`
	Dir    string `json:"dir"`
	Run    string `json:"run"`
	RunDir string `json:"run_dir"`
	Task   string `json:"task"`

	Status Status `json:"status"`
	// Reason is one of the reasons when Status is Stopped, or else the kind of the first
	// difference; empty when there is none.
	Reason string `json:"reason"`
	// Message says it to a person and what can be done; untrusted where it repeats words
	// of a page.
	Message string `json:"message"`
	// First is the step of the first difference; nil when there is none.
	First *int `json:"first_difference,omitempty"`
	// Played counts the actions that were done, Frames the frames that were compared,
	// Different the steps with a difference, Total the steps of the run.
	Played    int `json:"actions"`
	Frames    int `json:"frames"`
	Different int `json:"different_steps"`
	Total     int `json:"run_steps"`
	// ModelCalls is 0: a replay asks no model.
	ModelCalls int `json:"model_calls"`

	Tolerance float64 `json:"tolerance"`
	Checks    []Check `json:"checks"`
	Bases     []Base  `json:"bases,omitempty"`
	Texts     []Text  `json:"texts,omitempty"`
	Steps     []Step  `json:"steps"`

	Started time.Time     `json:"started"`
	Ended   time.Time     `json:"ended"`
	Took    time.Duration `json:"took_ns"`
}

// Step is one move as it was played.
type Step struct {
	Step int `json:"step"`
	// Action is the kind of what was done, with what it says in words; empty when nothing
	// was. Skipped says why.
	Action  env.Kind `json:"action,omitempty"`
	Text    string   `json:"text,omitempty"`
	Skipped string   `json:"skipped,omitempty"`
	// Typed is the name of the text that was typed, Set whether that was a new value.
	Typed string `json:"typed,omitempty"`
	Set   bool   `json:"set,omitempty"`
	// Point and From are in viewport CSS pixels; Viewport is the run's.
	Point    *env.Point `json:"point,omitempty"`
	From     *env.Point `json:"from,omitempty"`
	Viewport env.Size   `json:"viewport"`
	Size     env.Size   `json:"frame_size"`

	// RunFrame and Frame are files below the replay's folder: what the run saw and what
	// was seen now. Empty when the step had no frame.
	RunFrame string `json:"run_frame,omitempty"`
	Frame    string `json:"frame,omitempty"`
	// Masked are the boxes, in frame pixels, of fields that got a new value, which are not
	// compared.
	Masked []Box `json:"masked,omitempty"`
	Contrast
	RunURL string `json:"run_url,omitempty"`
	URL    string `json:"url,omitempty"`
	// RunHit and Hit are what the action was about to reach; untrusted.
	RunHit *env.Element `json:"run_hit,omitempty"`
	Hit    *env.Element `json:"hit,omitempty"`
	// Notes are what happened around the page now.
	Notes []env.Note `json:"notes,omitempty"`

	Differences []Difference  `json:"differences,omitempty"`
	Waited      time.Duration `json:"waited_ns"`
	Took        time.Duration `json:"took_ns"`
}

// Same reports whether the step was as in the run.
func (s Step) Same() bool { return len(s.Differences) == 0 }

// Difference is one thing that is not as it was.
type Difference struct {
	// Kind is a Check, or "outcome": an action failed that had not.
	Kind Check `json:"kind"`
	// Text says it in one line; untrusted where it repeats words of a page.
	Text string `json:"text"`
	// Changed: a value was changed before it, which may be why.
	Changed bool `json:"changed_value,omitempty"`
}

// Check is something that a replay compares.
type Check string

// The checks.
const (
	CheckURL   Check = "url"   // scheme, host and path of the page in front
	CheckFrame Check = "frame" // the picture
	CheckHit   Check = "hit"   // the element that an action is about to reach
	// outcome is compared always.
	outcome Check = "outcome"
)

// Checks lists them.
func Checks() []Check { return []Check{CheckURL, CheckFrame, CheckHit} }
