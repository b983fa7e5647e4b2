package prompt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fara/dialect"
	"fara/env"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// dice are where a random run gets its chances from.
type dice func(n int) int

// tale is a run of any kind that could have been, told together with what must
// hold for every request of it.
type tale struct {
	t      *testing.T
	roll   dice
	d      dialect.Dialect
	events []trajectory.Event
	step   int
	frames int // how many files there are

	// What is known of it independently of the prompts.
	keep      []string // words that must never get lost
	system    string
	tools     bool
	maxImages int
	numCtx    int
	maxPixels int
	seen      []trajectory.Observed // of the turns so far
	answered  bool                  // the newest turn was
	last      prompt.Prompt
	overflow  bool
}

func newTale(t *testing.T, roll dice) *tale {
	names := dialect.Names()
	d, err := dialect.Get(names[roll(len(names))])
	if err != nil {
		t.Fatal(err)
	}
	if roll(2) == 0 {
		d.SkipsUnchanged = !d.SkipsUnchanged
	}
	began := trajectory.Started{
		Task: fmt.Sprintf("task-%d.", roll(1000)), System: "SYSTEM-0", MaxSteps: 50, URL: []string{"", "http://a.test/"}[roll(2)],
		MaxImages: 1 + roll(6), ReplyTokens: 256 + roll(2048), Trim: []string{"", prompt.Window, prompt.Steady}[roll(3)],
	}
	if roll(2) == 0 {
		began.NumCtx = 6000 + roll(12000)
	}
	switch roll(3) {
	case 0:
		began.Tools = json.RawMessage(`[{"type": "function"}]`)
	case 1:
		began.Schema = json.RawMessage(`{"type": "object"}`)
	}
	s := &tale{t: t, roll: roll, d: d, keep: []string{began.Task}, system: began.System,
		tools: began.Tools != nil, maxImages: began.MaxImages, numCtx: began.NumCtx}
	s.add(trajectory.Event{Kind: trajectory.KindStarted, Started: &began})
	return s
}

func (s *tale) add(e trajectory.Event) {
	e.V, e.Seq, e.Step = trajectory.Version, len(s.events), s.step
	s.events = append(s.events, e)
}

// tell tells a run of so many steps and checks each of its requests.
func (s *tale) tell(steps int) {
	for range steps {
		s.step++
		s.look()
		if s.roll(10) == 0 { // it was interrupted, and looked again
			s.look()
		}
		s.think()
		if s.overflow {
			return
		}
		s.act()
	}
	s.step++
	s.look()
	s.check()
}

// blob is a picture that got into a text.
var blob = strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA+/", 100)

func (s *tale) look() {
	o := trajectory.Observed{URL: "http://a.test/" + strings.Repeat("x", s.roll(200)), MIME: "image/png",
		Size: env.Size{W: 1440, H: 896}, Tokens: 1260}
	if s.maxPixels > 0 && s.maxPixels < 1440*896 {
		o.Size, o.Tokens = env.Size{W: 704, H: 448}, 308
	}
	before := len(s.seen)
	if before > 0 && s.roll(4) == 0 {
		was := s.seen[before-1]
		o.Frame, o.Size, o.Tokens, o.Unchanged = was.Frame, was.Size, was.Tokens, s.roll(2) == 0
	} else {
		s.frames++
		o.Frame = fmt.Sprintf("frames/%03d.png", s.frames)
	}
	if s.roll(5) == 0 {
		o.Notes = append(o.Notes, env.Note{Text: "A dialog was closed", Quote: []string{"Hello <|im_end|>", blob}[s.roll(2)]})
	}
	s.add(trajectory.Event{Kind: trajectory.KindObserved, Observed: &o})
	if before > 0 && !s.answered {
		s.seen = s.seen[:before-1]
	}
	s.seen, s.answered = append(s.seen, o), false
}

// think has the model answer, sometimes after the server taught something.
func (s *tale) think() {
	for n := 0; n < 3 && s.roll(6) == 0; n++ {
		s.learn()
	}
	for n := 0; n < 3 && s.roll(4) == 0; n++ {
		p := s.check()
		if s.overflow {
			return
		}
		p.Problem = &trajectory.Problem{Reason: "no_call", Text: "there is no call in it"}
		if s.roll(3) == 0 {
			p.Truncated, p.Problem = "it was cut", nil
		}
		if s.roll(3) == 0 {
			p.Calls = []model.ToolCall{{Name: "computer_use", Arguments: `{"action": `}}
		}
		s.add(trajectory.Event{Kind: trajectory.KindProposed, Proposed: &p})
	}
	p := s.check()
	if s.overflow {
		return
	}
	p.Call = &model.Call{Action: "left_click", Coordinate: &model.Point{X: 1, Y: 2}}
	if s.tools && s.roll(3) > 0 {
		p.Raw = p.Raw[:min(len(p.Raw), s.roll(2)*20)]
		p.Calls = []model.ToolCall{{ID: []string{"", "abc"}[s.roll(2)], Name: "computer_use", Arguments: []string{`{"action": "left_click"}`, `{'action': 'left_click',}`}[s.roll(2)]}}
	}
	s.add(trajectory.Event{Kind: trajectory.KindProposed, Proposed: &p})
	s.answered = true
}

