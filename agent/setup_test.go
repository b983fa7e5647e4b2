package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"fara/agent"
	"fara/dialect"
	"fara/env"
	"fara/env/envtest"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

const start = "https://shop.test/"

// call writes a reply in the Fara models' format.
func call(thought, arguments string) modeltest.Answer {
	return modeltest.Text(fmt.Sprintf("%s\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": %s}\n</tool_call>", thought, arguments))
}

func click(x, y int) modeltest.Answer {
	return call("I click.", fmt.Sprintf(`{"action": "left_click", "coordinate": [%d, %d]}`, x, y))
}

func done(answer string) modeltest.Answer {
	raw, _ := json.Marshal(answer)
	return call("It is done.", fmt.Sprintf(`{"action": "terminate", "answer": %s}`, raw))
}

// bench is one run with everything fake around the loop.
type bench struct {
	cfg   agent.Config
	page  *envtest.Env
	model *modeltest.Script
	// server is what stands before the model; nil is nothing.
	server func(model.Chatter) model.Chatter
	user   agent.User
	writer *trajectory.Writer
}

func newBench(t *testing.T, answers ...modeltest.Answer) *bench {
	t.Helper()
	d, err := dialect.Get("fara-1.5")
	if err != nil {
		t.Fatal(err)
	}
	w, err := trajectory.Create(t.TempDir(), trajectory.Task{Run: "run", Task: "Buy tea."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{
		cfg:    agent.Config{Task: "Buy tea.", URL: start, Dialect: d},
		page:   &envtest.Env{},
		model:  modeltest.NewScript(answers...),
		writer: w,
	}
}

// run does the run and checks what holds for every one: the result is on disk
// as returned, and every request can be computed again from the events.
func (b *bench) run(t *testing.T) trajectory.Result {
	t.Helper()
	return b.runIn(t, t.Context())
}

func (b *bench) runIn(t *testing.T, ctx context.Context) trajectory.Result {
	t.Helper()
	return b.does(t, ctx, b.page)
}

// runOn is run on another page than the bench's own.
func (b *bench) runOn(t *testing.T, page agent.Environment) trajectory.Result {
	t.Helper()
	return b.does(t, t.Context(), page)
}

// widgets is a page with a widget on it.
type widgets struct {
	*envtest.Env
	widget env.Widget
}

func (w widgets) Observe(ctx context.Context) (env.Observation, error) {
	obs, err := w.Env.Observe(ctx)
	obs.Widgets = []env.Widget{w.widget}
	return obs, err
}

// reply is what an answer says.
func reply(t *testing.T, answer modeltest.Answer) model.Reply {
	t.Helper()
	r, err := answer(t.Context(), model.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *bench) does(t *testing.T, ctx context.Context, page agent.Environment) trajectory.Result {
	t.Helper()
	var chat model.Chatter = b.model
	if b.server != nil {
		chat = b.server(chat)
	}
	got, err := agent.New(b.cfg, page, chat, b.user, b.writer).Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	run, err := trajectory.Read(b.writer.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if run.Result == nil || run.Result.Status != got.Status || run.Result.Reason != got.Reason || run.Result.Answer != got.Answer {
		t.Errorf("result on disk: got %+v, want %+v", run.Result, got)
	}
	b.checkPrompts(t, run)
	return got
}

func (b *bench) events(t *testing.T) []trajectory.Event {
	t.Helper()
	run, err := trajectory.Read(b.writer.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return run.Events
}

// last gives the newest event of a kind.
func (b *bench) last(t *testing.T, kind trajectory.Kind) trajectory.Event {
	t.Helper()
	events := b.events(t)
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Kind == kind {
			return events[i]
		}
	}
	t.Fatalf("there is no event %s", kind)
	return trajectory.Event{}
}

func want(t *testing.T, got trajectory.Result, status trajectory.Status, reason string) {
	t.Helper()
	if got.Status != status || got.Reason != reason {
		t.Errorf("ending: got %s/%s (%s), want %s/%s", got.Status, got.Reason, got.Message, status, reason)
	}
}

func agentReplies(s string) agent.Replies { return agent.Replies(s) }
