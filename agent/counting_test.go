package agent_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"fara/dialect"
	"fara/env"
	"fara/model"
	"fara/model/modeltest"
	"fara/parse"
	"fara/trajectory"
)

// counter is a server with its own way to count what it reads.
type counter struct {
	model.Chatter
	// perChar is what a character costs, picture what a picture does.
	perChar float64
	picture modeltest.Law
	// report turns the request's true cost, and the part that is new to the
	// server, into what it says; nil says the cost.
	report func(cost, fresh int) int

	mu     sync.Mutex
	before []string // the last request, message by message
}

func (c *counter) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	reply, err := c.Chatter.Chat(ctx, req, until)
	if err != nil || reply.Usage == (model.Usage{}) {
		return reply, err
	}
	cost, fresh := c.cost(req)
	reply.Usage.PromptTokens = cost
	if c.report != nil {
		reply.Usage.PromptTokens = c.report(cost, fresh)
	}
	return reply, nil
}

func (c *counter) cost(req model.Request) (all, fresh int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var now []string
	shared := true
	for i, m := range req.Messages {
		cost := 4 + int(math.Ceil(c.perChar*float64(utf8.RuneCountInString(m.Text))))
		line := string(m.Role) + m.Text
		for _, img := range m.Images {
			cost += c.picture.Prompt(model.Request{Messages: []model.Message{{Images: []model.Image{img}}}}) - 1
			line += string(img.Data)
		}
		now = append(now, line)
		shared = shared && i < len(c.before) && c.before[i] == line
		all += cost
		if !shared {
			fresh += cost
		}
	}
	c.before = now
	return all, fresh
}

// tiles is the law of models that cut a picture into squares of 512 pixels.
func tiles(w, h int) int { return 85 + 170*((w+511)/512)*((h+511)/512) }

// smallerGrid is the grid of a server that makes larger pictures smaller.
func smallerGrid(w, h int) int {
	scale := math.Min(1, 1024/float64(max(w, h)))
	return modeltest.Grid(32)(int(float64(w)*scale), int(float64(h)*scale))
}

