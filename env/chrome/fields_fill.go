package chrome

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"fara/env"
)

// state is what pageScript's fieldState reports.
type state struct {
	Value    string `json:"value"`
	Min      string `json:"min"`
	Max      string `json:"max"`
	Step     string `json:"step"`
	Checked  bool   `json:"checked"`
	Breaks   string `json:"breaks"` // min, max or step
	Accept   string `json:"accept"`
	Multiple bool   `json:"multiple"`
	Folder   bool   `json:"folder"`
}

func (f field) state() (state, error) {
	var s state
	err := f.ask("fieldState()", &s)
	return s, err
}

// holding is the field's value in a sentence.
func (s state) holding() string {
	if s.Value == "" {
		return "empty"
	}
	return "now " + s.Value
}

// limits says between which values the page wants the field to be.
func (s state) limits() string {
	switch {
	case s.Min != "" && s.Max != "":
		return fmt.Sprintf(" (from %s to %s)", cut(s.Min, 30), cut(s.Max, 30))
	case s.Min != "":
		return fmt.Sprintf(" (from %s)", cut(s.Min, 30))
	case s.Max != "":
		return fmt.Sprintf(" (up to %s)", cut(s.Max, 30))
	}
	return ""
}

// refusal says which of the page's limits the field's value breaks.
func (s state) refusal() string {
	switch s.Breaks {
	case "min":
		return fmt.Sprintf(", but the page takes nothing before or below %s", cut(s.Min, 30))
	case "max":
		return fmt.Sprintf(", but the page takes nothing after or above %s", cut(s.Max, 30))
	case "step":
		return fmt.Sprintf(", but the page takes only steps of %s", cut(s.Step, 30))
	}
	return ""
}

// clicked tells in words what a click on a field cannot show in the picture: the
// rest of a list, or how a field is filled whose picker stays closed. It is empty
// for everything else.
func (b *instance) clicked(ctx context.Context, p *page) string {
	b.chooserAnswered(ctx)
	if b.front() != p {
		return ""
	}
	f, release := b.focused(ctx, p)
	defer release()
	if !f.Pressed {
		return ""
	}
	switch f.Kind {
	case "select", "listbox":
		if l, err := f.list(); err == nil {
			return l.shown(f)
		}
	case "temporal":
		if s, err := f.state(); err == nil {
			k := temporals[f.Type]
			return fmt.Sprintf("; %s, %s%s: use type with %s as %s", f.named(k.field), s.holding(), s.limits(), k.what, k.example)
		}
	case "color":
		if s, err := f.state(); err == nil {
			return fmt.Sprintf("; %s, %s: use type with a colour as #ff8800", f.named("colour field"), s.holding())
		}
	}
	return ""
}

// fillColor sets a colour. There is no way to do so by keys.
func (b *instance) fillColor(ctx context.Context, p *page, f field, a env.Action) (env.Outcome, error) {
	var colour string
	if err := f.ask(fmt.Sprintf("hue(%s)", quoteJS(strings.TrimSpace(a.Text))), &colour); err != nil {
		return env.Outcome{}, err
	}
	if colour == "" {
		return env.Outcome{}, env.Fail(env.NoEffect, "%q is no colour; write it as #ff8800 or as a name such as orange", cut(a.Text, 40))
	}
	before, err := f.state()
	if err != nil {
		return env.Outcome{}, err
	}
	what := f.named("colour field")
	if before.Value == colour {
		return env.Outcome{Text: fmt.Sprintf("the %s is %s already", what, colour), Tell: true}, nil
	}
	var now string
	if err := f.ask(fmt.Sprintf("put(%s)", quoteJS(colour)), &now); err != nil {
		return env.Outcome{}, err
	}
	if now != colour {
		return env.Outcome{Text: fmt.Sprintf("the %s took %s instead of %s", what, now, colour), Tell: true}, nil
	}
	return env.Outcome{Text: fmt.Sprintf("set the %s to %s", what, colour)}, b.endWith(ctx, p, a)
}

// endWith presses Enter after a field has been filled, when that was asked for.
func (b *instance) endWith(ctx context.Context, p *page, a env.Action) error {
	if !a.Enter {
		return nil
	}
	return b.stroke(ctx, p, keyNamed("Enter"))
}

// fillRange moves a slider to a number.
func (b *instance) fillRange(ctx context.Context, p *page, f field, a env.Action) (env.Outcome, error) {
	what := f.named("slider")
	text := strings.ReplaceAll(strings.TrimSpace(a.Text), ",", ".")
	n, err := strconv.ParseFloat(text, 64)
	s, failed := f.state()
	if failed != nil {
		return env.Outcome{}, failed
	}
	if err != nil || !finite(n) {
		return env.Outcome{}, env.Fail(env.NoEffect, "the %s, %s%s, takes a number; type one, drag it, or press arrow keys", what, s.holding(), s.limits())
	}
	var way struct{ Want, Key string }
	if err := f.ask(fmt.Sprintf("slide(%s)", quoteJS(text)), &way); err != nil {
		return env.Outcome{}, err
	}
	if way.Key != "" {
		if err := b.stroke(ctx, p, keyNamed(way.Key)); err != nil {
			return env.Outcome{}, err
		}
	}
	if s, err = f.state(); err != nil {
		return env.Outcome{}, err
	}
	if s.Value != way.Want {
		if err := f.ask(fmt.Sprintf("put(%s)", quoteJS(text)), &s.Value); err != nil {
			return env.Outcome{}, err
		}
	}
	near, _ := strconv.ParseFloat(s.Value, 64)
	return env.Outcome{Text: fmt.Sprintf("moved the %s to %s", what, s.Value), Tell: near != n}, b.endWith(ctx, p, a)
}

// fillCheck says how boxes are ticked.
func (b *instance) fillCheck(ctx context.Context, p *page, f field, a env.Action) (env.Outcome, error) {
	s, err := f.state()
	if err != nil {
		return env.Outcome{}, err
	}
	now := "not ticked"
	if s.Checked {
		now = "ticked"
	}
	if a.Text == "" {
		return env.Outcome{Text: "pressed Enter in the " + f.named("box")}, b.endWith(ctx, p, a)
	}
	return env.Outcome{}, env.Fail(env.NoEffect, "the %s takes no text and is %s now; click it to change it", f.named("box"), now)
}
