package trajectory

import (
	"encoding/json"
	"time"

	"fara/env"
	"fara/model"
)

// Version is the version of the files that are written. Older ones are read.
const Version = 1

// Kind says what an event tells; it is also the name of the event's payload.
type Kind string

// The kinds of event.
const (
	KindStarted   Kind = "run_started"
	KindObserved  Kind = "observed"
	KindProposed  Kind = "proposed"
	KindAdapted   Kind = "adapted"
	KindDecided   Kind = "decided"
	KindActing    Kind = "acting"
	KindActed     Kind = "acted"
	KindFact      Kind = "fact"
	KindAsked     Kind = "asked"
	KindReplied   Kind = "replied"
	KindVerdict   Kind = "verdict"
	KindWarned    Kind = "warned"
	KindPaused    Kind = "paused"
	KindResumed   Kind = "resumed"
	KindRecovered Kind = "recovered"
	KindEnded     Kind = "run_ended"
)

// Event is one line of the log. Exactly one payload is set: the one of its Kind.
type Event struct {
	V   int `json:"v"`
	Seq int `json:"seq"`
	// Step is 0 before the model's first turn, then counts its actions from 1.
	Step int       `json:"step"`
	At   time.Time `json:"at"`
	Kind Kind      `json:"kind"`

	Started   *Started   `json:"run_started,omitempty"`
	Observed  *Observed  `json:"observed,omitempty"`
	Proposed  *Proposed  `json:"proposed,omitempty"`
	Adapted   *Adapted   `json:"adapted,omitempty"`
	Decided   *Decided   `json:"decided,omitempty"`
	Acting    *Acting    `json:"acting,omitempty"`
	Acted     *Acted     `json:"acted,omitempty"`
	Fact      *Fact      `json:"fact,omitempty"`
	Asked     *Asked     `json:"asked,omitempty"`
	Replied   *Replied   `json:"replied,omitempty"`
	Verdict   *Verdict   `json:"verdict,omitempty"`
	Warned    *Warned    `json:"warned,omitempty"`
	Paused    *Paused    `json:"paused,omitempty"`
	Resumed   *Resumed   `json:"resumed,omitempty"`
	Recovered *Recovered `json:"recovered,omitempty"`
	Ended     *Result    `json:"run_ended,omitempty"`
}

// Payload is what an event tells; Writer.Append takes one.
type Payload interface{ attach(*Event) }

// Started is everything the prompts of a run depend on from the start.
type Started struct {
	Task string `json:"task"`
	// URL is where the run begins; empty begins with a blank page.
	URL string `json:"url,omitempty"`
	// AnswerSchema is the JSON Schema that the final answer has to fit; empty when its
	// form is free.
	AnswerSchema string `json:"answer_schema,omitempty"`
	// Secrets are the secrets that the model may type by name.
	Secrets []Secret `json:"secrets,omitempty"`
	// Dialect is the dialect's name, System its system prompt as sent.
	Dialect string `json:"dialect"`
	System  string `json:"system"`
	// MaxSteps, MaxImages, NumCtx and ReplyTokens are the limits the prompt is
	// built to; NumCtx is 0 when the context's size is not known.
	MaxSteps    int `json:"max_steps"`
	MaxImages   int `json:"max_images"`
	NumCtx      int `json:"num_ctx,omitempty"`
	ReplyTokens int `json:"reply_tokens"`
	// Temperature is sent with every request.
	Temperature float64 `json:"temperature"`
	// Seed is sent with every request too; nil sends none.
	Seed *int `json:"seed,omitempty"`
	// Speech is the whole dialect as data, so that the prompts can be built again
	// when the dialect of that name has changed; empty in old runs.
	Speech json.RawMessage `json:"speech,omitempty"`
	// Trim says which frames a prompt lets go of: "window" or "steady"; empty is
	// "window".
	Trim string `json:"trim,omitempty"`
	// Schema is the JSON Schema that the server holds replies to, Tools the native
	// tool definitions; empty when there are none.
	Schema json.RawMessage `json:"schema,omitempty"`
	Tools  json.RawMessage `json:"tools,omitempty"`
}

// Secret is a secret as the model knows it: its name, and the sites on which it may
// be typed.
type Secret struct {
	Name  string   `json:"name"`
	Sites []string `json:"sites"`
}

