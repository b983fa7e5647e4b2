package agent

import (
	"context"
	"fmt"

	"fara/captcha"
	"fara/env"
	"fara/trajectory"
)

// codeCaptcha is what the model is told of a captcha under.
const codeCaptcha = "captcha"

// passCaptcha keeps the model's hands off a captcha: a person deals with it, and
// then the model looks again.
func (a *Agent) passCaptcha(ctx context.Context, action env.Action, hit *env.Element) error {
	name := captcha.Touched(a.view.taken, action, hit)
	if name == "" {
		return nil
	}
	if err := a.person(ctx, name); err != nil {
		return err
	}
	return errNotNow
}

// person has somebody deal with a captcha. It returns nil when the run may go on,
// and the Ending when nobody did: never is one called dealt with that was not.
func (a *Agent) person(ctx context.Context, name string) error {
	asked := trajectory.Asked{
		Question: fmt.Sprintf("%s wants a person: solve it in the browser, then let the run go on", name),
		Captcha:  name, Expires: a.expiry(),
	}
	if err := a.record(asked); err != nil {
		return err
	}
	replied, err := a.answer(ctx, asked)
	if err != nil {
		return err
	}
	if err := a.record(replied); err != nil {
		return err
	}
	if replied.Choice != trajectory.Yes {
		a.waits = &asked
		return Ending{Status: trajectory.Blocked, Reason: "captcha", Message: name + " was not solved by anybody"}
	}
	return a.record(trajectory.Resumed{Why: "captcha", Hands: true, Text: handsText})
}

// tellCaptchas tells the model of a captcha beside which the page can be used.
func (a *Agent) tellCaptchas(widgets []env.Widget) error {
	for _, w := range widgets {
		if w.Solved || a.told[w.Name] {
			continue
		}
		if a.told == nil {
			a.told = map[string]bool{}
		}
		a.told[w.Name] = true
		text := fmt.Sprintf("This page has a captcha (%s), which only a person may solve. Do without it where you can; if you click it, a person is asked.", w.Name)
		if err := a.record(trajectory.Warned{Code: codeCaptcha, Text: text}); err != nil {
			return err
		}
	}
	return nil
}
