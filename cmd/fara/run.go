package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/spf13/cobra"

	"fara/agent"
	"fara/captcha"
	"fara/dialect"
	"fara/env"
	"fara/env/chrome"
	"fara/policy"
	"fara/secret"
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
			if err := p.keepSecrets(&flags.secrets, nil); err != nil {
				return err
			}
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

// job is a run with everything that it needs.
type job struct {
	flags   *runFlags
	dialect dialect.Dialect
	server  *server
	binary  string // the browser's; empty when one is attached to
	log     *slog.Logger
	user    agent.User // nil is nobody

	task    trajectory.Task
	watch   *watchers
	helm    *helm
	hold    *agent.Hold
	writer  *trajectory.Writer
	abandon func() error // what becomes of the folder when the run cannot be begun
	state   []byte       // where the browser was; nil when the run is new
}

// execute does one run: everything that can be wrong beforehand is found before
// the run's folder is made.
func (p *program) execute(ctx context.Context, f *runFlags) (trajectory.Result, error) {
	size, err := f.browser.size()
	if err != nil {
		return trajectory.Result{}, err
	}
	if f.model.dialect != "auto" { // else the model's name decides, which the server may have to tell
		if _, err := f.model.fitted(size); err != nil {
			return trajectory.Result{}, err
		}
	}
	j, err := p.ready(ctx, f, func() (dialect.Dialect, error) { return f.model.fitted(size) })
	if err != nil {
		return trajectory.Result{}, err
	}
	if j.task, err = f.secrets.task(f.record(j)); err != nil {
		return trajectory.Result{}, err
	}
	if err := p.watched(j); err != nil {
		return trajectory.Result{}, err
	}
	defer j.unwatched()
	j.writer, err = trajectory.Create(f.out, j.task, f.secrets.clean())
	if err != nil {
		return trajectory.Result{}, usage("--out: %w", err)
	}
	j.abandon = j.writer.Discard
	return p.drive(ctx, j)
}

// server is the one that a run asks: found for it alone, or one of its batch's.
func (p *program) server(ctx context.Context, m *modelFlags, log *slog.Logger) (*server, error) {
	if p.fleet != nil {
		return p.fleet.server(ctx, m)
	}
	return m.connect(ctx, log)
}

// ready finds what a run needs, and everything that can be wrong beforehand.
func (p *program) ready(ctx context.Context, f *runFlags, speech func() (dialect.Dialect, error)) (*job, error) {
	j := &job{flags: f, log: p.logger()}
	f.task, f.rules.Bound = f.secrets.store.Clean(f.task), f.secrets.store.Binds
	var err error
	if j.binary, err = f.browser.find(); err != nil {
		return nil, err
	}
	if j.server, err = p.server(ctx, &f.model, j.log); err != nil {
		return nil, err
	}
	if j.dialect, err = speech(); err != nil {
		return nil, err
	}
	if err := j.config(nil).Check(); err != nil {
		return nil, usage("%w", err)
	}
	if err := f.verify.connect(ctx, j.log, &f.model, j.server); err != nil {
		return nil, err
	}
	j.user = p.user(&f.browser)
	return j, nil
}

