package main

import (
	"fmt"
	"math"

	"fara/calibrate"
	"fara/imagebudget"
	"fara/model"
)

// clickLine is one target as --json prints it.
type clickLine struct {
	Type    string `json:"type"` // "click"
	Dialect string `json:"dialect"`
	Replies string `json:"replies"`
	N       int    `json:"n"`
	// Space is the one in which Point, DX, DY and Error read the answer.
	Space imagebudget.Space `json:"space"`
	calibrate.Click
	// Error is the greater one of both axes in CSS pixels; null without an answer.
	Error   *float64 `json:"error"`
	Reply   string   `json:"reply"`
	Problem string   `json:"problem,omitempty"`
}

// spaceLine is one space as --json prints it.
type spaceLine struct {
	Type    string `json:"type"` // "space"
	Dialect string `json:"dialect"`
	Replies string `json:"replies"`
	calibrate.Score
}

// refusedLine is a manner that the server does not take, as --json prints it.
type refusedLine struct {
	Type    string `json:"type"` // "refused"
	Dialect string `json:"dialect"`
	Replies string `json:"replies"`
	Text    string `json:"text"`
}

// verdictLine is the outcome as --json prints it, last.
type verdictLine struct {
	Type    string `json:"type"` // "result"
	Fits    bool   `json:"fits"`
	Model   string `json:"model"`
	Dialect string `json:"dialect"`
	Replies string `json:"replies"`
	// Form says in words what the replies look like.
	Form string `json:"form"`
	calibrate.Verdict
	calibrate.Sizes
	// File is where it was saved; empty when it was not.
	File string `json:"file"`
	Text string `json:"text"`
}

// showRound shows every target and every space of one round.
func (p *program) showRound(f *calibrateFlags, r round) {
	clicks := calibrate.Clicks(r.shots, r.sizes, r.verdict.Space)
	if f.json {
		p.roundLines(r, clicks)
		return
	}
	fmt.Fprintf(p.stdout, "%s, model %s, page of %v, picture of %v\n", r.manner, plain(f.model.model), r.sizes.Viewport, r.sizes.Picture)
	if r.refused != nil {
		fmt.Fprintf(p.stdout, "  the server does not take it: %s\n\n", cut(r.refused.Error(), 300))
		return
	}
	fmt.Fprintf(p.stdout, "\n%4s  %12s  %18s  %14s  %7s  %7s  %6s\n", "", "target", "answer", "click", "dx", "dy", "error")
	for i, c := range clicks {
		if c.Answer == nil {
			fmt.Fprintf(p.stdout, "%4d  %12s  no point: %s\n", i+1, c.Target, cut(r.said[i].problem, 120))
			continue
		}
		fmt.Fprintf(p.stdout, "%4d  %12s  %18s  %14s  %+7.1f  %+7.1f  %6.1f\n", i+1, c.Target, pair(*c.Answer), *c.Point, c.DX, c.DY, wide(c))
	}
	fmt.Fprintf(p.stdout, "\n%10s  %10s  %10s  %8s\n", "space", "median", "worst", "landed")
	for _, s := range r.verdict.Scores {
		fmt.Fprintf(p.stdout, "%10s  %10s  %10s  %8s%s\n", s.Space, pixels(s.Median), pixels(s.Worst), fmt.Sprintf("%d/%d", s.Landed, s.Asked), mark(s, r.verdict))
	}
	if r.verdict.X.Scale != 0 && r.verdict.Y.Scale != 0 {
		across, down := "x", "y"
		if r.verdict.Why == calibrate.Swapped {
			across, down = down, across
		}
		fmt.Fprintf(p.stdout, "%10s  css x = %.4g * %s %+.1f, css y = %.4g * %s %+.1f\n", "fitted", r.verdict.X.Scale, across, r.verdict.X.Offset, r.verdict.Y.Scale, down, r.verdict.Y.Offset)
	}
	fmt.Fprintln(p.stdout)
}

func (p *program) roundLines(r round, clicks []calibrate.Click) {
	if r.refused != nil {
		writeLine(p.stdout, refusedLine{"refused", r.manner.name, string(r.manner.replies), r.refused.Error()})
		return
	}
	for i, c := range clicks {
		line := clickLine{
			Type: "click", Dialect: r.manner.name, Replies: string(r.manner.replies), N: i + 1, Space: r.verdict.Space, Click: c,
			Reply: r.said[i].reply, Problem: r.said[i].problem,
		}
		if c.Answer != nil {
			e := wide(c)
			line.Error = &e
		}
		writeLine(p.stdout, line)
	}
	for _, s := range r.verdict.Scores {
		writeLine(p.stdout, spaceLine{"space", r.manner.name, string(r.manner.replies), s})
	}
}

// showResult says what it came to, and what to do with it.
func (p *program) showResult(f *calibrateFlags, r round, file string) {
	if f.json {
		writeLine(p.stdout, verdictLine{
			Type: "result", Fits: r.verdict.Why == calibrate.Fits, Model: f.model.model, Dialect: r.manner.name, Replies: string(r.manner.replies), Form: r.manner.form(),
			Verdict: r.verdict, Sizes: r.sizes, File: file, Text: r.text(),
		})
		return
	}
	fmt.Fprintf(p.stdout, "%s: %s\n", r.manner, cut(r.text(), 600))
	if file != "" {
		fmt.Fprintf(p.stdout, "saved: %s, for fara run --calibration %s\n", file, file)
	}
}

// text is the verdict and, when nothing could be read, what the model said.
func (r round) text() string {
	text := r.verdict.String()
	switch {
	case r.refused != nil:
		return "does not fit: the server does not take it: " + r.refused.Error()
	case r.verdict.Why == calibrate.Unread:
		for _, s := range r.said {
			if s.problem != "" {
				return fmt.Sprintf("%s; it said: %s", text, shorter(s.reply))
			}
		}
	}
	return text
}

func wide(c calibrate.Click) float64 { return max(math.Abs(c.DX), math.Abs(c.DY)) }

func pair(p model.Point) string { return fmt.Sprintf("[%.6g, %.6g]", p.X, p.Y) }

func pixels(v float64) string {
	if v < 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f px", v)
}

func mark(s calibrate.Score, v calibrate.Verdict) string {
	if s.Space == v.Space && v.Why == calibrate.Fits {
		return "  fits"
	}
	return ""
}
