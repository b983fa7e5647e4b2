package replay_test

import (
	"context"
	"strings"
	"testing"

	"fara/env"
	"fara/env/envtest"
	"fara/policy"
	"fara/replay"
	"fara/trajectory"
)

// shop is a page with a button that buys.
func shop() *envtest.Env {
	return &envtest.Env{Viewport: small, Elements: []env.Element{{Tag: "button", Role: "button", Name: "Buy now", Box: env.Rect{X: 100, Y: 300, W: 200, H: 40}}}}
}

// bought is a run that buys something in its second step.
func bought(t *testing.T) *replay.Plan {
	return begin(t, shop()).does(env.Action{Kind: env.MouseMove, Point: point(5, 5)}).
		look().act(click(320), trajectory.Decided{Allowed: true, Code: "approve_never", Classes: []string{"buy"}}).look().plan()
}

func says(choice trajectory.Choice, asked *[]trajectory.Asked) func(context.Context, trajectory.Asked) (trajectory.Replied, error) {
	return func(_ context.Context, a trajectory.Asked) (trajectory.Replied, error) {
		*asked = append(*asked, a)
		if choice == "" {
			return trajectory.Replied{}, replay.ErrNobody
		}
		return trajectory.Replied{By: trajectory.Person, Choice: choice}, nil
	}
}

// What had its effect once is not done again by a replay that was not told so, whatever
// the run's rules allowed then.
func TestNothingIsBoughtTwiceWithoutAWord(t *testing.T) {
	buy := []policy.Class{policy.Buy}
	var asked []trajectory.Asked
	for _, c := range []struct {
		what   string
		cfg    replay.Config
		reason string // empty: it is bought again
		sure   bool
	}{
		{"nobody there", replay.Config{}, replay.ReasonApproval, false},
		{"nobody asked then", replay.Config{Policy: policy.Policy{Approve: policy.Never}}, replay.ReasonApproval, false},
		{"a rule allowed it", replay.Config{Policy: policy.Policy{Rules: []policy.Rule{{Classes: buy, Do: policy.Allow}}}}, replay.ReasonApproval, false},
		{"the person has gone", replay.Config{Approve: says("", &asked)}, replay.ReasonApproval, false},
		{"the person says no", replay.Config{Approve: says(trajectory.No, &asked)}, replay.ReasonApproval, false},
		{"a rule denies it", replay.Config{Again: replay.DoAgain, Policy: policy.Policy{Rules: []policy.Rule{{Classes: buy, Do: policy.Deny}}}}, replay.ReasonPolicy, false},
		{"the person says yes", replay.Config{Approve: says(trajectory.Yes, &asked)}, "", true},
		{"the word was given", replay.Config{Again: replay.DoAgain}, "", true},
	} {
		page := shop()
		report := play(t, bought(t), page, c.cfg)
		did := page.Actions()
		last := did[len(did)-1]
		if report.Reason != c.reason || (last.Kind == env.LeftClick) != (c.reason == "") || last.Sure != c.sure {
			t.Errorf("%s: got %s (%s), and last it did %+v", c.what, report.Reason, report.Message, last)
		}
		if c.reason == replay.ReasonApproval && !strings.Contains(report.Message, "step 2") {
			t.Errorf("%s: the message does not name the step: %s", c.what, report.Message)
		}
	}
	if len(asked) != 3 || asked[0].Approval == nil || asked[0].Approval.Hit.Name != "Buy now" || asked[0].Approval.Classes[0] != "buy" {
		t.Errorf("people were asked %+v", asked)
	}
}

// A button that would buy now, where the run clicked something harmless, is no
// difference only: it is not clicked.
func TestWhatIsThereNowIsJudgedToo(t *testing.T) {
	harmless := shop()
	harmless.Elements[0].Name = "Next"
	plan := begin(t, harmless).does(click(320)).look().plan()
	page := shop()
	report := play(t, plan, page, replay.Config{Checks: []replay.Check{replay.CheckFrame}})
	if report.Reason != replay.ReasonApproval || len(page.Actions()) != 1 {
		t.Errorf("got %s (%s) after %+v", report.Reason, report.Message, page.Actions())
	}
}

// A question that the page asked and that was answered with yes is what the action did.
func TestQuestionThatWasAnsweredWithYesIsAnEffect(t *testing.T) {
	recorded := &envtest.Env{Viewport: small, Elements: fields()}
	r := begin(t, recorded).does(click(320))
	recorded.Note(env.Note{Kind: env.NoteDialog, Text: "the page asked, and the answer was OK", Quote: "Really delete everything?"})
	plan := r.look().plan()
	page := &envtest.Env{Viewport: small, Elements: fields()}
	report := play(t, plan, page, replay.Config{})
	if report.Reason != replay.ReasonApproval || !strings.Contains(report.Message, "delete") || len(page.Actions()) != 1 {
		t.Errorf("got %s (%s) after %+v", report.Reason, report.Message, page.Actions())
	}
}

func TestPlacesThatThePolicyForbidsAreNotOpened(t *testing.T) {
	site, err := policy.ParseSite("shop.example")
	if err != nil {
		t.Fatal(err)
	}
	page := shop()
	report := play(t, bought(t), page, replay.Config{Again: replay.DoAgain, Policy: policy.Policy{Deny: []policy.Site{site}}})
	if report.Reason != replay.ReasonPolicy || len(page.Actions()) != 0 || report.Played != 0 {
		t.Errorf("got %s (%s) after %+v", report.Reason, report.Message, page.Actions())
	}
}

func TestOneWordForASiteIsEnough(t *testing.T) {
	var asked []trajectory.Asked
	buys := trajectory.Decided{Allowed: true, Classes: []string{"buy"}}
	plan := begin(t, shop()).look().act(click(320), buys).look().act(click(320), buys).plan()
	page := shop()
	report := play(t, plan, page, replay.Config{Approve: says(trajectory.AlwaysHere, &asked)})
	if report.Status != replay.Same || len(asked) != 1 || len(page.Actions()) != 3 {
		t.Errorf("got %s (%s), asked %d times, did %+v", report.Status, report.Message, len(asked), page.Actions())
	}
}

func TestCaptchasAreLeftToPeople(t *testing.T) {
	page := shop()
	page.Widgets = []env.Widget{{Name: "reCAPTCHA", Box: env.Rect{X: 100, Y: 300, W: 200, H: 40}}}
	plan := begin(t, &envtest.Env{Viewport: small, Elements: fields()}).does(click(320)).plan()
	report := play(t, plan, page, replay.Config{Checks: []replay.Check{replay.CheckURL}, Again: replay.DoAgain})
	if report.Reason != replay.ReasonCaptcha || len(page.Actions()) != 1 {
		t.Errorf("got %s (%s) after %+v", report.Reason, report.Message, page.Actions())
	}
}
