package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"fara/agent"
	"fara/dialect"
	"fara/env/chrome"
	"fara/model"
	"fara/trajectory"
)

// harness is a whole run whose model answers at once, held between blocks.
type harness struct {
	browser *chrome.Browser
	out     string
	writer  *trajectory.Writer
	cancel  context.CancelFunc

	// hold lets the run begin anew between blocks: one that does nothing but click on
	// a page on which nothing happens would be ended as stuck.
	hold agent.Hold

	turn   chan struct{} // lets the run take one step more
	asked  chan struct{} // the run has come to the model again
	ended  chan error
	result trajectory.Result
	wall   []time.Time // when the model was asked
	resume []time.Time // when it was let go on
	memory []sample
}

// sample is the memory of this process at a step.
type sample struct {
	step     int
	resident int64
}

func newHarness(ctx context.Context, binary, address string, steps int) (*harness, error) {
	d, err := dialect.Get("fara-1.5")
	if err != nil {
		return nil, err
	}
	h := &harness{turn: make(chan struct{}), asked: make(chan struct{}), ended: make(chan error, 1)}
	if h.out, err = os.MkdirTemp("", "stepbench-*"); err != nil {
		return nil, err
	}
	if h.browser, err = chrome.Launch(ctx, chrome.Config{Binary: binary, Viewport: viewport}); err != nil {
		h.close()
		return nil, err
	}
	if h.writer, err = trajectory.Create(h.out, trajectory.Task{Run: "bench", Task: "click"}, nil); err != nil {
		h.close()
		return nil, err
	}
	ctx, h.cancel = context.WithCancel(ctx)
	a := agent.New(agent.Config{
		Task: "Click.", URL: address, Dialect: d, MaxSteps: steps * 2, Keep: h.browser.State, Hold: &h.hold,
		Progress: func(e trajectory.Event) {
			if e.Paused != nil {
				h.hold.Resume()
			}
		},
	}, h.browser, h, nil, h.writer)
	go func() {
		var err error
		h.result, err = a.Run(ctx)
		h.ended <- err
	}()
	return h, h.arrive()
}

// Chat is the model: it waits for its turn, then answers at once.
func (h *harness) Chat(ctx context.Context, _ model.Request, _ model.Until) (model.Reply, error) {
	h.wall = append(h.wall, time.Now())
	select {
	case h.asked <- struct{}{}:
	case <-ctx.Done():
		return model.Reply{}, context.Cause(ctx)
	}
	select {
	case <-h.turn:
	case <-ctx.Done():
		return model.Reply{}, context.Cause(ctx)
	}
	h.resume = append(h.resume, time.Now())
	at := place(len(h.resume))
	const reply = "I click.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [%.0f, %.0f]}}\n</tool_call>"
	return model.Reply{Text: fmt.Sprintf(reply, 1000*at.X/float64(viewport.W), 1000*at.Y/float64(viewport.H))}, nil
}

func (h *harness) arrive() error {
	select {
	case <-h.asked:
		return nil
	case err := <-h.ended:
		h.ended <- err
		return fmt.Errorf("the run ended early: %s: %w", h.result.Message, err)
	}
}

// steps lets the run take n steps.
func (h *harness) steps(ctx context.Context, n int) error {
	h.hold.Pause()
	for range n {
		select {
		case h.turn <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := h.arrive(); err != nil {
			return err
		}
	}
	// What is not garbage is what counts.
	runtime.GC()
	debug.FreeOSMemory()
	resident, err := residentMemory()
	if err != nil {
		return err
	}
	h.memory = append(h.memory, sample{len(h.resume), resident})
	return nil
}

// finish ends the run.
func (h *harness) finish() (trajectory.Result, error) {
	h.cancel()
	err := <-h.ended
	h.ended <- err
	return h.result, err
}

// stepTimes are the times from the model's answer to its next question: acting,
// settling, looking, writing everything down and building the next request.
func (h *harness) stepTimes() []time.Duration {
	var took []time.Duration
	for i, from := range h.resume {
		if i+1 < len(h.wall) {
			took = append(took, h.wall[i+1].Sub(from))
		}
	}
	return took
}

func (h *harness) close() {
	if h.cancel != nil {
		h.cancel()
		<-h.ended
	}
	if h.browser != nil {
		h.browser.Close()
	}
	os.RemoveAll(h.out)
}

func residentMemory() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if kib, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(kib), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("no VmRSS in /proc/self/status")
}
