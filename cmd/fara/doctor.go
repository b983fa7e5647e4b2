package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fara/dialect"
	"fara/env"
	"fara/env/chrome"
	"fara/imagebudget"
	"fara/policy"
)

// check is one thing the doctor looked at.
type check struct {
	Type string `json:"type"` // "check"
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Text is what was found and, when it is not well, what to do.
	Text string `json:"text"`

	code int // the exit code when it is not well
}

// doctor looks at everything a run needs.
type doctor struct {
	model   modelFlags
	browser browserFlags
	images  int
	json    bool
	getenv  func(string) string

	show func(check)
	code int
}

func (p *program) doctorCmd() *cobra.Command {
	var d doctor
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that everything a run needs is here",
		Long: "Check the browser, the model server, the model, whether it really sees, and whether its\n" +
			"context is large enough: yes or no, and what to do.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.browser.check(); err != nil {
				return err
			}
			if err := d.model.resolve(cmd.Flags()); err != nil {
				return err
			}
			if err := d.model.calibrated(); err != nil {
				return err
			}
			d.getenv = p.getenv
			d.show = func(c check) { fmt.Fprintf(p.stdout, "%-3s  %-8s %s\n", yesNo(c.OK), c.Name, cut(c.Text, 500)) }
			if d.json {
				d.show = func(c check) { writeLine(p.stdout, c) }
			}
			d.examine(cmd.Context(), slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
			if cmd.Context().Err() != nil {
				return context.Cause(cmd.Context())
			}
			return exit(d.code)
		},
	}
	d.register(cmd.Flags())
	return cmd
}

func (d *doctor) register(f *pflag.FlagSet) {
	d.model.register(f)
	d.browser.register(f)
	f.IntVar(&d.images, "max-images", 3, "the most frames in one request")
	f.BoolVar(&d.json, "json", false, "print one JSON object a line")
}

func yesNo(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}

// say shows a check; the first that is not well gives the exit code.
func (d *doctor) say(c check) bool {
	c.Type = "check"
	if !c.OK && d.code == exitSuccess {
		d.code = c.code
	}
	d.show(c)
	return c.OK
}

func (d *doctor) examine(ctx context.Context, log *slog.Logger) {
	d.say(d.checkBrowser(ctx, log))
	srv, err := d.model.connect(ctx, log)
	if ctx.Err() != nil {
		return
	}
	if !d.checkServer(srv, err) {
		return
	}
	size, err := d.browser.size()
	if err != nil {
		return // found wrong before
	}
	speaks, err := d.model.fitted(size)
	if err != nil {
		d.say(check{Name: "dialect", Text: err.Error(), code: exitUsage})
		return
	}
	how := "given by --dialect"
	if d.model.dialect == "auto" {
		how = "chosen by the model's name"
	}
	d.say(check{Name: "dialect", OK: true, Text: speaks.Name + ", " + how})
	d.say(check{Name: "prompt", OK: true, Text: prompted(speaks, d.model.promptFile)})
	d.say(d.checkContext(srv, speaks))
	d.say(checkSight(ctx, srv))
}

// checkBrowser starts a browser and takes a picture with it.
func (d *doctor) checkBrowser(ctx context.Context, log *slog.Logger) check {
	c := check{Name: "browser", code: exitBrowser}
	binary, err := d.browser.find()
	if err != nil {
		c.Text = err.Error()
		return c
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("the browser did not show a page within a minute"))
	defer cancel()
	began := time.Now()
	b, err := d.browser.open(ctx, binary, policy.Policy{}, d.getenv, chrome.Config{Logger: log})
	if err != nil {
		c.Text = err.Error()
		return c
	}
	defer b.Close()
	obs, err := b.Observe(ctx)
	if err != nil {
		c.Text = fmt.Sprintf("%s starts but shows nothing: %v", binary, err)
		return c
	}
	c.OK, c.Text = true, fmt.Sprintf("%s shows a page of %v after %v", binary, obs.Viewport, time.Since(began).Round(10*time.Millisecond))
	if chrome.SmallSharedMemory() {
		c.Text += "; /dev/shm is smaller than 256 MB, so the browser is told to use files instead"
	}
	if d.browser.cdp != "" {
		c.Text = fmt.Sprintf("attached to the browser of --cdp, which shows a page of %v", obs.Viewport)
	}
	return c
}

// checkServer says what came of connecting: first whether a server is there,
// then whether the model is on it.
func (d *doctor) checkServer(srv *server, err error) bool {
	if !srv.answered {
		return d.say(check{Name: "server", Text: err.Error(), code: codeOf(err)})
	}
	d.say(check{Name: "server", OK: true, Text: fmt.Sprintf("%s at %s", srv.about.Name(), env.WithoutUser(srv.endpoint))})
	if err != nil {
		return d.say(check{Name: "model", Text: err.Error(), code: codeOf(err)})
	}
	return d.say(check{Name: "model", OK: true, Text: d.model.model + " is there"})
}

// Tokens a run needs beside its frames: the reply, and room for some history.
const (
	replyTokens   = 2048
	historyTokens = 2000
)

// checkContext compares what a request takes with what the model takes.
func (d *doctor) checkContext(srv *server, speaks dialect.Dialect) check {
	c := check{Name: "context", code: exitModel}
	frame := speaks.Grid.Tokens(speaks.Viewport)
	picture, err := speaks.Grid.Fit(speaks.Viewport)
	if err != nil {
		c.Text = err.Error()
		return c
	}
	need := imagebudget.TextTokens(speaks.System(picture)) + d.images*frame + replyTokens + historyTokens
	have := srv.window(d.model.numCtx)
	c.OK = have >= need
	c.Text = fmt.Sprintf("%d tokens; %d frames of %d, the prompt, some history and a reply take %d", have, d.images, frame, need)
	switch {
	case c.OK:
	case srv.about.Context().Tokens > 0 && srv.about.Context().Tokens < need:
		c.Text += fmt.Sprintf("; the model takes no more than %d, so lower --max-images or --viewport", srv.about.Context().Tokens)
	default:
		c.Text += fmt.Sprintf("; give --num-ctx %d", (need/1024+1)*1024)
	}
	return c
}