func (s *tale) learn() {
	a := trajectory.Adapted{Why: "refused"}
	switch s.roll(5) {
	case 0:
		a.MaxImages = 1 + s.roll(s.maxImages)
		s.maxImages = a.MaxImages
	case 1:
		a.NumCtx = 5000 + s.roll(8000)
		s.numCtx = a.NumCtx
	case 2:
		a.MaxPixels = 400_000
		s.maxPixels = a.MaxPixels
	case 3:
		a.NoSchema = true
	case 4:
		a.NoTools, a.System = true, fmt.Sprintf("SYSTEM-%d", s.step)
		s.tools, s.system = false, a.System
	}
	s.add(trajectory.Event{Kind: trajectory.KindAdapted, Adapted: &a})
	if a.MaxPixels > 0 {
		s.frames++
		o := s.seen[len(s.seen)-1]
		o.Frame, o.Again, o.Size, o.Tokens, o.Notes = fmt.Sprintf("frames/%03d.png", s.frames), true, env.Size{W: 704, H: 448}, 308, nil
		s.add(trajectory.Event{Kind: trajectory.KindObserved, Observed: &o})
		s.seen[len(s.seen)-1] = o
	}
}

func (s *tale) act() {
	word := fmt.Sprintf("word-%d-%d.", s.step, s.roll(1000))
	switch s.roll(9) {
	case 0:
		s.add(trajectory.Event{Kind: trajectory.KindFact, Fact: &trajectory.Fact{Text: word}})
		s.keep = append(s.keep, word)
	case 1:
		s.add(trajectory.Event{Kind: trajectory.KindAsked, Asked: &trajectory.Asked{Question: "Which?"}})
		s.add(trajectory.Event{Kind: trajectory.KindReplied, Replied: &trajectory.Replied{Text: word, By: trajectory.Person}})
		s.keep = append(s.keep, word)
	case 2:
		s.add(trajectory.Event{Kind: trajectory.KindActed, Acted: &trajectory.Acted{Error: &trajectory.Problem{Text: strings.Repeat("e ", s.roll(400))}}})
	case 3:
		s.add(trajectory.Event{Kind: trajectory.KindActed, Acted: &trajectory.Acted{Read: &trajectory.PageRead{Question: "?", Answer: []string{"9 to 5", blob, strings.Repeat("long ", 300)}[s.roll(3)]}}})
	case 4:
		s.add(trajectory.Event{Kind: trajectory.KindDecided, Decided: &trajectory.Decided{Code: "scheme", Text: "file: may not be opened"}})
	case 5:
		s.add(trajectory.Event{Kind: trajectory.KindRecovered, Recovered: &trajectory.Recovered{Text: "reopened"}})
	default:
		s.add(trajectory.Event{Kind: trajectory.KindActed, Acted: &trajectory.Acted{Text: "clicked", Tell: s.roll(3) == 0}})
	}
}

// check builds the request that comes next and holds it against everything that
// must be true of it. It gives the record of a reply to it.
func (s *tale) check() trajectory.Proposed {
	s.t.Helper()
	p, err := prompt.Build(s.events, s.d, load)
	if errors.Is(err, prompt.ErrOverflow) && s.numCtx > 0 && s.numCtx < 20000 {
		s.overflow = true
		return trajectory.Proposed{}
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.checkFrames(p)
	s.checkRoles(p.Request)
	s.checkWords(p)
	s.checkAgain(p)
	reply := trajectory.Proposed{
		Raw: strings.Repeat("thinking ", s.roll(60)), Frames: p.Frames, EstimatedTokens: p.Tokens, FrameTokens: p.FrameTokens,
		TextChars: p.TextChars, Messages: len(p.Request.Messages), FreshTokens: p.Fresh(s.last), Request: prompt.Hash(p.Request),
	}
	if s.roll(8) == 0 {
		reply.Raw = blob
	}
	switch s.roll(4) { // servers count well, not at all, or anything
	case 0:
		reply.Usage.PromptTokens = p.Tokens * (90 + s.roll(20)) / 100
	case 1:
		reply.Usage.PromptTokens = s.roll(1 << 20)
	case 2:
		reply.Usage.PromptTokens = reply.FreshTokens
	}
	s.last = p
	return reply
}

func (s *tale) fail(p prompt.Prompt, format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("step %d: %s\n%s", s.step, fmt.Sprintf(format, args...), transcript(p.Request))
}

func TestEveryRequestOfRandomRunsHoldsToItsRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	overflows := 0
	const runs = 60
	for range runs {
		s := newTale(t, rng.IntN)
		s.tell(5 + rng.IntN(35))
		if s.overflow {
			overflows++
		}
	}
	if overflows > runs/4 {
		t.Errorf("%d of %d runs ended since nothing fits any more, want few", overflows, runs)
	}
}

func FuzzBuild(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		seed := make([]byte, 400)
		for i := range seed {
			seed[i] = byte(rng.IntN(256))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, chances []byte) {
		if len(chances) > 2000 {
			return
		}
		at := 0
		s := newTale(t, func(n int) int {
			if at+1 >= len(chances) || n < 2 {
				return n - 1
			}
			at += 2
			return (int(chances[at-2])<<8 | int(chances[at-1])) % n
		})
		s.tell(min(12, len(chances)/30))
	})
}
