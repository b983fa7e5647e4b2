package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// Why replies make no row.
const (
	// Differs: the request comes out otherwise than it was sent.
	Differs = "request_differs"
	// Unrecorded: nobody wrote down what was sent.
	Unrecorded = "request_unrecorded"
	// Unbuilt: the request cannot be built again, since a file is missing or changed.
	Unbuilt = "request_unbuilt"
	// Marked: a format would take words of the reply for something else.
	Marked = "reply_has_marks"
)

// Truncated is the Problem of a reply to a request that the server did not read whole.
const Truncated = "request_truncated"

// Refusal is a reply that makes no row, with why.
type Refusal struct {
	Run    string `json:"run"`
	Step   int    `json:"step"`
	Event  int    `json:"event"`
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// Exchange is a request with the reply to it, as turns.
type Exchange struct {
	// Turns are the request's messages, Reply is the model's answer, with its Answer.
	Turns []Turn
	Reply Turn
	// Tools and Schema are the request's; nil is none.
	Tools, Schema json.RawMessage
	Sampling
}

// Unsent says what becomes of requests that nobody wrote down, as those of runs that
// another program recorded.
type Unsent string

// What becomes of them.
const (
	RefuseUnsent Unsent = ""
	// BuildUnsent builds them as ours would have been; the answers say that they were
	// not recorded.
	BuildUnsent Unsent = "rebuild"
)

// Replies calls take with every reply of the run and the request to it, in their
// order, and refuse with those whose request is not certain. It stops at an error of
// either and returns it.
func (s *Source) Replies(unsent Unsent, take func(Exchange) error, refuse func(Refusal)) error {
	w := walk{s: s, unsent: unsent}
	for i, e := range s.Events {
		w.pass(i)
		if e.Proposed == nil {
			continue
		}
		x, why := w.exchange(i, e)
		if why != nil {
			refuse(*why)
			continue
		}
		if err := take(x); err != nil {
			return err
		}
	}
	return nil
}

// walk goes through a run's events.
type walk struct {
	s      *Source
	unsent Unsent
	final  bool   // the model is asked for its last word
	url    string // of the page in front
}

// codeFinal is what the runtime asks for a last word under.
const codeFinal = "final_answer"

// pass takes note of an event that is no reply.
func (w *walk) pass(i int) {
	switch e := w.s.Events[i]; {
	case e.Observed != nil:
		w.url, w.final = e.Observed.URL, false
	case e.Warned != nil && e.Warned.Code == codeFinal:
		w.final = true
	}
}

// exchange builds the request of a reply again and holds it against what was sent.
func (w *walk) exchange(i int, e trajectory.Event) (Exchange, *Refusal) {
	p := e.Proposed
	refused := func(reason string, format string, args ...any) *Refusal {
		return &Refusal{w.s.Run.Task.Run, e.Step, e.Seq, reason, fmt.Sprintf(format, args...)}
	}
	if p.Request == "" && w.unsent != BuildUnsent {
		return Exchange{}, refused(Unrecorded, "the request was not recorded; --unrecorded builds it in our words")
	}
	built, err := prompt.Build(w.s.Events[:i], w.s.Dialect, w.s.Load)
	if err != nil {
		return Exchange{}, refused(Unbuilt, "%v", err)
	}
	hash := prompt.Hash(built.Request)
	if p.Request != "" && hash != p.Request {
		return Exchange{}, refused(Differs, "the request comes out with the hash %.12s, and %.12s was sent", hash, p.Request)
	}
	turns, err := w.turns(built)
	if err != nil {
		return Exchange{}, refused(Unbuilt, "%v", err)
	}
	x := Exchange{Turns: turns, Tools: built.Request.Tools, Schema: built.Request.Schema, Sampling: samplingOf(built.Request)}
	x.Reply = Turn{Role: model.Assistant, Text: prompt.Words(p, w.s.Dialect), Thinking: p.Thinking, Calls: p.Calls, By: w.by(p), Answer: w.answer(i, e)}
	x.Reply.Answer.Request, x.Reply.Answer.Recorded = hash, p.Request != ""
	x.Reply.Answer.Context = contextHash(x)
	return x, nil
}

func samplingOf(req model.Request) Sampling {
	return Sampling{Temperature: Number(req.Temperature), Seed: req.Seed, MaxTokens: req.MaxTokens, Stop: req.Stop}
}

// by says what kind of reply it is.
func (w *walk) by(p *trajectory.Proposed) Provenance {
	switch {
	case p.Problem != nil || p.Truncated != "" || p.Call == nil:
		return Bad
	case w.final:
		return Forced
	case len(p.Repairs) > 0 || p.Ignored > 0 || prompt.Unkept(p):
		return Repaired
	}
	return Model
}

// answer is what is known of a reply.
func (w *walk) answer(i int, e trajectory.Event) *Answer {
	p := e.Proposed
	a := &Answer{
		Event: e.Seq, Step: e.Step, Repairs: append([]string{}, p.Repairs...), By: w.by(p), Finish: p.Finish, Reply: replyHash(p),
		Outcome: outcome(w.s.Events[i+1:]), URL: w.url,
	}
	switch {
	case p.Truncated != "":
		a.Problem, a.Outcome = Truncated, "unused"
	case p.Problem != nil:
		a.Problem, a.Outcome = p.Problem.Reason, "unused"
	case p.Call != nil:
		call := w.s.Dialect.Fill(*p.Call)
		text, _ := json.Marshal(p.Call) // texts and numbers alone
		a.Call, a.Canonical = string(text), &call
	}
	return a
}

// outcome is what came of the call before the events.
// It stops where the next thing begins.
func outcome(after []trajectory.Event) string {
	for _, e := range after {
		switch {
		case e.Decided != nil && !e.Decided.Allowed:
			return "refused"
		case e.Acted != nil && e.Acted.Error != nil:
			return "failed"
		case e.Acted != nil:
			return "done"
		case e.Verdict != nil && !e.Verdict.Accepted && !e.Verdict.Unsure:
			return "refused"
		case e.Ended != nil && (e.Ended.Reason == "terminate" || e.Ended.Reason == "gave_up"):
			return "done"
		case e.Observed != nil, e.Proposed != nil, e.Ended != nil:
			return "unknown"
		}
	}
	return "unknown"
}

// replyHash is the fingerprint of a reply.
func replyHash(p *trajectory.Proposed) string {
	if p.Thinking == "" && len(p.Calls) == 0 {
		return hexOf([]byte(p.Raw))
	}
	line, _ := json.Marshal([]any{p.Raw, p.Thinking, p.Calls}) // texts alone
	return hexOf(line)
}

// contextHash is the fingerprint of all that the model saw: the request without how
// its reply was to be drawn.
func contextHash(x Exchange) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	enc.Encode([]any{x.Schema, x.Tools}) // a hash takes everything
	for _, t := range x.Turns {
		enc.Encode(identity(t))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// identity is all of a turn that a model reads.
func identity(t Turn) []any {
	line := []any{t.Role, t.Text, t.CallID}
	for _, f := range t.Images {
		line = append(line, f.MIME, f.SHA256)
	}
	for _, c := range t.Calls {
		line = append(line, c.ID, c.Name, c.Arguments)
	}
	return line
}

func hexOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// turns are a request's messages, with whose words they are.
func (w *walk) turns(built prompt.Prompt) ([]Turn, error) {
	origins, files := built.Origins(), built.Frames
	out := make([]Turn, len(built.Request.Messages))
	for i, m := range built.Request.Messages {
		t := Turn{Role: m.Role, Text: m.Text, Calls: m.Calls, CallID: m.CallID, By: whose(origins[i])}
		for range m.Images {
			if len(files) == 0 {
				return nil, errors.New("the request has more frames than it names")
			}
			t.Images = append(t.Images, w.s.frames[files[0]])
			files = files[1:]
		}
		out[i] = t
	}
	return out, nil
}

// whose says whose words a message holds.
func whose(o prompt.Origin) Provenance {
	switch {
	case o.Reply != nil:
		// A last word is in no later request but that of a run that was taken up again.
		return (&walk{}).by(o.Reply)
	case o.By == trajectory.Auto:
		return AutoReply
	case o.By == trajectory.Person, o.Task:
		return Person
	}
	return Runtime
}
