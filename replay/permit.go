package replay

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"fara/env"
	"fara/policy"
	"fara/trajectory"
)

// grant is a person's word for the rest of the replay.
type grant struct {
	host    string
	classes []string
}

// permit says whether an action may be done once more, and whether it is sure: whether
// the page's own question may be answered with yes. The error is a *stop when it may
// not.
//
// Beside the policy's judgement of what is there now counts what the run took the action
// for, and what the page asked then: one that was allowed once has had its effect.
func (p *player) permit(ctx context.Context, i int, act env.Action, reached []*env.Element) (sure bool, err error) {
	m := &p.plan.Moves[i]
	page := env.WithoutUser(p.seen.URL)
	verdict, hit := p.judge(act, reached, page)
	if verdict.Do == policy.Deny {
		return false, &stop{ReasonPolicy, fmt.Sprintf("step %d: %s", m.Step, verdict.Text)}
	}
	classes := union(m.Classes, names(verdict.Classes), names(p.answered(i)))
	asks := verdict.Do == policy.Ask
	for _, c := range classes {
		bound := verdict.Code == policy.CodeBound && c == string(policy.Credentials)
		asks = asks || policy.Class(c).Risky() && !bound
	}
	switch {
	case !asks:
		return p.cfg.Again == DoAgain && verdict.Code == policy.CodeRuleAllow, nil
	case p.cfg.Again == DoAgain, p.wasGranted(classes, page):
		return true, nil
	}
	return true, p.ask(ctx, m, trajectory.Approval{Action: act, Code: verdict.Code, Classes: classes, Hit: hit, URL: page}, verdict.Text)
}

// judge is the strictest judgement of what the action reaches.
func (p *player) judge(act env.Action, reached []*env.Element, page string) (policy.Decision, *env.Element) {
	worst, of := p.cfg.Policy.Judge(act, reached[0], page), reached[0]
	for _, hit := range reached[1:] {
		if d := p.cfg.Policy.Judge(act, hit, page); d.Stricter(worst) {
			worst, of = d, hit
		}
	}
	return worst, of
}

// answered are the classes of questions that the page asked after the run's action, and
// that were answered with yes.
func (p *player) answered(i int) []policy.Class {
	for _, m := range p.plan.Moves[i+1:] {
		if m.Seen == nil {
			continue
		}
		var out []policy.Class
		for _, n := range m.Seen.Notes {
			if n.Kind == env.NoteDialog {
				out = append(out, p.cfg.Policy.Question(n.Quote, m.Seen.URL).Classes...)
			}
		}
		return out
	}
	return nil
}

// ask has a person decide.
func (p *player) ask(ctx context.Context, m *Move, frozen trajectory.Approval, why string) error {
	if why == "" {
		why = fmt.Sprintf("%s on %s was taken for %s", at(frozen.Action), named(frozen.Hit), strings.Join(frozen.Classes, ", "))
	}
	question := fmt.Sprintf("step %d: the run did this, and it would be done again: %s", m.Step, why)
	if p.cfg.Approve == nil {
		return &stop{ReasonApproval, question + "; nothing of it was sent. Give --approval yes to have such things done again"}
	}
	replied, err := p.cfg.Approve(ctx, trajectory.Asked{Question: question, Approval: &frozen})
	switch {
	case errors.Is(err, ErrNobody):
		return &stop{ReasonApproval, question + "; nothing of it was sent. Give --approval yes to have such things done again"}
	case err != nil:
		return err
	case replied.Choice == trajectory.AlwaysHere:
		p.granted = append(p.granted, grant{host(frozen.URL), frozen.Classes})
	case replied.Choice != trajectory.Yes:
		return &stop{ReasonApproval, question + "; the user does not want that"}
	}
	return nil
}

func (p *player) wasGranted(classes []string, page string) bool {
	return slices.ContainsFunc(p.granted, func(g grant) bool {
		return g.host == host(page) && !slices.ContainsFunc(classes, func(c string) bool { return !slices.Contains(g.classes, c) })
	})
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

func names(classes []policy.Class) []string {
	var out []string
	for _, c := range classes {
		out = append(out, string(c))
	}
	return out
}

// union has each class once, in the order of the policy's list.
func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
