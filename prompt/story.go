package prompt

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"fara/dialect"
	"fara/model"
	"fara/trajectory"
)

// story is a run's events sorted into turns, with the limits that hold now and
// what the server's counts have taught.
type story struct {
	d       dialect.Dialect
	started *trajectory.Started
	limits  limits
	begun   bool // something was done already
	turns   []turn
	facts   []string

	counts counts
	// answered are the replies so far, of every kind.
	answered []*trajectory.Proposed
	// from is the turn of the oldest frame in the last request that was answered.
	from int

	// What the next turn has to be told, until there is one.
	pending []string
	learned []string // facts
	reply   string
	by      trajectory.By // who gave it
}

// limits are what the requests are built to, from the start or learned.
type limits struct {
	maxImages int
	numCtx    int // 0 is not known
	maxPixels int // 0 is none
	maxSteps  int
	system    string
	schema    json.RawMessage
	tools     json.RawMessage
}

// turn is one frame, what was told with it, and what the model made of it.
type turn struct {
	seen *trajectory.Observed
	// told are lines about what the frame does not show.
	told []string
	// learned are the facts that were memorised just before.
	learned []string
	// reply is what the user said just before, by who that was.
	reply string
	by    trajectory.By
	// said is the reply that led to an action; nil while there is none.
	said *said
	// bad are replies that could not be used.
	bad []*trajectory.Proposed
}

// read sorts the events.
func read(events []trajectory.Event, d dialect.Dialect) (*story, error) {
	if len(events) == 0 || events[0].Started == nil {
		return nil, fmt.Errorf("the events do not begin with %s", trajectory.KindStarted)
	}
	began := events[0].Started
	s := &story{d: d, started: began, counts: newCounts(d), limits: limits{
		maxImages: began.MaxImages, maxSteps: began.MaxSteps, numCtx: began.NumCtx, system: began.System,
		schema: compact(began.Schema), tools: compact(began.Tools),
	}}
	for _, e := range events[1:] {
		s.take(e)
	}
	if !s.counts.ignored {
		s.counts.learn(s.answered)
	}
	return s, nil
}

func (s *story) take(e trajectory.Event) {
	switch e.Kind {
	case trajectory.KindObserved:
		s.observe(e.Observed)
	case trajectory.KindProposed:
		s.propose(e.Proposed)
	case trajectory.KindAdapted:
		s.adapt(e.Adapted)
	case trajectory.KindDecided:
		if !e.Decided.Allowed {
			s.pending = append(s.pending, s.named(fmt.Sprintf(s.d.Turns.Refused, oneLine(e.Decided.Text, errorLimit))))
		}
	case trajectory.KindActed:
		s.begun = true
		s.acted(e.Acted)
	case trajectory.KindFact:
		s.facts = append(s.facts, e.Fact.Text)
		s.learned = append(s.learned, e.Fact.Text)
	case trajectory.KindReplied:
		if e.Replied.Choice == "" {
			s.reply, s.by = join(s.reply, e.Replied.Text), firstOf(s.by, e.Replied.By)
		}
	case trajectory.KindVerdict:
		if v := e.Verdict; !v.Accepted && !v.Unsure {
			s.tell(s.d.Turns.Rejected, oneLine(v.Reason, errorLimit))
		}
	case trajectory.KindWarned:
		s.tell(s.d.Turns.Note, e.Warned.Text)
	case trajectory.KindResumed:
		if e.Resumed.Text != "" {
			s.tell(s.d.Turns.Note, e.Resumed.Text)
		}
	}
}

func (s *story) adapt(a *trajectory.Adapted) {
	s.limits.maxImages = cmp.Or(a.MaxImages, s.limits.maxImages)
	s.limits.numCtx = cmp.Or(a.NumCtx, s.limits.numCtx)
	s.limits.maxSteps = cmp.Or(a.MaxSteps, s.limits.maxSteps)
	s.limits.maxPixels = cmp.Or(a.MaxPixels, s.limits.maxPixels)
	s.limits.system = cmp.Or(a.System, s.limits.system)
	if len(a.Tools) > 0 {
		s.limits.tools = compact(a.Tools)
	}
	if a.NoCounts {
		s.counts.ignored, s.limits.numCtx, s.limits.maxPixels = true, s.started.NumCtx, 0
	}
	if a.NoSchema {
		s.limits.schema = nil
	}
	if a.NoTools {
		s.limits.tools = nil
	}
}

