package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fara/captcha"
	"fara/env"
)

// action is what a move does now: with new values in the place of what was typed, at the
// origins of now.
func (p *player) action(m *Move) env.Action {
	act := *m.Action
	if m.Text >= 0 {
		act.Text = p.plan.Texts[m.Text].Text
	}
	if act.URL != "" {
		act.URL = moved(act.URL, p.cfg.Bases)
	}
	return act
}

// act does a move's action, when it is still that and may be done.
func (p *player) act(ctx context.Context, i int, s *Step) error {
	m := &p.plan.Moves[i]
	act := p.action(m)
	if act.Kind == env.VisitURL {
		if refusal := p.cfg.Policy.Visit(act.URL); refusal != nil {
			return unplayed(s, &stop{ReasonPolicy, fmt.Sprintf("step %d: %v", m.Step, refusal)})
		}
	}
	reached, err := p.aim(ctx, m, act, s)
	if err != nil {
		return unplayed(s, err)
	}
	switch {
	case len(s.Differences) > 0 && p.cfg.Onward == StopThere:
		return unplayed(s, nil)
	case reached == nil:
		s.Skipped = "the page did not say what it would reach"
		return nil
	}
	for _, hit := range reached {
		if name := captcha.Touched(p.seen, act, hit); name != "" {
			return unplayed(s, &stop{ReasonCaptcha, fmt.Sprintf("step %d: %s would work on %s, which a person has to deal with", m.Step, act.Kind, name)})
		}
	}
	if act.Sure, err = p.permit(ctx, i, act, reached); err != nil {
		return unplayed(s, err)
	}
	return p.perform(ctx, m, act, s)
}

// perform lets the environment act.
func (p *player) perform(ctx context.Context, m *Move, act env.Action, s *Step) error {
	began := time.Now()
	_, err := p.page.Perform(ctx, act)
	p.cfg.Logger.Info("acted", "step", m.Step, "action", act.Kind, "took", time.Since(began), "err", err)
	var fail *env.ActionError
	if err != nil && !errors.As(err, &fail) {
		return err
	}
	p.report.Played++
	if fail != nil && m.Failed == "" {
		p.differs(s, outcome, "%s failed, which it had not: %s", act.Kind, fail.Text)
	}
	p.scrolled = p.scrolled || scrolls(act.Kind)
	if s.Set {
		p.mask(m, s.Hit)
	}
	return nil
}

// scrolls reports whether actions of a kind may move what a page shows.
func scrolls(k env.Kind) bool {
	switch k {
	case env.Scroll, env.HScroll, env.Key, env.LeftClickDrag, env.LeftClick:
		return true
	}
	return false
}

// aims reports whether actions of a kind reach an element that counts.
func aims(k env.Kind) bool {
	switch k {
	case env.LeftClick, env.RightClick, env.DoubleClick, env.TripleClick, env.LeftClickDrag, env.Type, env.Key:
		return true
	}
	return false
}

// aim waits for the action to be about to reach what it reached, and gives what it
// reaches: for a drag where it begins and where it ends. It is nil when the page would
// not say.
func (p *player) aim(ctx context.Context, m *Move, act env.Action, s *Step) ([]*env.Element, error) {
	if !aims(act.Kind) {
		return []*env.Element{nil}, nil
	}
	s.RunHit = m.Hit
	began := time.Now()
	for {
		reached, err := p.reached(ctx, act)
		over := time.Since(began) >= p.cfg.Limit
		var fail *env.ActionError
		switch {
		case err != nil && !errors.As(err, &fail):
			return nil, err
		case err != nil && over, err != nil && m.Failed != "":
			if m.Failed == "" {
				p.differs(s, outcome, "%s cannot be done, which it could: %s", act.Kind, fail.Text)
			}
			return nil, nil
		case err == nil:
			same := p.matching(m, reached, s)
			if same || over {
				if !same {
					p.differs(s, CheckHit, "%s reaches %s, the run hit %s", at(act), named(s.Hit), named(m.Hit))
				}
				return reached, nil
			}
		}
		if err := rest(ctx, lookAgain); err != nil {
			return nil, err
		}
	}
}

// reached is what an action is about to reach.
func (p *player) reached(ctx context.Context, act env.Action) ([]*env.Element, error) {
	first, err := p.page.Aim(ctx, act)
	if err != nil || act.Kind != env.LeftClickDrag {
		return []*env.Element{first}, err
	}
	end, err := p.page.Aim(ctx, env.Action{Kind: env.LeftClick, Point: act.Point})
	if err != nil {
		return nil, err
	}
	first, err = p.page.Aim(ctx, act) // last, so that the environment remembers this one
	return []*env.Element{first, end}, err
}

// matching reports whether one of the elements is the run's, or that is not compared.
func (p *player) matching(m *Move, reached []*env.Element, s *Step) bool {
	s.Hit = reached[0]
	if !m.Aimed || !p.checks(CheckHit) {
		return true
	}
	for _, hit := range reached {
		if alike(hit, m.Hit) {
			s.Hit = hit
			return true
		}
	}
	return false
}

// alike reports whether two elements are the same for a person.
func alike(a, b *env.Element) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Tag == b.Tag && a.Role == b.Role && label(a) == label(b) && a.Type == b.Type
}

// named says what an element is in a few words.
func named(el *env.Element) string {
	if el == nil {
		return "nothing"
	}
	what := el.Role
	if what == "" {
		what = el.Tag
	}
	if name := label(el); name != "" {
		what += fmt.Sprintf(" %q", short(name, 80))
	}
	return what
}

func at(act env.Action) string {
	if act.Point == nil {
		return string(act.Kind)
	}
	return fmt.Sprintf("%s at %v", act.Kind, *act.Point)
}

// describe says what an action does, beside its kind.
func describe(act env.Action) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if act.From != nil {
		add("from %v", *act.From)
	}
	if act.Point != nil {
		add("at %v", *act.Point)
	}
	switch act.Kind {
	case env.Type:
		add("%q", short(act.Text, 200))
	case env.Key:
		add("%s", strings.Join(act.Keys, "+"))
	case env.Scroll, env.HScroll:
		add("by (%.0f, %.0f)", act.DX, act.DY)
	case env.VisitURL:
		add("%s", env.WithoutUser(act.URL))
	case env.Wait:
		add("for %v", act.For)
	}
	return strings.Join(parts, " ")
}

// short cuts a text to so many characters.
func short(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "..."
	}
	return s
}
