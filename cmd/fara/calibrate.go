package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fara/calibrate"
	"fara/env"
	"fara/env/chrome"
	"fara/policy"
)

// calibrateFlags say how a model's aim is measured.
type calibrateFlags struct {
	model   modelFlags
	browser browserFlags
	clicks  int
	save    string
	json    bool
}

// maxClicks bounds --clicks: more tell nothing new.
const maxClicks = 200

func (p *program) calibrateCmd() *cobra.Command {
	var flags calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure where a model points, and which dialect fits",
		Long: "Show the model one target after the other in a real browser, have it click each, and read\n" +
			"its answers in every space there is: thousandths, pixels of the picture, fractions. Print how\n" +
			"far each click is off, which dialect and space fit or why none does, and save what fits\n" +
			"for fara run --calibration. A space fits when nine of ten clicks land in a button of 24 CSS\n" +
			"pixels around the target's middle and the median error is 6 CSS pixels at most.",
		Example: "  fara calibrate --model qwen3-vl:8b\n  fara run \"Find the opening hours\" --url example.com --model qwen3-vl:8b --calibration calibration-qwen3-vl-8b.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.resolve(cmd.Flags()); err != nil {
				return err
			}
			return p.calibrate(cmd.Context(), &flags)
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

func (c *calibrateFlags) register(f *pflag.FlagSet) {
	c.model.register(f)
	c.browser.register(f)
	f.IntVar(&c.clicks, "clicks", 12, "how many targets are shown, 10 or more")
	f.StringVar(&c.save, "save", "", "the `file` for what fits (default: calibration-MODEL.json in this folder)")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line")
	f.Lookup("calibration").Hidden = true
}

func (c *calibrateFlags) resolve(f *pflag.FlagSet) error {
	if given(f, "calibration") {
		return usage("--calibration has no place here, where a new one is made; --save names its file")
	}
	c.model.calibration = "" // one in the environment is for runs
	if c.clicks < calibrate.MinTargets || c.clicks > maxClicks {
		return usage("--clicks %d is out of range; give %d to %d", c.clicks, calibrate.MinTargets, maxClicks)
	}
	if err := c.browser.check(); err != nil {
		return err
	}
	if c.save != "" {
		if err := writable(c.save); err != nil {
			return err
		}
	}
	return c.model.resolve(f)
}

// writable finds out before the model is asked whether its calibration can be
// kept. Another file than an older calibration is not written over.
func writable(path string) error {
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return usage("--save %s is a folder; name a file", path)
		}
		if _, err := calibrate.Load(path); err != nil {
			return usage("--save %s is there and is no calibration; name another file", path)
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".calibration-*")
	if err != nil {
		return usage("--save: %w; name a file in a folder that can be written", err)
	}
	tmp.Close()
	return os.Remove(tmp.Name())
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._]+`)

// calibrationOf is the file that a model's calibration is kept in unless the user
// names another.
func calibrationOf(model string) string {
	return "calibration-" + notInNames.ReplaceAllString(strings.TrimSuffix(model, ":latest"), "-") + ".json"
}

// calibrate finds everything that can be wrong before the browser starts, and
// measures.
func (p *program) calibrate(ctx context.Context, f *calibrateFlags) error {
	log := slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	size, err := f.browser.size()
	if err != nil {
		return err
	}
	binary, err := f.browser.find()
	if err != nil {
		return err
	}
	if f.model.dialect != "auto" {
		if _, err := f.model.fitted(size); err != nil {
			return err
		}
	}
	srv, err := f.model.connect(ctx, log)
	if err != nil {
		return err
	}
	if f.save == "" {
		f.save = calibrationOf(f.model.model)
		if err := writable(f.save); err != nil {
			return err
		}
	}
	shown := &gallery{open: func(ctx context.Context, viewport env.Size) (*guarded, error) {
		return f.browser.open(ctx, binary, policy.Policy{}, p.getenv, chrome.Config{Viewport: viewport, Logger: log})
	}}
	defer shown.close()
	return p.measure(ctx, f, srv, shown)
}

// measure asks in one manner after the other until one fits, or until it is plain
// that none will.
func (p *program) measure(ctx context.Context, f *calibrateFlags, srv *server, shown *gallery) error {
	size, err := f.browser.size()
	if err != nil {
		return err
	}
	ways, certain, err := f.model.manners(size)
	if err != nil {
		return err
	}
	window := srv.window(f.model.numCtx)
	if err := ways[0].check(window); err != nil {
		return usage("%w", err)
	}
	ways = slices.DeleteFunc(ways, func(m manner) bool { return m.check(window) != nil })
	best, err := p.try(ctx, f, ways, certain, &gunner{srv: srv, flags: &f.model, shown: shown, clicks: f.clicks, told: p.counting(f.json)})
	if err != nil {
		return err
	}
	return p.conclude(f, best)
}

// mostBlind is after how many manners a model that does not follow the targets is
// given up: its eyes are at fault, and not how it is asked.
const mostBlind = 2

// try gives the first round that fits, or else the one that says most.
func (p *program) try(ctx context.Context, f *calibrateFlags, ways []manner, certain certainty, g *gunner) (best round, err error) {
	blind := 0
	for i, way := range ways {
		r, err := g.shoot(ctx, way)
		if err != nil {
			return best, err
		}
		p.showRound(f, r)
		if i == 0 || r.rank() < best.rank() {
			best = r
		}
		if r.verdict.Why == calibrate.Blind {
			blind++
		}
		if !r.leads(certain) || blind == mostBlind {
			break
		}
	}
	return best, nil
}

// conclude keeps what fits and says how it came out.
func (p *program) conclude(f *calibrateFlags, r round) error {
	if r.verdict.Why != calibrate.Fits {
		p.showResult(f, r, "")
		return exit(exitNoSuccess)
	}
	file := calibrate.File{
		Model: f.model.model, Dialect: r.manner.name, Space: r.verdict.Space, Replies: string(r.manner.replies),
		Sizes: r.sizes, Scale: f.browser.scale, Median: r.verdict.Score().Median, Worst: r.verdict.Score().Worst,
		Clicks: calibrate.Clicks(r.shots, r.sizes, r.verdict.Space), Created: time.Now().UTC().Truncate(time.Second), Fara: version,
	}
	if f.browser.cdp != "" {
		file.Scale = 0
	}
	if err := file.Save(f.save); err != nil {
		return fmt.Errorf("keep the calibration: %w", err)
	}
	p.showResult(f, r, f.save)
	return nil
}

// counting tells a person how far it is.
func (p *program) counting(json bool) func(m manner, n, of int) {
	if json {
		return func(manner, int, int) {}
	}
	return func(m manner, n, of int) { fmt.Fprintf(p.stderr, "%s: target %d of %d\n", m, n, of) }
}

// shorter is a reply for a table.
func shorter(reply string) string { return cmp.Or(cut(reply, 160), "(nothing)") }
