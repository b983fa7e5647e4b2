package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"fara/agent"
	"fara/captcha"
	"fara/dialect"
	"fara/env"
	"fara/env/chrome"
	"fara/trajectory"
)

func (p *program) runCmd() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run [TASK]",
		Short: "Do one task",
		Long: "Do one task: open --url, show the model what the browser shows, do what it says, and\n" +
			"leave a folder with everything that happened and an honest ending.",
		Example: `  fara run "Find the opening hours" --url example.com --model fara1.5:9b
  fara run "Find the opening hours" --url example.com --endpoint http://127.0.0.1:8000/v1 --model microsoft/Fara-7B`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.resolve(cmd.Flags(), args); err != nil {
				return err
			}
			result, err := p.execute(cmd.Context(), &flags)
			if err != nil {
				return err
			}
			return exit(codeOfStatus(result))
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

// execute does one run: everything that can be wrong beforehand is found before
// the run's folder is made.
func (p *program) execute(ctx context.Context, f *runFlags) (trajectory.Result, error) {
	log := slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	size, err := f.browser.size()
	if err != nil {
		return trajectory.Result{}, err
	}
	binary, err := f.browser.find()
	if err != nil {
		return trajectory.Result{}, err
	}
	if f.model.dialect != "auto" { // else the model's name decides, which the server may have to tell
		if _, err := f.model.fitted(size); err != nil {
			return trajectory.Result{}, err
		}
	}
	srv, err := f.model.connect(ctx, log)
	if err != nil {
		return trajectory.Result{}, err
	}
	d, err := f.model.fitted(size)
	if err != nil {
		return trajectory.Result{}, err
	}
	if err := f.agent(d, srv, log, nil).Check(); err != nil {
		return trajectory.Result{}, usage("%w", err)
	}
	writer, err := trajectory.Create(f.out, f.record(d, srv, binary), nil)
	if err != nil {
		return trajectory.Result{}, usage("--out: %w", err)
	}
	gate := captcha.New(f.gate())
	browser, err := f.browser.open(ctx, binary, f.rules, p.getenv, chrome.Config{
		Viewport: d.Viewport, DownloadDir: writer.Downloads(), Console: f.browser.listen(gate), Logger: log,
	})
	if err != nil {
		return trajectory.Result{}, errors.Join(err, writer.Discard())
	}
	defer browser.Close()
	if !f.json {
		fmt.Fprintf(p.stderr, "model %s, dialect %s, frames of %v\n", f.model.model, d.Name, d.Viewport)
	}
	result, err := p.finish(ctx, f, agent.New(f.agent(d, srv, log, p.progress(f)), captcha.Guard{Environment: browser, Gate: gate}, srv.chat, p.user(), writer))
	if srv.pool != nil && !f.json {
		textServers(p.stderr, srv.pool.Counts())
	}
	if err != nil && len(writer.Events()) == 0 {
		return result, errors.Join(err, writer.Discard()) // not even its start could be written
	}
	return result, err
}

// finish runs the agent and shows how it ended.
func (p *program) finish(ctx context.Context, f *runFlags, a *agent.Agent) (trajectory.Result, error) {
	result, err := a.Run(ctx)
	if err != nil {
		err = fmt.Errorf("%w; free space, or choose another --out", err)
	}
	if f.json {
		writeLine(p.stdout, resultLine{Type: "result", Result: result})
	} else {
		textResult(p.stdout, result)
	}
	return result, err
}

func (f *runFlags) agent(d dialect.Dialect, srv *server, log *slog.Logger, progress func(trajectory.Event)) agent.Config {
	return agent.Config{
		Task: f.task, URL: env.WithoutUser(f.url), Dialect: d,
		MaxSteps: f.maxSteps, Deadline: f.deadline, MaxTokens: f.maxTokens,
		MaxImages: f.maxImages, NumCtx: srv.window(f.model.numCtx), Temperature: f.model.temperature,
		Trim: f.trim, Replies: f.model.replies(d),
		SearchURL: f.searchURL, AutoReply: f.autoReply,
		Policy: f.rules, Progress: progress, Logger: log,
	}
}

// replies is how the model's replies get their form.
func (m *modelFlags) replies(d dialect.Dialect) agent.Replies {
	switch {
	case m.tools:
		return agent.NativeTools
	case m.constrain:
		return agent.Constrained
	case m.measured != nil:
		return agent.Replies(m.measured.Replies)
	}
	return agent.OwnWay(d)
}

// record is what task.json says of the run.
func (f *runFlags) record(d dialect.Dialect, srv *server, binary string) trajectory.Task {
	now := time.Now()
	browser, scale := binary, f.browser.scale
	if f.browser.cdp != "" {
		browser, scale = "attached", 0
	}
	return trajectory.Task{
		Run: trajectory.NewID(now), Created: now.UTC(), Fara: version,
		Task: f.task, URL: env.WithoutUser(f.url), Dialect: d.Name, PromptFile: f.model.promptFile,
		Model: f.model.model, API: string(srv.api), Endpoint: srv.name(), Endpoints: srv.several(),
		MaxSteps: f.maxSteps, Deadline: f.deadline, MaxTokens: f.maxTokens, MaxImages: f.maxImages,
		NumCtx: srv.window(f.model.numCtx), Temperature: f.model.temperature,
		Trim: f.trim, Replies: string(f.model.replies(d)), Calibration: f.model.calibration,
		Viewport: d.Viewport, Scale: scale, FrameFormat: f.browser.frameFormat,
		SearchURL: f.searchURL, AutoReply: f.autoReply, Browser: browser, Uploads: f.browser.uploads,
		AllowSites: siteNames(f.rules.Allow), DenySites: siteNames(f.rules.Deny), PrivateNetwork: f.sites.private, Proxy: env.WithoutUser(f.browser.proxy),
		Dialogs: f.browser.dialogs,
	}
}

func (p *program) progress(f *runFlags) func(trajectory.Event) {
	steps := &progress{show: textSteps(p.stderr)}
	if f.json {
		steps.show = jsonSteps(p.stdout)
	}
	return steps.event
}

// user is the person at the terminal, or nobody.
func (p *program) user() agent.User {
	if t := newTerminal(p.stdin, p.stderr); t != nil {
		return t
	}
	return nil
}

// gate is what is done about captchas that a hosted browser solves.
func (f *runFlags) gate() captcha.Config {
	cfg := captcha.Config{Limit: f.captchaWait}
	if f.captcha == "go-on" {
		cfg.Mode = captcha.GoOn
	}
	if f.captchaWait == 0 {
		cfg.Limit = -1
	}
	return cfg
}
