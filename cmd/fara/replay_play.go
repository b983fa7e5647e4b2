package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"

	"fara/agent"
	"fara/env/chrome"
	"fara/replay"
	"fara/secret"
	"fara/trajectory"
)

// playBack starts the browser and plays the run in it.
func (p *program) playBack(ctx context.Context, f *replayFlags, plan *replay.Plan, cfg replay.Config) (replay.Report, error) {
	binary, err := f.browser.find()
	if err != nil {
		return replay.Report{}, err
	}
	out, err := replay.Create(f.out, f.secrets.clean())
	if err != nil {
		return replay.Report{}, usage("--out: %w", err)
	}
	cfg.Logger = slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	browser, err := f.browser.open(ctx, binary, f.rules, p.getenv, chrome.Config{
		Viewport: plan.Run.Task.Viewport, DownloadDir: out.Downloads(), Logger: cfg.Logger, Mask: f.secrets.store.Values,
	})
	if err != nil {
		return replay.Report{}, errors.Join(err, out.Discard())
	}
	defer browser.Close()
	if f.approval != "no" {
		cfg.Approve = approver(p.user(&f.browser))
	}
	cfg.Progress = func(s replay.Step) { textReplayStep(p.stderr, s) }
	if f.json {
		cfg.Progress = func(s replay.Step) { writeLine(p.stdout, replayStepLine{Type: "step", Step: s}) }
	}
	page := &secret.Guard{Environment: browser, Store: f.secrets.store}
	report, err := replay.Play(ctx, plan, page, out, cfg)
	if err != nil {
		return report, fmt.Errorf("%w; free space, or choose another --out", err)
	}
	if f.json {
		writeLine(p.stdout, replayLine{Type: "replay", Report: report})
	} else {
		textReplay(p.stdout, report)
	}
	return report, nil
}

// approver is the person at the terminal as a replay asks one; nil is nobody.
func approver(user agent.User) func(context.Context, trajectory.Asked) (trajectory.Replied, error) {
	if user == nil {
		return nil
	}
	return func(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
		replied, err := user.Ask(ctx, asked)
		if errors.Is(err, agent.ErrNobody) {
			err = replay.ErrNobody
		}
		return replied, err
	}
}

// replayStepLine and replayLine are what --json prints: the steps, and last the report.
type replayStepLine struct {
	Type string `json:"type"` // "step"
	replay.Step
}

type replayLine struct {
	Type string `json:"type"` // "replay"
	replay.Report
}

// textLine is a text that a run typed as --list --json prints it.
type textLine struct {
	Type string `json:"type"` // "text"
	replay.Text
}

// listTexts shows what a run typed.
func (p *program) listTexts(plan *replay.Plan, asJSON bool) {
	for _, t := range plan.Texts {
		if asJSON {
			writeLine(p.stdout, textLine{Type: "text", Text: t})
			continue
		}
		now := ""
		if t.Set {
			now = "  now " + strconv.Quote(plain(t.Text))
		}
		fmt.Fprintf(p.stdout, "%s  (step %d)  %s%s\n", plain(t.Name), t.Step, strconv.Quote(plain(t.Was)), now)
	}
	if len(plan.Texts) == 0 && !asJSON {
		fmt.Fprintln(p.stderr, "the run typed nothing")
	}
}

// textReplayStep shows people a step.
func textReplayStep(w io.Writer, s replay.Step) {
	did := string(s.Action)
	switch {
	case did == "":
		did = "looked"
		if s.Skipped != "" {
			did += " (" + cut(s.Skipped, 120) + ")"
		}
	case s.Skipped != "":
		did += " (not done: " + cut(s.Skipped, 120) + ")"
	}
	if s.Same() {
		fmt.Fprintf(w, "%3d  same       %s\n", s.Step, did)
		return
	}
	for _, d := range s.Differences {
		fmt.Fprintf(w, "%3d  DIFFERENT  %s; %s\n", s.Step, did, cut(d.Text, 400))
	}
}

// textReplay shows people how a replay ended.
func textReplay(w io.Writer, r replay.Report) {
	fmt.Fprintf(w, "%s: %s\n", r.Status, cut(r.Message, 1000))
	if r.Different > 1 {
		fmt.Fprintf(w, "%d steps differ\n", r.Different)
	}
	fmt.Fprintf(w, "%s\n", r.Dir)
}