// observe begins a turn. A frame that is taken again stands in the place of the
// one before, and so does one that follows a frame nobody answered: the model
// speaks once between two turns of its user.
func (s *story) observe(o *trajectory.Observed) {
	s.counts.frames[o.Frame] = o.Tokens
	last := len(s.turns) - 1
	if o.Again && last >= 0 {
		s.turns[last].seen = o
		return
	}
	t := turn{seen: o, told: s.pending, learned: s.learned, reply: s.reply, by: s.by}
	s.pending, s.learned, s.reply, s.by = nil, nil, "", ""
	if last >= 0 && s.turns[last].said == nil {
		was := s.turns[last]
		t.told = append(slices.Clone(was.told), t.told...)
		t.learned = append(slices.Clone(was.learned), t.learned...)
		t.reply, t.by = join(was.reply, t.reply), firstOf(was.by, t.by)
		s.turns = s.turns[:last]
	}
	for _, n := range o.Notes {
		line := s.named(fmt.Sprintf(s.d.Turns.Note, sentence(n.Text)))
		if n.Quote != "" {
			line = fmt.Sprintf(s.d.Turns.Quote, sentence(n.Text), quoted(n.Quote, quoteLimit))
		}
		// A page that repeats itself is told once.
		if !slices.Contains(t.told, line) {
			t.told = append(t.told, line)
		}
	}
	s.turns = append(s.turns, t)
}

func (s *story) propose(p *trajectory.Proposed) {
	if len(s.turns) == 0 {
		return
	}
	s.answered = append(s.answered, p)
	if pictures := s.pictures(); len(p.Frames) > 0 {
		s.from = pictures[max(0, len(pictures)-len(p.Frames))]
	}
	t := &s.turns[len(s.turns)-1]
	switch {
	case p.Truncated != "": // an answer to something else than what was asked
	case p.Problem != nil:
		t.bad = append(t.bad, p)
	default:
		// Replies that could not be used have served: later prompts leave them out.
		t.said, t.bad = s.saying(p), nil
	}
}

func (s *story) acted(a *trajectory.Acted) {
	switch {
	case a.Error != nil:
		s.pending = append(s.pending, s.named(fmt.Sprintf(s.d.Turns.Failed, oneLine(a.Error.Text, errorLimit))))
	case a.Read != nil:
		answer := middleCut(defuse.Replace(withoutBlobs(a.Read.Answer)), answerLimit)
		s.pending = append(s.pending, fmt.Sprintf(s.d.Turns.Answer, quoted(a.Read.Question, quoteLimit), fence(answer)))
	case a.Tell:
		s.pending = append(s.pending, s.named(fmt.Sprintf(s.d.Turns.Note, oneLine(a.Text, errorLimit))))
	}
}

// named adds to a line of ours in which things of a page are called by their names,
// as "Buy now", that those are data. A quotation mark in a name ends it for no
// reader.
func (s *story) named(line string) string {
	line = strings.ReplaceAll(line, `\"`, "'")
	if !strings.Contains(line, `"`) {
		return line
	}
	return fmt.Sprintf(s.d.Turns.Named, line)
}

func (s *story) tell(format, text string) {
	s.pending = append(s.pending, fmt.Sprintf(format, text))
}

// steady reports whether requests are to begin like the one before.
func (s *story) steady() bool { return s.started.Trim == Steady }

// said is a reply as later prompts repeat it.
type said struct {
	from *trajectory.Proposed
	text string
	// call is the native call in it that was followed; nil when it came as text.
	call *model.ToolCall
}

// saying keeps of a reply what was followed.
func (s *story) saying(p *trajectory.Proposed) *said {
	out := &said{from: p, text: withoutBlobs(s.firstCall(p))}
	if len(p.Calls) > 0 {
		out.call = followed(p, len(s.turns))
		return out
	}
	if Unkept(p) {
		out.text = withoutBlobs(Words(p, s.d))
		return out
	}
	if strings.TrimSpace(p.Raw) == "" {
		// The server filed the whole reply as thinking. Without it the model would
		// not know what it did.
		out.text = withoutBlobs(p.Thinking)
	}
	return out
}

// firstCall is a reply's text up to the end of its first call: those behind it
// were not followed, and the model must not think that they were.
func (s *story) firstCall(p *trajectory.Proposed) string {
	if p.Ignored == 0 || !s.d.Complete(p.Raw) {
		return p.Raw
	}
	ends := sort.Search(len(p.Raw), func(n int) bool { return s.d.Complete(p.Raw[:n]) })
	for ends < len(p.Raw) && !utf8.RuneStart(p.Raw[ends]) {
		ends++
	}
	return p.Raw[:ends]
}

// followed is the native call that was followed: the first. Its ID is the
// server's, or the turn's number, so that it is the same in every later prompt.
func followed(p *trajectory.Proposed, turn int) *model.ToolCall {
	call := p.Calls[0]
	call.ID = cmp.Or(call.ID, fmt.Sprintf("call_%d", turn))
	var object map[string]any
	if json.Unmarshal([]byte(call.Arguments), &object) != nil {
		// It was read with repairs; servers take nothing but an object back.
		repaired, err := json.Marshal(p.Call)
		if err == nil {
			call.Arguments = string(repaired)
		}
	}
	call.Arguments = withoutBlobs(call.Arguments)
	return &call
}

// compact gives JSON as it stands in the log, where white space is left out: what
// is read back must give the same request.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