// logger tells people what goes wrong on the way.
func (p *program) logger() *slog.Logger {
	if p.fleet != nil {
		return p.fleet.log
	}
	return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// watched lets others see the run and steer it.
func (p *program) watched(j *job) error {
	var err error
	if p.fleet != nil {
		j.watch = p.fleet.watch.another()
	} else if j.watch, err = j.flags.watch.open(p.stderr, j.log, p.getenv); err != nil {
		return err
	}
	j.hold = &agent.Hold{}
	if j.helm, err = j.flags.control.open(p.stderr, j.task.Run, j.hold); err != nil {
		j.watch.close()
		return err
	}
	j.log = slog.New(j.watch.lines.Handler(j.log.Handler()))
	if user := j.helm.beside(j.user); user != nil {
		j.user = user
	}
	return nil
}

func (j *job) unwatched() {
	j.helm.close()
	j.watch.close()
}

// drive starts the browser and does the run, or what is left of it.
func (p *program) drive(ctx context.Context, j *job) (trajectory.Result, error) {
	f := j.flags
	gate := captcha.New(f.gate())
	browser, err := f.browser.open(ctx, j.binary, f.rules, p.getenv, chrome.Config{
		Viewport: j.dialect.Viewport, DownloadDir: j.writer.Downloads(), Console: f.browser.listen(gate), Logger: j.log,
		Resume: j.state, Mask: f.secrets.store.Values,
	})
	if err != nil {
		return trajectory.Result{}, errors.Join(err, j.abandon())
	}
	defer browser.Close()
	defer j.server.leave()
	event, end := j.watch.follow(j.task)
	defer end()
	show := p.progress(f)
	cfg := j.config(func(e trajectory.Event) { event(e); j.helm.event(e); show(e) })
	cfg.Keep, cfg.Hold = f.secrets.state(browser.State), j.hold
	cfg.Verifiers = f.verify.verifiers(f.secrets.page(browser), j.writer.Evidence)
	if !f.json {
		fmt.Fprintf(p.stderr, "model %s, dialect %s, frames of %v\n", f.model.model, j.dialect.Name, j.dialect.Viewport)
	}
	page := &secret.Guard{Environment: captcha.Guard{Environment: browser, Gate: gate}, Store: f.secrets.store}
	result, err := p.finish(ctx, j, agent.New(cfg, page, f.secrets.chat(j.server.chat, j.words()), j.user, j.writer))
	if j.server.pool != nil && !f.json && p.fleet == nil {
		textServers(p.stderr, j.server.pool.Counts())
	}
	if err != nil && len(j.writer.Events()) == 0 {
		return result, errors.Join(err, j.abandon()) // not even its start could be written
	}
	return result, err
}

// finish runs the agent and shows how it ended.
func (p *program) finish(ctx context.Context, j *job, a *agent.Agent) (trajectory.Result, error) {
	result, err := a.Run(ctx)
	if events := j.writer.Events(); len(events) > 0 && events[len(events)-1].Ended != nil {
		result = *events[len(events)-1].Ended // as it is on record, without values of secrets
	}
	if err != nil {
		err = &unrecorded{err}
	}
	if j.flags.json {
		writeLine(p.stdout, resultLine{Type: "result", Result: result})
	} else {
		textResult(p.stdout, result)
	}
	return result, err
}

// unrecorded is why a run's ending could not be written down.
type unrecorded struct{ error }

func (e *unrecorded) Error() string {
	return e.error.Error() + "; free space, or choose another --out"
}
func (e *unrecorded) Unwrap() error { return e.error }

// config is the agent's part of the run.
func (j *job) config(progress func(trajectory.Event)) agent.Config {
	f := j.flags
	return agent.Config{
		Task: f.task, URL: env.WithoutUser(f.url), Dialect: j.dialect, AnswerSchema: f.verify.answerSchema(), Secrets: f.secrets.names(),
		MaxSteps: f.maxSteps, FinalAnswer: f.finalAnswer, Deadline: f.deadline, MaxTokens: f.maxTokens, MaxCalls: f.maxCalls,
		MaxFailures: f.maxFailures, MaxBadReplies: f.maxBadReplies, MaxRejections: f.maxRejections,
		MaxImages: f.maxImages, NumCtx: j.server.window(f.model.numCtx), Temperature: f.model.temperature, Seed: f.model.seeded(),
		Trim: f.trim, Replies: f.model.replies(j.dialect),
		SearchURL: f.searchURL, AutoReply: f.autoReply, AnswerLimit: f.answerLimit,
		Policy: f.rules, Progress: progress, Logger: j.log,
	}
}

// words are those that the model is taught.
func (j *job) words() string {
	began := j.config(nil).Started(j.dialect.Viewport)
	return began.System + string(began.Tools) + string(began.Schema)
}

// contents are the files that hold a run to something, as they are kept with it.
func (f *runFlags) contents() map[string]string {
	kept := maps.Clone(f.verify.contents)
	if f.sites.rules.text != nil {
		kept["policy"] = string(f.sites.rules.text)
	}
	return kept
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
func (f *runFlags) record(j *job) trajectory.Task {
	now := time.Now()
	d, srv := j.dialect, j.server
	browser, scale := j.binary, f.browser.scale
	if f.browser.cdp != "" {
		browser, scale = "attached", 0
	}
	return trajectory.Task{
		Run: cmp.Or(f.run, trajectory.NewID(now)), Sample: f.sample, Created: now.UTC(), Fara: version,
		Task: f.task, URL: env.WithoutUser(f.url), Dialect: d.Name, PromptFile: f.model.promptFile,
		Model: f.model.model, API: string(srv.api), Endpoint: srv.name(), Endpoints: srv.several(),
		MaxSteps: f.maxSteps, Deadline: f.deadline, MaxTokens: f.maxTokens, MaxImages: f.maxImages,
		NumCtx: srv.window(f.model.numCtx), Temperature: f.model.temperature, Seed: f.model.seeded(),
		Trim: f.trim, Replies: string(f.model.replies(d)), Calibration: f.model.calibration,
		Viewport: d.Viewport, Scale: scale, FrameFormat: f.browser.frameFormat,
		SearchURL: f.searchURL, AutoReply: f.autoReply, Browser: browser, Uploads: f.browser.uploads,
		AllowSites: policy.SiteNames(f.rules.Allow), DenySites: policy.SiteNames(f.rules.Deny), PrivateNetwork: f.sites.private, Proxy: env.WithoutUser(f.browser.proxy),
		Secrets: f.secrets.store.Strings(), Dialogs: f.browser.dialogs, Approve: string(f.rules.Approve), Flags: f.given, Files: f.contents(),
	}
}

func (p *program) progress(f *runFlags) func(trajectory.Event) {
	if f.seen != nil {
		return f.seen
	}
	steps := &progress{show: textSteps(p.stderr)}
	if f.json {
		steps.show = jsonSteps(p.stdout)
	}
	return steps.event
}

// user is the person at the terminal, or nobody.
func (p *program) user(b *browserFlags) agent.User {
	t := newTerminal(p.stdin, p.stderr)
	switch {
	case t == nil:
		return nil
	case !b.headful && b.cdp == "":
		return blindfolded{t}
	}
	return t
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