// Observed is a frame with what was around it. URL, Title, Tabs and quotes come
// from pages and are untrusted.
type Observed struct {
	// Frame is the file below the run's folder, SHA256 the hash of its bytes.
	Frame  string `json:"frame"`
	SHA256 string `json:"sha256"`
	MIME   string `json:"mime"`
	// Captured is the picture's size before it was fitted, Size as sent, both in
	// picture pixels; Viewport is in CSS pixels.
	Captured env.Size   `json:"captured"`
	Size     env.Size   `json:"size"`
	Viewport env.Size   `json:"viewport"`
	Tokens   int        `json:"tokens"`
	URL      string     `json:"url"`
	Title    string     `json:"title,omitempty"`
	Tabs     []env.Tab  `json:"tabs,omitempty"`
	Notes    []env.Note `json:"notes,omitempty"`
	// Unchanged: the frame is the one before, although something was done.
	Unchanged bool `json:"unchanged,omitempty"`
	// Again: it is the step's frame once more, at a size the server can take. It
	// stands in the place of the step's earlier one.
	Again bool `json:"again,omitempty"`
}

// Proposed is a model's reply: what it said, and the call in it or why none.
type Proposed struct {
	// Raw is the reply's text, unmodified; Thinking what the server filed apart.
	Raw      string `json:"raw"`
	Thinking string `json:"thinking,omitempty"`
	// Calls are the native tool calls in it, as they came.
	Calls  []model.ToolCall `json:"tool_calls,omitempty"`
	Finish model.Finish     `json:"finish,omitempty"`
	// Thoughts, Call, Repairs and Ignored are what parsing found; Call is in
	// model space. Call is nil when Problem is set.
	Thoughts string      `json:"thoughts,omitempty"`
	Call     *model.Call `json:"call,omitempty"`
	Repairs  []string    `json:"repairs,omitempty"`
	Ignored  int         `json:"ignored_calls,omitempty"`
	Problem  *Problem    `json:"problem,omitempty"`

	Model   string        `json:"model,omitempty"`
	Usage   model.Usage   `json:"usage"`
	Latency time.Duration `json:"latency_ns"`
	// Request is the hash of the request as sent, Frames the frames in it,
	// EstimatedTokens what it was thought to cost, FrameTokens the frames' part of
	// it. What the server says it read is in Usage.
	Request         string   `json:"request_sha256"`
	Frames          []string `json:"frames"`
	EstimatedTokens int      `json:"estimated_tokens"`
	FrameTokens     int      `json:"frame_tokens,omitempty"`
	// Messages is their number in it, TextChars their text in characters.
	// FreshTokens is the part of EstimatedTokens behind the longest beginning it
	// shares with the request before.
	Messages    int `json:"messages,omitempty"`
	TextChars   int `json:"text_chars,omitempty"`
	FreshTokens int `json:"fresh_tokens,omitempty"`
	// Truncated says by which sign the server seems not to have read the whole
	// request; the reply was then not used. Empty is none.
	Truncated string `json:"truncated,omitempty"`
	// Server is the address that answered, where there are several.
	Server string `json:"server,omitempty"`
}

// Problem is why a reply could not be used.
type Problem struct {
	Reason string `json:"reason"`
	Text   string `json:"text"`
	// Wait is how long a site asks to be left alone; 0 when it does not say.
	Wait time.Duration `json:"wait_ns,omitempty"`
}

// Adapted is a limit learned from the server, in force from here on.
type Adapted struct {
	// MaxImages is the new number of frames in a request; 0 leaves it.
	MaxImages int `json:"max_images,omitempty"`
	// NumCtx is the context in tokens, as we count them; 0 leaves it.
	NumCtx int `json:"num_ctx,omitempty"`
	// MaxPixels is the most that a frame may have, width times height; 0 leaves
	// it. Larger frames are left out from here on.
	MaxPixels int `json:"max_pixels,omitempty"`
	// NoSchema and NoTools: replies are no longer constrained; native tools are no
	// longer offered.
	NoSchema bool `json:"no_schema,omitempty"`
	NoTools  bool `json:"no_tools,omitempty"`
	// MaxSteps is the budget of actions that the model is told of from here on; 0
	// leaves it.
	MaxSteps int `json:"max_steps,omitempty"`
	// NoCounts: the server's counts mean nothing, so nothing is learned from them,
	// and the limits that were are no more.
	NoCounts bool `json:"no_counts,omitempty"`
	// System is the system prompt from here on, Tools are the native tools, when
	// what is learned changes their words; empty leaves them.
	System string          `json:"system,omitempty"`
	Tools  json.RawMessage `json:"tools,omitempty"`
	// Why is the server's refusal.
	Why string `json:"why"`
}

