package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"fara/env"
	"fara/policy"
	"fara/trajectory"
)

// The codes of decisions about an action that somebody was asked for. Those of
// rules are the policy's.
const (
	codeApproved     = "approved"
	codeApprovedSite = "approved_site"
	codeDeclined     = "approval_declined"
	codeExpired      = "approval_expired"
	codeChanged      = "target_changed"
)

// errNotNow is an action that was left for a reason that is nobody's failure.
var errNotNow = errors.New("the action was not begun")

// permit decides about an action before it is done, and writes the decision down:
// nil, an *env.ActionError when it may not be done, or an Ending when a person has
// to say so and nobody is there.
func (a *Agent) permit(ctx context.Context, intent trajectory.Acting) error {
	action := intent.Action
	if action.Kind == env.VisitURL {
		if refusal := a.cfg.Policy.Visit(action.URL); refusal != nil {
			return a.refused(trajectory.Decided{Code: refusal.Code, Text: refusal.Error()})
		}
	}
	hit, err := a.aim(ctx, action)
	if err != nil {
		return err
	}
	if err := a.passCaptcha(ctx, action, hit); err != nil {
		return err
	}
	page := env.WithoutUser(a.view.taken.URL)
	verdict := a.cfg.Policy.Judge(action, hit, page)
	if asks := a.questioned(action, hit); asks.Stricter(verdict) {
		verdict = asks
	}
	d := trajectory.Decided{Code: verdict.Code, Text: verdict.Text, Classes: names(verdict.Classes), Hit: hit}
	switch {
	case verdict.Do == policy.Deny:
		return a.refused(d)
	case verdict.Do == policy.Ask && !a.granted(d.Classes, page):
		return a.approve(ctx, trajectory.Approval{
			Action: action, Code: d.Code, Classes: d.Classes, Hit: hit, URL: page, Frame: a.view.frame, Clamped: intent.Clamped,
		}, verdict.Text)
	case verdict.Do == policy.Ask:
		d.Code, d.By = codeApprovedSite, trajectory.Person
	}
	d.Allowed, d.Text = true, ""
	return a.record(d)
}

// aim is the element that the action is about to reach; nil when it reaches none. Of
// the two ends of a drag it is the one that more stands in the way of: things are
// dropped on what sends or deletes them.
func (a *Agent) aim(ctx context.Context, action env.Action) (*env.Element, error) {
	switch action.Kind {
	case env.LeftClickDrag:
		return a.aimDrag(ctx, action)
	case env.LeftClick, env.RightClick, env.DoubleClick, env.TripleClick, env.Type, env.Key:
		return a.aimed(ctx, action)
	}
	return nil, nil
}

func (a *Agent) aimDrag(ctx context.Context, action env.Action) (*env.Element, error) {
	end, err := a.aimed(ctx, env.Action{Kind: env.LeftClick, Point: action.Point})
	if err != nil {
		return nil, err
	}
	begin, err := a.aimed(ctx, action)
	if err != nil {
		return nil, err
	}
	page := env.WithoutUser(a.view.taken.URL)
	if a.cfg.Policy.Judge(action, end, page).Stricter(a.cfg.Policy.Judge(action, begin, page)) {
		return end, nil
	}
	return begin, nil
}

func (a *Agent) aimed(ctx context.Context, action env.Action) (*env.Element, error) {
	began := time.Now()
	hit, err := a.page.Aim(ctx, action)
	a.timings.Browser += time.Since(began)
	var fail *env.ActionError
	if errors.As(err, &fail) {
		return nil, a.failed(fail)
	}
	return hit, err
}

// approve has a person decide about exactly this action.
func (a *Agent) approve(ctx context.Context, frozen trajectory.Approval, why string) error {
	asked := trajectory.Asked{Question: why, Approval: &frozen, Expires: a.expiry()}
	if err := a.record(asked); err != nil {
		return err
	}
	return a.decideOn(ctx, asked)
}

// decideOn waits for the decision and does what it says.
func (a *Agent) decideOn(ctx context.Context, asked trajectory.Asked) error {
	replied, err := a.answer(ctx, asked)
	if err != nil {
		return err
	}
	if err := a.record(replied); err != nil {
		return err
	}
	frozen := asked.Approval
	switch replied.Choice {
	case trajectory.Yes, trajectory.AlwaysHere:
	case trajectory.Expired:
		return a.needsApproval(asked, "expired", "nobody said yes or no in time")
	default:
		return a.refused(trajectory.Decided{Code: codeDeclined, Text: "the user does not want this: " + asked.Question, Classes: frozen.Classes, Hit: frozen.Hit, By: replied.By})
	}
	hit, err := a.aim(ctx, frozen.Action)
	if err != nil {
		return err
	}
	if why := changed(frozen.Hit, hit); why != "" {
		return a.refused(trajectory.Decided{Code: codeChanged, Text: "it was allowed, but " + why + "; look again and propose it anew", Classes: frozen.Classes, Hit: hit})
	}
	return a.record(trajectory.Decided{Allowed: true, Code: codeApproved, Classes: frozen.Classes, Hit: hit, By: replied.By})
}

// needsApproval ends a run whose action nobody is there to decide about.
func (a *Agent) needsApproval(asked trajectory.Asked, reason, why string) error {
	a.waits = &asked
	return Ending{
		Status: trajectory.NeedsApproval, Reason: reason,
		Message: fmt.Sprintf("%s, and %s; nothing of it was sent", asked.Question, why),
	}
}

// granted reports whether a person has allowed all of these classes on this
// page's site for the rest of the run.
func (a *Agent) granted(classes []string, page string) bool {
	var open []string
	var frozen *trajectory.Approval
	site := host(page)
	for _, e := range a.run.Events() {
		switch {
		case e.Asked != nil:
			frozen = e.Asked.Approval
		case e.Replied != nil && e.Replied.Choice == trajectory.AlwaysHere && frozen != nil && host(frozen.URL) == site:
			open = append(open, frozen.Classes...)
		}
	}
	return len(classes) > 0 && site != "" && !slices.ContainsFunc(classes, func(c string) bool { return !slices.Contains(open, c) })
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// changed says in what an action's target is not any more what was decided about;
// empty when it is the same.
func changed(before, now *env.Element) string {
	const moved = 40 // CSS pixels that a target may have moved by
	switch {
	case before == nil && now == nil:
		return ""
	case before == nil || now == nil:
		return "another thing is there now"
	case before.Tag != now.Tag || before.Role != now.Role || before.Name != now.Name || before.Type != now.Type || before.Link != now.Link || before.Document != now.Document:
		return "another thing is there now"
	case math.Abs(before.Box.X-now.Box.X) > moved || math.Abs(before.Box.Y-now.Box.Y) > moved:
		return "it has moved"
	}
	return changedForm(before.Form, now.Form)
}

func changedForm(before, now *env.Form) string {
	switch {
	case before == nil && now == nil:
		return ""
	case before == nil || now == nil || before.Method != now.Method || before.Action != now.Action:
		return "it belongs to another form now"
	case !slices.Equal(before.Fields, now.Fields):
		return "its form is not filled in any more as it was"
	}
	return ""
}

func names(classes []policy.Class) []string {
	var out []string
	for _, c := range classes {
		out = append(out, string(c))
	}
	return out
}
