package prefillbench

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"fara/agent"
	"fara/dialect"
	"fara/env"
	"fara/env/envtest"
	"fara/model"
	"fara/model/ollama"
	"fara/model/ollama/ollamatest"
	"fara/prompt"
	"fara/trajectory"
)

// Twelve steps show the ratio; scripts/bench takes forty.
var steps = flag.Int("steps", 12, "length of the runs against a real Ollama, 2 or more")

// numCtx holds a whole run's text, of which the tiny model reads a token for
// every character. It is the same throughout, so that the model is loaded once.
const numCtx = 16384

// system is short, since it is read once and never again.
const system = "You use a browser.\n<tools>\n" +
	`{"function": {"name": "computer_use", "parameters": {"properties": {"action": {"enum": ["left_click", "terminate"]}}}}}` + "\n</tools>"

// reader is a model that clicks on and on. What a request costs is what the server
// says, which writes a single token of its own.
type reader struct {
	server model.Chatter // nil reports no costs
	clicks int
}

// Chat has the server read the request and answers for it.
func (r *reader) Chat(ctx context.Context, req model.Request, _ model.Until) (model.Reply, error) {
	r.clicks++
	reply := model.Reply{Finish: model.FinishStop, Text: fmt.Sprintf(
		"I click there.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [%d, 500]}}\n</tool_call>", 100+r.clicks)}
	if r.server == nil {
		return reply, nil
	}
	req.MaxTokens = 1
	read, err := r.server.Chat(ctx, req, nil)
	reply.Usage = read.Usage
	return reply, err
}

// step is what one step's request cost.
type step struct {
	fresh int           // tokens behind what it shares with the request before
	took  time.Duration // the server's own time to read it
}

// record does a run and counts its steps from what it left on the disk.
func record(t *testing.T, trim string, maxImages, steps int, server model.Chatter) []step {
	t.Helper()
	d, err := dialect.Get("fara-1.5")
	if err != nil {
		t.Fatal(err)
	}
	d.Viewport = env.Size{W: 640, H: 480}
	if d, err = d.WithPrompt(system, d.Viewport); err != nil {
		t.Fatal(err)
	}
	w, err := trajectory.Create(t.TempDir(), trajectory.Task{Run: trim, Task: "Click."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg := agent.Config{Task: "Click.", URL: "http://shop.test/", Dialect: d, MaxSteps: steps, MaxImages: maxImages, Trim: trim}
	result, err := agent.New(cfg, &envtest.Env{Viewport: d.Viewport}, &reader{server: server}, nil, w).Run(t.Context())
	if err != nil || result.Steps != steps || result.Usage.Truncated != 0 {
		t.Fatalf("%s: got %s after %d steps, %v", trim, result.Message, result.Steps, err)
	}
	run, err := trajectory.Read(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return count(t, run, d, maxImages)
}

// count builds every request again and compares it with the one before.
func count(t *testing.T, run *trajectory.Run, d dialect.Dialect, maxImages int) []step {
	t.Helper()
	var out []step
	var before prompt.Prompt
	for i, e := range run.Events {
		if e.Kind != trajectory.KindProposed {
			continue
		}
		now, err := prompt.Build(run.Events[:i], d, run.Load)
		if err != nil {
			t.Fatal(err)
		}
		if prompt.Hash(now.Request) != e.Proposed.Request || len(now.Frames) > maxImages {
			t.Fatalf("step %d: the request differs from the one that was sent, or has %d frames", e.Step, len(now.Frames))
		}
		out = append(out, step{now.Fresh(before), e.Proposed.Usage.PromptTime})
		before = now
	}
	return out
}

// sums leaves out the first step, whose request is all new in both.
func sums(steps []step) (tokens int, took time.Duration) {
	for _, s := range steps[1:] {
		tokens += s.fresh
		took += s.took
	}
	return tokens, took
}

func TestSteadyReadsAtMostHalfOfWindow(t *testing.T) {
	for _, maxImages := range []int{2, 3, 4, 6} {
		window, _ := sums(record(t, prompt.Window, maxImages, 40, nil))
		steady, _ := sums(record(t, prompt.Steady, maxImages, 40, nil))
		ratio := float64(steady) / float64(window)
		most := 0.5
		if maxImages == 2 { // half of two frames is one, and there is text too
			most = 0.7
		}
		if ratio > most {
			t.Errorf("at most %d frames: %d tokens anew with steady, %d with window: ratio %.2f, want at most %.2f", maxImages, steady, window, ratio, most)
		}
	}
}

func TestPrefillOnOllama(t *testing.T) {
	client, err := ollama.New(ollama.Config{Endpoint: ollamatest.Start(t), Model: ollamatest.Vision, NumCtx: numCtx})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Chat(t.Context(), ollamatest.Ask("load"), nil); err != nil {
		t.Fatal(err)
	}
	window := record(t, prompt.Window, 3, *steps, client)
	steady := record(t, prompt.Steady, 3, *steps, client)
	fmt.Println("step   window: tokens anew, time   steady: tokens anew, time")
	for i := range window {
		fmt.Printf("%4d %12d %10.0f ms %14d %10.0f ms\n", i+1, window[i].fresh, ms(window[i].took), steady[i].fresh, ms(steady[i].took))
	}
	tokens, took := sums(window)
	tokensSteady, tookSteady := sums(steady)
	fmt.Printf("median %11d %10.0f ms %14d %10.0f ms\n", median(window).fresh, ms(median(window).took), median(steady).fresh, ms(median(steady).took))
	fmt.Printf("ratio of the sums from step 2 on: %.2f of the tokens, %.2f of the time\n", float64(tokensSteady)/float64(tokens), float64(tookSteady)/float64(took))
	if ratio := float64(tookSteady) / float64(took); ratio > 0.5 {
		t.Errorf("steady took %.2f of window's time to read, want at most 0.5", ratio)
	}
}

func median(steps []step) step {
	var fresh []int
	var took []time.Duration
	for _, s := range steps[1:] {
		fresh, took = append(fresh, s.fresh), append(took, s.took)
	}
	slices.Sort(fresh)
	slices.Sort(took)
	return step{fresh[len(fresh)/2], took[len(took)/2]}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