// Decided is what the runtime allowed.
type Decided struct {
	Allowed bool `json:"allowed"`
	// Code is a stable name for the rule that decided.
	Code string `json:"code"`
	// Text says it in words; empty when the action was allowed.
	Text string `json:"text,omitempty"`
	// Classes are what the action was taken for, such as "buy"; empty is nothing
	// that anybody need be asked about.
	Classes []string `json:"classes,omitempty"`
	// Hit is the element that the action was about to reach; untrusted.
	Hit *env.Element `json:"hit,omitempty"`
	// By is who allowed or refused it when that was not a rule.
	By By `json:"by,omitempty"`
}

// Acting is an action about to be done: the intent, on disk before the effect.
type Acting struct {
	// Action is in viewport CSS pixels.
	Action env.Action `json:"action"`
	// Clamped: the model's point lay a little outside the picture and was moved to
	// its edge.
	Clamped bool `json:"clamped,omitempty"`
}

// Acted is what came of it.
type Acted struct {
	// Text is the outcome in our own words.
	Text string `json:"text,omitempty"`
	// Tell: the next frame cannot show it.
	Tell bool `json:"tell,omitempty"`
	// Hit is the element under the point; untrusted.
	Hit *env.Element `json:"hit,omitempty"`
	// Error is set when the action failed.
	Error *Problem `json:"error,omitempty"`
	// Read is set when a page was read.
	Read *PageRead     `json:"read,omitempty"`
	Took time.Duration `json:"took_ns"`
}

// PageRead is a question put to the model about a page's text.
type PageRead struct {
	Question string `json:"question"`
	// Page is the file with the page as Markdown, below the run's folder; the
	// request held its first Chars characters.
	Page  string `json:"page"`
	Chars int    `json:"chars"`
	// Answer is the model's; untrusted, since it may repeat the page.
	Answer  string        `json:"answer"`
	Request string        `json:"request_sha256"`
	Usage   model.Usage   `json:"usage"`
	Latency time.Duration `json:"latency_ns"`
}

// Fact is something the model wants to remember.
type Fact struct {
	Text string `json:"text"`
}

// Recovered says that the browser was brought back.
type Recovered struct {
	Text string `json:"text"`
}

func (p Started) attach(e *Event)   { e.Kind, e.Started = KindStarted, &p }
func (p Observed) attach(e *Event)  { e.Kind, e.Observed = KindObserved, &p }
func (p Proposed) attach(e *Event)  { e.Kind, e.Proposed = KindProposed, &p }
func (p Adapted) attach(e *Event)   { e.Kind, e.Adapted = KindAdapted, &p }
func (p Decided) attach(e *Event)   { e.Kind, e.Decided = KindDecided, &p }
func (p Acting) attach(e *Event)    { e.Kind, e.Acting = KindActing, &p }
func (p Acted) attach(e *Event)     { e.Kind, e.Acted = KindActed, &p }
func (p Fact) attach(e *Event)      { e.Kind, e.Fact = KindFact, &p }
func (p Asked) attach(e *Event)     { e.Kind, e.Asked = KindAsked, &p }
func (p Replied) attach(e *Event)   { e.Kind, e.Replied = KindReplied, &p }
func (p Verdict) attach(e *Event)   { e.Kind, e.Verdict = KindVerdict, &p }
func (p Warned) attach(e *Event)    { e.Kind, e.Warned = KindWarned, &p }
func (p Paused) attach(e *Event)    { e.Kind, e.Paused = KindPaused, &p }
func (p Resumed) attach(e *Event)   { e.Kind, e.Resumed = KindResumed, &p }
func (p Recovered) attach(e *Event) { e.Kind, e.Recovered = KindRecovered, &p }
func (p Result) attach(e *Event)    { e.Kind, e.Ended = KindEnded, &p }
