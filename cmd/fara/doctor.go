package main

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fara/dialect"
)

// check is one thing the doctor looked at.
type check struct {
	Type string `json:"type"` // "check"
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Skipped: it was not looked at, and Text says why. It is neither yes nor no.
	Skipped bool `json:"skipped,omitempty"`
	// Text is what was found and, when it is not well, what to do.
	Text string `json:"text"`

	code int // the exit code when it is not well
}

func (c check) word() string {
	switch {
	case c.Skipped:
		return "skip"
	case c.OK:
		return "yes"
	}
	return "no"
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
		Long: "Check the browser, the model server, the model, whether it really sees, whether its context\n" +
			"is large enough and takes enough pictures, and whether its reply to the dialect's own prompt\n" +
			"can be read: yes or no, and what to do. What could not be checked is skipped, and says why.\n" +
			"The first no gives the exit code.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.resolve(cmd.Flags()); err != nil {
				return err
			}
			d.getenv = p.getenv
			d.show = func(c check) { fmt.Fprintf(p.stdout, "%-4s %-11s %s\n", c.word(), c.Name, cut(c.Text, 700)) }
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

func (d *doctor) resolve(f *pflag.FlagSet) error {
	if d.images < 1 {
		return usage("--max-images %d is too small; it takes 1 or more", d.images)
	}
	if err := d.browser.check(); err != nil {
		return err
	}
	if err := d.model.resolve(f); err != nil {
		return err
	}
	if err := d.model.calibrated(); err != nil {
		return err
	}
	size, err := d.browser.size()
	if err == nil && d.model.dialect != "auto" {
		_, err = d.model.fitted(size)
	}
	return err
}

// say shows a check; the first that is not well gives the exit code.
func (d *doctor) say(c check) bool {
	c.Type = "check"
	if !c.OK && !c.Skipped && d.code == exitSuccess {
		d.code = c.code
	}
	d.show(c)
	return c.OK
}

// skip shows checks that cannot be made, and why.
func (d *doctor) skip(why string, names ...string) {
	for _, name := range names {
		d.say(check{Name: name, Skipped: true, Text: why})
	}
}

func (d *doctor) examine(ctx context.Context, log *slog.Logger) {
	d.say(check{Name: "fara", OK: true, Text: fmt.Sprintf("%s, %s, %s on %s", version, runtime.Version(), runtime.GOARCH, system())})
	d.examineBrowser(ctx, log)
	d.examineServers(ctx, log)
}

// examineServers looks at each server as if it were the only one.
func (d *doctor) examineServers(ctx context.Context, log *slog.Logger) {
	given := d.model
	for _, at := range given.servers {
		if ctx.Err() != nil {
			return
		}
		d.model = given
		d.model.servers = []place{at}
		d.examineServer(ctx, log)
	}
}

// examineServer looks for the server and the model, and asks it.
func (d *doctor) examineServer(ctx context.Context, log *slog.Logger) {
	srv, err := d.model.connect(ctx, log)
	if ctx.Err() != nil {
		return
	}
	if !d.checkServer(srv, err) {
		d.skip("there is no model to look at", "dialect", "prompt", "calibration", "sight", "reading", "images", "context", "call")
		return
	}
	if speaks, ok := d.examineDialect(); ok {
		d.examineModel(ctx, srv, speaks)
	} else {
		d.skip("how the model speaks is not known", "prompt", "calibration", "sight", "reading", "images", "context", "call")
	}
}

// examineDialect says how the model is spoken to.
func (d *doctor) examineDialect() (dialect.Dialect, bool) {
	size, err := d.browser.size()
	if err != nil {
		return dialect.Dialect{}, false // found wrong before
	}
	how := "given by --dialect"
	switch {
	case d.model.measured != nil:
		how = "from --calibration"
	case d.model.dialect == "auto":
		how = "chosen by the model's name"
	}
	speaks, err := d.model.fitted(size)
	if err != nil {
		d.say(check{Name: "dialect", Text: err.Error(), code: exitUsage})
		return speaks, false
	}
	d.say(check{Name: "dialect", OK: true, Text: speaks.Name + ", " + how})
	d.say(check{Name: "prompt", OK: true, Text: prompted(speaks, d.model.promptFile)})
	d.say(d.checkCalibration())
	return speaks, true
}

// examineModel asks the model, which may have to be loaded for it.
func (d *doctor) examineModel(ctx context.Context, srv *server, speaks dialect.Dialect) {
	p := patient{srv: srv, temperature: d.model.temperature, images: d.images}
	sight, asked := p.checkSight(ctx)
	if ctx.Err() != nil {
		return
	}
	d.say(sight)
	if asked {
		d.say(p.checkReading(ctx))
		d.say(p.checkImages(ctx))
	} else {
		d.skip("the model could not be asked", "reading", "images")
	}
	if ctx.Err() != nil {
		return
	}
	d.say(d.checkContext(ctx, srv, speaks))
	if !asked {
		d.skip("the model could not be asked", "call")
		return
	}
	c := p.checkCall(ctx, manner{d.model.dialect, speaks, d.manner(speaks)}, srv.window(d.model.numCtx))
	if ctx.Err() == nil {
		d.say(c)
	}
}
