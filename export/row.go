package export

import (
	"bytes"
	"encoding/json"
	"strconv"

	"fara/env"
	"fara/model"
)

// Provenance says who a turn's words are from.
type Provenance string

// Who words are from.
const (
	// Model: a reply that was used as it came.
	Model Provenance = "model"
	// Repaired: a reply whose call was put right, or followed by calls that were not run, or
	// whose words were not kept and are written anew.
	Repaired Provenance = "repaired"
	// Forced: the answer the model was made to give when its steps were used up.
	Forced Provenance = "forced"
	// Bad: a reply without a call that could be used, or to a request that was cut.
	Bad Provenance = "bad"
	// Reader: the model's answer to a question about a page's text.
	Reader Provenance = "reader"
	// Person and AutoReply: a user's turn with the task or somebody's answer in it,
	// and one with the answer that was given in a person's place.
	Person    Provenance = "person"
	AutoReply Provenance = "auto_reply"
	// Runtime: our own words, with what pages say in them.
	Runtime Provenance = "runtime"
)

// Frame is a picture in a row.
type Frame struct {
	// File is its name below the export's folder, by its content: frames/<sha256>.png.
	File string
	// SHA256 is the hash of its bytes in hex, MIME their format, Size its size in its
	// own pixels.
	SHA256 string
	MIME   string
	Size   env.Size
	// Path is where the run has it.
	Path string
}

// Turn is one message of a row.
type Turn struct {
	Role model.Role
	Text string
	// Thinking is what the server filed apart; only in the row's own answers, since
	// no request repeats it.
	Thinking string
	// Images stand before the text.
	Images []Frame
	// Calls are an answer's native calls, CallID is the call that a tool's turn answers.
	Calls  []model.ToolCall
	CallID string
	By     Provenance
	// Train: the turn is to be learned. Then the turns before it are, byte for byte, the
	// request that it answered.
	Train bool
	// Answer is what is known of the reply; nil for turns of others, and for replies
	// that the row only repeats as context.
	Answer *Answer
}

// Answer is a reply of the model with what came of it.
type Answer struct {
	// Event is the seq of its event, Step the step it was given in.
	Event int `json:"event"`
	Step  int `json:"step"`
	// Call is the call in it as JSON, in model space; empty when there is none that could
	// be used. It is a text since each action has other arguments.
	Call    string   `json:"call"`
	Repairs []string `json:"repairs"`
	// Problem is why it could not be used, a stable name.
	Problem string       `json:"problem"`
	By      Provenance   `json:"by"`
	Finish  model.Finish `json:"finish"`
	// Outcome is what came of the call: "done", "failed", "refused", "unknown" when the
	// run ended before that, or "unused".
	Outcome string `json:"outcome"`
	// Request is the hash of the request as sent, Reply that of the reply: of its text's
	// bytes, or, where thinking or native calls came apart, of the JSON list of text,
	// thinking and calls. Context is the request's without its sampling settings.
	Request string `json:"request_sha256"`
	Reply   string `json:"reply_sha256"`
	Context string `json:"context_sha256"`
	// Recorded: Request was written down when it was sent, and is what the row holds. It
	// is false for runs that another program recorded.
	Recorded bool `json:"recorded"`
	// URL is the page's address that the model saw; untrusted.
	URL string `json:"url"`
	// Canonical is Call, with what the dialect fills in; nil when there is none.
	Canonical *model.Call `json:"-"`
}

// Row is one example. Its Turns end with an answer, but for a Target's.
type Row struct {
	// ID is different from all others of an export of the same rows.
	ID string
	Origin
	Sampling
	// Turns begin with the system prompt where there is one.
	Turns []Turn
	// Tools are the native tool definitions of the request, Schema is what the server
	// held the reply to; nil is none.
	Tools, Schema json.RawMessage
	// Rejected is the worse answer to the same request, of the row that is a preference
	// pair; RejectedFrom the run that gave it.
	Rejected     *Turn
	RejectedFrom string
	// Label says of a row for KTO whether the answer is wanted; nil in other rows.
	Label *bool
	// Target is what a row about one element is about; nil in other rows.
	Target *Target
	// Altered names what in the row is not as it was sent or replied, such as
	// "reply_trimmed"; nil is nothing.
	Altered []string
}

// Last is the row's last turn: its answer.
func (r *Row) Last() *Turn { return &r.Turns[len(r.Turns)-1] }

// Frames are the row's pictures in their order.
func (r *Row) Frames() []Frame {
	var all []Frame
	for _, t := range r.Turns {
		all = append(all, t.Images...)
	}
	return all
}

// Sampling is how the reply was drawn.
type Sampling struct {
	Temperature Number   `json:"temperature"`
	Seed        *int     `json:"seed,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Stop        []string `json:"stop,omitempty"`
}

// Number is written with a decimal point even when it is whole, so that readers that
// guess a column's type from its first rows take it for a number with one.
type Number float64

// MarshalJSON writes 750 as 750.0.
func (n Number) MarshalJSON() ([]byte, error) {
	text := strconv.AppendFloat(nil, float64(n), 'f', -1, 64)
	if !bytes.ContainsRune(text, '.') {
		text = append(text, ".0"...)
	}
	return text, nil
}

// Origin is where a row comes from.
type Origin struct {
	// Run is the run's id. Batch, Task and Sample are its place in a batch; Task is a
	// hash of the task's words and address where there is none.
	Run    string `json:"run"`
	Batch  string `json:"batch,omitempty"`
	Task   string `json:"task_id"`
	Sample int    `json:"sample,omitempty"`
	// Site is the host that the run began on, without www; empty when it is not known.
	Site string `json:"site"`
	// Status and Reason are the ending's, Claim is the model's own word, Verified are
	// those who agreed with it while the run lasted.
	Status   string   `json:"status"`
	Reason   string   `json:"reason,omitempty"`
	Claim    string   `json:"claim,omitempty"`
	Verified []string `json:"verified"`
	// Verdict is the outcome of fara judge: "accepted", "rejected", "unproven"; empty
	// where nobody judged. Class is why not.
	Verdict string `json:"verdict,omitempty"`
	Class   string `json:"verdict_class,omitempty"`
	// Steps is the run's length in actions.
	Steps   int    `json:"run_steps"`
	Model   string `json:"model"`
	Dialect string `json:"dialect"`
	Fara    string `json:"fara_version"`
	// Imported is the format of the recording of another program; empty for our own.
	Imported string `json:"imported,omitempty"`
}