func speaking(t *testing.T, name string) dialect.Dialect {
	t.Helper()
	d, err := dialect.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// chatter is a model that clicks on and on, at some length, in a dialect.
func chatter(d dialect.Dialect) *modeltest.Script {
	var answers []modeltest.Answer
	for i := range 60 {
		thoughts := strings.Repeat("I look at the page and think. ", i%7)
		arguments := fmt.Sprintf(`"action": "left_click", "coordinate": [%d, 300]`, 100+i)
		if d.Reply == parse.Object {
			answers = append(answers, modeltest.Text(fmt.Sprintf(`{"thoughts": %q, %s}`, thoughts, arguments)))
			continue
		}
		answers = append(answers, call(thoughts, "{"+arguments+"}"))
	}
	return modeltest.NewEndlessScript(answers...)
}

func TestHealthyServersAreNeverTakenForCutting(t *testing.T) {
	for name, c := range map[string]struct {
		dialect string
		counter *counter
	}{
		"qwen":              {"fara-1.5", &counter{perChar: 0.22, picture: modeltest.Grid(32)}},
		"dear text":         {"fara-1.5", &counter{perChar: 0.9, picture: modeltest.Grid(32)}},
		"a token a byte":    {"fara-1.5", &counter{perChar: 1, picture: modeltest.Grid(32)}},
		"cheap text":        {"fara-1.5", &counter{perChar: 0.17, picture: modeltest.Grid(32)}},
		"another grid":      {"fara-1.5", &counter{perChar: 0.25, picture: modeltest.Grid(28)}},
		"smaller pictures":  {"fara-1.5", &counter{perChar: 0.25, picture: smallerGrid}},
		"gemma":             {"json", &counter{perChar: 0.25, picture: modeltest.Flat(256)}},
		"gemma, dear text":  {"json", &counter{perChar: 0.6, picture: modeltest.Flat(256)}},
		"tiles":             {"json", &counter{perChar: 0.25, picture: tiles}},
		"a token a picture": {"json", &counter{perChar: 0.25, picture: modeltest.Flat(1)}},
		"dear pictures":     {"json", &counter{perChar: 0.25, picture: modeltest.Flat(2880)}},
		"no usage":          {"fara-1.5", &counter{perChar: 0.25, picture: modeltest.Grid(32), report: func(int, int) int { return 0 }}},
		"what was new only": {"fara-1.5", &counter{perChar: 0.25, picture: modeltest.Grid(32), report: func(_, fresh int) int { return fresh }}},
		"new only, gemma":   {"json", &counter{perChar: 0.25, picture: modeltest.Flat(256), report: func(_, fresh int) int { return fresh }}},
		"new only, now and then": {"fara-1.5", &counter{perChar: 0.25, picture: modeltest.Grid(32), report: func(cost, fresh int) int {
			if cost%3 == 0 {
				return cost
			}
			return fresh
		}}},
		"a round number": {"fara-1.5", &counter{perChar: 0.25, picture: modeltest.Grid(32), report: func(int, int) int { return 1000 }}},
		"a small number": {"fara-1.5", &counter{perChar: 0.25, picture: modeltest.Grid(32), report: func(int, int) int { return 17 }}},
	} {
		for _, trim := range []string{"window", "steady"} {
			b := newBench(t)
			b.cfg.Dialect, b.cfg.Trim, b.cfg.MaxSteps = speaking(t, c.dialect), trim, 12
			b.page.Viewport = b.cfg.Dialect.Viewport
			b.model = chatter(b.cfg.Dialect)
			b.server = func(m model.Chatter) model.Chatter {
				c.counter.Chatter = m // what it has read in the first run it still knows in the second
				return c.counter
			}
			r := b.run(t)
			want(t, r, trajectory.BudgetExhausted, "max_steps")
			if r.Usage.Truncated != 0 || r.Usage.Calls != 12 {
				t.Errorf("%s, %s: got %d cut of %d calls, want none of 12: %v", name, trim, r.Usage.Truncated, r.Usage.Calls, b.signs(t))
			}
		}
	}
}

// signs are what was found wrong with the server's counts.
func (b *bench) signs(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, e := range b.events(t) {
		if e.Proposed != nil && e.Proposed.Truncated != "" {
			out = append(out, fmt.Sprintf("step %d: %s (thought %d, new %d)", e.Step, e.Proposed.Truncated, e.Proposed.EstimatedTokens, e.Proposed.FreshTokens))
		}
	}
	return out
}

func TestEstimatesFollowTheServersCounts(t *testing.T) {
	for name, c := range map[string]struct {
		dialect string
		counter *counter
		off     float64 // the most the last estimates may be off, as a share
	}{
		"qwen":          {"fara-1.5", &counter{perChar: 0.22, picture: modeltest.Grid(32)}, 0.03},
		"byte":          {"fara-1.5", &counter{perChar: 1, picture: modeltest.Grid(32)}, 0.03},
		"gemma":         {"json", &counter{perChar: 0.3, picture: modeltest.Flat(256)}, 0.04},
		"tiles":         {"json", &counter{perChar: 0.25, picture: tiles}, 0.04},
		"dear pictures": {"json", &counter{perChar: 0.25, picture: modeltest.Flat(2880)}, 0.04},
	} {
		b := newBench(t)
		b.cfg.Dialect, b.cfg.MaxSteps = speaking(t, c.dialect), 16
		b.page.Viewport = b.cfg.Dialect.Viewport
		b.model = chatter(b.cfg.Dialect)
		b.server = func(m model.Chatter) model.Chatter {
			c.counter.Chatter = m
			return c.counter
		}
		b.run(t)
		for _, e := range b.events(t) {
			if e.Proposed == nil || e.Step < 5 {
				continue
			}
			p := e.Proposed
			if off := math.Abs(float64(p.EstimatedTokens)/float64(p.Usage.PromptTokens) - 1); off > c.off {
				t.Errorf("%s, step %d: thought %d tokens, were %d: %.0f %% off, want at most %.0f %%", name, e.Step, p.EstimatedTokens, p.Usage.PromptTokens, 100*off, 100*c.off)
			}
			if c.dialect == "fara-1.5" && p.FrameTokens != len(p.Frames)*(45*28+2) {
				t.Errorf("%s, step %d: the %d frames are counted as %d tokens, want them exact", name, e.Step, len(p.Frames), p.FrameTokens)
			}
		}
	}
}

// cutting is a server that reads no more than limit tokens and says so.
func cutting(limit int, picture modeltest.Law) func(model.Chatter) model.Chatter {
	return func(m model.Chatter) model.Chatter {
		return &counter{Chatter: m, perChar: 0.25, picture: picture, report: func(cost, _ int) int { return min(cost, limit) }}
	}
}

func TestRequestsThatWereCutAreAskedAgainShorter(t *testing.T) {
	for name, limit := range map[string]int{"usual": 4096, "odd": 3700, "twice the usual": 8192, "odd and large": 6100} {
		b := newBench(t)
		b.cfg.MaxSteps, b.cfg.MaxImages = 30, 6
		b.model = chatter(b.cfg.Dialect)
		b.server = cutting(limit, modeltest.Grid(32))
		r := b.run(t)
		want(t, r, trajectory.BudgetExhausted, "max_steps")
		if r.Steps != 30 || r.Usage.Truncated == 0 || r.Usage.Truncated > 8 {
			t.Errorf("%s: got %d steps and %d cut, want 30 and a few", name, r.Steps, r.Usage.Truncated)
		}
		missed := 0
		for _, e := range b.events(t) {
			if e.Proposed == nil {
				continue
			}
			if p := e.Proposed; p.Truncated != "" && p.Call != nil {
				t.Errorf("%s, step %d: a reply to a cut request was used", name, e.Step)
			} else if p.Truncated == "" && p.EstimatedTokens > limit*115/100 {
				t.Errorf("%s, step %d: %d tokens were acted on, but the server reads %d", name, e.Step, p.EstimatedTokens, limit)
			} else if p.Truncated == "" && p.EstimatedTokens > limit*102/100 {
				missed++
			}
		}
		if missed > 4 {
			t.Errorf("%s: %d replies to requests that were cut a little were used", name, missed)
		}
	}
}

func TestFullContextIsFoundWithoutAnyEstimate(t *testing.T) {
	full := func(read, said int, finish model.Finish) modeltest.Answer {
		return modeltest.Say(model.Reply{Text: `<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [1, 1]}}</tool_call>`,
			Finish: finish, Usage: model.Usage{PromptTokens: read, CompletionTokens: said}})
	}
	for name, c := range map[string]struct {
		answer modeltest.Answer
		cut    int
	}{
		"prompt of a default context": {full(2048, 30, model.FinishStop), 1},
		"reply stopped at its end":    {full(4000, 96, model.FinishLength), 1},
		"dear text fills it":          {full(4096, 1, model.FinishStop), 1},
		"an ordinary sum":             {full(2600, 30, model.FinishStop), 0},
		"the sum fits and it stopped": {full(2540, 20, model.FinishStop), 0},
	} {
		b := newBench(t, c.answer, click(1, 1), done("x"))
		if c.cut == 0 {
			b = newBench(t, c.answer, done("x"))
		}
		r := b.run(t)
		want(t, r, trajectory.Success, "terminate")
		if r.Usage.Truncated != c.cut || r.Steps != 2 {
			t.Errorf("%s: got %d cut in %d steps, want %d in 2: %v", name, r.Usage.Truncated, r.Steps, c.cut, b.signs(t))
		}
	}
}

// TestCountsThatMeanNothingEndNoRun has servers say the same whatever they read, or
// add up: a run may become careful with them but goes on.
func TestCountsThatMeanNothingEndNoRun(t *testing.T) {
	sum := 0
	for name, report := range map[string]func(cost, fresh int) int{
		"1200":        func(int, int) int { return 1200 },
		"1500":        func(int, int) int { return 1500 },
		"5000":        func(int, int) int { return 5000 },
		"a million":   func(int, int) int { return 1_000_000 },
		"running sum": func(cost, _ int) int { sum += cost; return sum },
		"half":        func(cost, _ int) int { return cost / 2 },
		"twice":       func(cost, _ int) int { return cost * 2 },
		"negative":    func(cost, _ int) int { return -cost },
	} {
		b := newBench(t)
		b.cfg.MaxSteps, b.cfg.NumCtx = 12, 16384
		b.model = chatter(b.cfg.Dialect)
		b.server = func(m model.Chatter) model.Chatter {
			return &counter{Chatter: m, perChar: 0.25, picture: modeltest.Grid(32), report: report}
		}
		r := b.run(t)
		if r.Status != trajectory.BudgetExhausted || r.Steps != 12 || r.Usage.Calls > 24 {
			t.Errorf("%s: got %s/%s (%s) after %d steps and %d calls, want 12 steps: %v", name, r.Status, r.Reason, r.Message, r.Steps, r.Usage.Calls, b.signs(t))
		}
	}
}

// TestConstantCountsCostNoReply: a server that says the same of every request,
// pictures added or not, has cut none of them.
func TestConstantCountsCostNoReply(t *testing.T) {
	for _, said := range []int{1, 100, 1000, 1200, 1234, 1500, 1900, 2000, 2500, 3000, 5000, 10_000} {
		for _, changing := range []bool{true, false} {
			b := newBench(t)
			b.cfg.MaxSteps, b.cfg.NumCtx = 8, 16384
			if !changing {
				b.cfg.Dialect.SkipsUnchanged = true
			}
			b.model = chatter(b.cfg.Dialect)
			b.server = func(m model.Chatter) model.Chatter {
				return &counter{Chatter: m, perChar: 0.25, picture: modeltest.Grid(32), report: func(int, int) int { return said }}
			}
			r := b.run(t)
			if r.Status != trajectory.BudgetExhausted || r.Steps != 8 || r.Usage.Calls != 8 || r.Usage.Truncated != 0 {
				t.Errorf("%d: got %s/%s after %d steps and %d calls, %d truncated, want 8 of each and none: %v",
					said, r.Status, r.Reason, r.Steps, r.Usage.Calls, r.Usage.Truncated, b.signs(t))
			}
		}
	}
}

func TestServerThatAlwaysCutsEndsTheRunHonestly(t *testing.T) {
	b := newBench(t)
	b.cfg.Task = strings.Repeat("Buy tea. ", 700)
	b.model = chatter(b.cfg.Dialect)
	b.server = cutting(2048, modeltest.Grid(32))
	r := b.run(t)
	if r.Status != trajectory.ContextOverflow || r.Steps != 0 || !strings.Contains(r.Message, "context") {
		t.Errorf("got %s/%s (%s) after %d steps, want context_overflow before any", r.Status, r.Reason, r.Message, r.Steps)
	}
	if n := len(b.model.Requests()); n > 10 {
		t.Errorf("asked %d times before it gave up", n)
	}
	if acts := b.page.Actions(); len(acts) != 1 || acts[0].Kind != env.VisitURL {
		t.Errorf("actions: got %v, want only the first visit", acts)
	}
}

func TestRubbishFromAFullContextIsCalledSo(t *testing.T) {
	rubbish := modeltest.Text(strings.Repeat("@@@@ ", 300))
	b := newBench(t)
	b.cfg.NumCtx, b.cfg.ReplyTokens = 3200, 300
	b.model = modeltest.NewEndlessScript(rubbish)
	want(t, b.run(t), trajectory.ContextOverflow, "garbled")
	b = newBench(t)
	b.cfg.NumCtx = 16384
	b.model = modeltest.NewEndlessScript(rubbish)
	if r := b.run(t); r.Status != trajectory.BadReplies {
		t.Errorf("with room to spare: got %s/%s, want %s", r.Status, r.Reason, trajectory.BadReplies)
	}
}

func TestContextThatIsExceededInSilenceIsFound(t *testing.T) {
	for _, limit := range []int{4096, 8192} {
		b := newBench(t)
		b.cfg.MaxSteps, b.cfg.MaxImages, b.cfg.NumCtx = 20, 8, 32768
		b.model = chatter(b.cfg.Dialect)
		b.server = func(m model.Chatter) model.Chatter {
			return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
				reply, err := m.Chat(ctx, req, until)
				if modeltest.CountPrompt(req) > limit {
					reply.Text = strings.Repeat("@", 200)
				}
				return reply, err
			})
		}
		r := b.run(t)
		want(t, r, trajectory.BudgetExhausted, "max_steps")
		if r.Steps != 20 || r.Usage.BadReplies != 2 {
			t.Errorf("rubbish beyond %d tokens: got %d steps and %d bad replies, want 20 and the 2 that showed it", limit, r.Steps, r.Usage.BadReplies)
		}
	}
}
