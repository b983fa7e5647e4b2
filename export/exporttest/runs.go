package exporttest

import (
	"encoding/json"
	"fmt"

	"fara/model"
	"fara/trajectory"
)

const (
	click  = `{"action": "left_click", "coordinate": [500, 500]}`
	finish = `{"action": "terminate", "answer": "Tea costs [3] \"euros\" <b>."}`
	ask    = `{"action": "ask_user_question", "question": "Green or black?"}`
	site   = "https://shop.test/"
)

var won = trajectory.Result{Status: trajectory.Success, Reason: "terminate", Answer: `Tea costs [3] "euros" <b>.`, Claim: "success"}

// HalfWritten is the odd run that has not ended.
const HalfWritten = "half-written"

// Odd are runs that are all odd in another way, by what is odd about them.
func Odd() map[string]func(out string) *Teller {
	return map[string]func(out string) *Teller{
		"plain": plain, "bad replies": badReplies, "refused": refused, "question": question, "unread reply": unread,
		"several frames": severalFrames, "smaller frame": smallerFrame, "no steps": noSteps, "no frames": noFrames,
		"out of steps": outOfSteps, "forced answer": forced, "forced and gone on": forcedOn, "killed while acting": killed,
		"killed before acting": killedBefore, "native tools": native, "jpeg": jpegs, "answer rejected": rejected,
		HalfWritten: halfWritten, "waiting": waiting, "page left": pageLeft, "needs approval": approval,
	}
}

func begin(out, name string, s Setting) *Teller {
	s.Task.Run, s.Task.Task, s.Task.URL, s.Task.Model = name, "Buy tea; say <what> it costs.\nIn euros: \u2028 ü 茶 😀", site, "tiny"
	return Begin(out, s)
}

// clicks takes n steps that each click.
func (t *Teller) clicks(n int) *Teller {
	for range n {
		t.See(site+"shelf", uint8(40*t.step)).Say(Called(fmt.Sprintf("Step %d: <click> & \"go\".", t.step), click)).Click()
	}
	return t
}

func (t *Teller) finished() *Teller { return t.See(site+"end", 250).Say(Called("It is done.", finish)) }

func plain(out string) *Teller {
	return begin(out, "plain", Setting{}).clicks(5).finished().
		Tell(trajectory.Verdict{By: "schema", Accepted: true, Answer: won.Answer}).End(withVerdicts(won))
}

func withVerdicts(r trajectory.Result) trajectory.Result {
	r.Verified = []string{"schema"}
	r.Verdicts = []trajectory.Verdict{
		{By: "schema", Accepted: true, Answer: r.Answer},
		{By: "judge", Unsure: true, Class: "infra_error", Answer: r.Answer, Raw: "?", Model: "judge"},
		{By: "judge", Accepted: false, Class: "unproven", Reason: "no price", Answer: r.Answer},
	}
	return r
}

func badReplies(out string) *Teller {
	return begin(out, "bad", Setting{}).clicks(1).
		See(site, 90).Say(model.Reply{Text: "I do not know."}).
		Cut(Called("Cut.", click), "the server counted 512 tokens").
		Say(Called("", `{"action": "fly"}`)).Say(Called("Now.", click)).Click().
		See(site, 91).Say(model.Reply{Text: "no call"}).Say(Called("", finish)).End(won)
}

func refused(out string) *Teller {
	return begin(out, "refused", Setting{}).
		See(site, 10).Say(Called("", `{"action": "visit_url", "url": "https://evil.test/"}`)).
		Tell(trajectory.Decided{Code: "site", Text: "evil.test is not allowed"}).clicks(1).
		See(site, 12).Say(Called("Miss.", click)).
		Tell(trajectory.Acting{}, trajectory.Acted{Error: &trajectory.Problem{Reason: "covered", Text: "it is covered"}}).
		finished().End(won)
}

func question(out string) *Teller {
	return begin(out, "question", Setting{}).clicks(1).See(site, 70).Say(Called("Which?", ask)).
		Tell(trajectory.Asked{Question: "Green or black?"}, trajectory.Replied{Text: "green", By: trajectory.Person}, trajectory.Acted{Text: "asked the user"}).
		clicks(1).See(site, 80).Say(Called("Which again?", ask)).
		Tell(trajectory.Asked{Question: "Green or black?"}, trajectory.Replied{Text: "go on", By: trajectory.Auto}, trajectory.Acted{Text: "asked the user"}).
		See(site, 81).Say(Called("", `{"action": "pause_and_memorize_fact", "fact": "green"}`)).
		Tell(trajectory.Fact{Text: "green"}, trajectory.Acted{Text: "memorized the fact"}).finished().End(won)
}

func unread(out string) *Teller {
	return begin(out, "unread", Setting{}).clicks(1).See(site, 70).Say(Called("Which?", ask)).
		Tell(trajectory.Asked{Question: "Green or black?"}, trajectory.Replied{Text: "green", By: trajectory.Person}, trajectory.Acted{Text: "asked the user"}).
		See(site, 71).End(trajectory.Result{Status: trajectory.Cancelled, Reason: "interrupted"})
}

func severalFrames(out string) *Teller {
	return begin(out, "frames", Setting{}).See(site, 1).Look(site, 2).Tell(trajectory.Warned{Code: "captcha", Text: "a captcha was solved"}).
		Look(site, 3).Say(Called("", click)).Click().See(site, 4).Look(site, 5).Say(Called("", click)).Click().
		finished().End(won)
}

func smallerFrame(out string) *Teller {
	return begin(out, "smaller", Setting{}).See(site, 1).Tell(trajectory.Adapted{MaxPixels: 1024, Why: "too large"}).Again(1).
		Say(Called("", click)).Click().See(site, 2).Again(2).Say(model.Reply{Text: "?"}).Again(2).Say(Called("", click)).Click().
		finished().End(won)
}

func noSteps(out string) *Teller {
	return begin(out, "nosteps", Setting{}).See(site, 1).Say(model.Reply{Text: "?"}).
		End(trajectory.Result{Status: trajectory.BadReplies, Reason: "no_call"})
}

func noFrames(out string) *Teller {
	return begin(out, "noframes", Setting{}).End(trajectory.Result{Status: trajectory.Failure, Reason: "start_url"})
}

var spent = trajectory.Result{Status: trajectory.BudgetExhausted, Reason: "max_steps"}

func outOfSteps(out string) *Teller {
	return begin(out, "outofsteps", Setting{}).clicks(12).See(site, 200).End(spent)
}

// last asks for the last word.
func (t *Teller) last() *Teller {
	t.See(site, 201).Tell(trajectory.Warned{Code: "final_answer", Text: "Your steps are used up."})
	return t.Say(Called("I must end.", finish)).Tell(trajectory.Acted{Text: "gave its last word"})
}

func forced(out string) *Teller {
	r := spent
	r.Answer, r.Claim = won.Answer, "forced"
	return begin(out, "forced", Setting{}).clicks(3).last().End(r)
}

func forcedOn(out string) *Teller {
	r := spent
	r.Answer, r.Claim = won.Answer, "forced"
	t := begin(out, "forcedon", Setting{}).clicks(2).last().End(r).Resume()
	t.step--
	return t.clicks(1).finished().End(won)
}

func killed(out string) *Teller {
	return begin(out, "killed", Setting{}).clicks(2).See(site, 99).Say(Called("", click)).
		Tell(trajectory.Acting{}).Kill().Resume().
		Tell(trajectory.Decided{Code: "site", Text: "the page was left"}, trajectory.Acting{}, trajectory.Acted{Text: "went back"}).
		clicks(1).finished().End(won)
}

func killedBefore(out string) *Teller {
	t := begin(out, "killedbefore", Setting{}).clicks(1).See(site, 98).Say(Called("", click)).Kill().Resume().clicks(1).See(site, 97).Kill().Resume()
	t.step--
	return t.finished().End(won)
}

func native(out string) *Teller {
	return begin(out, "native", Setting{Dialect: "qwen3-vl", Tools: true}).
		See(site, 1).Say(Native("I click.", "call_a", `{"action":"left_click","coordinate":[1,2]}`)).Click().
		See(site, 2).Say(Native("", "", `{"action":"left_click","coordinate":[3,4]}`)).Click().
		See(site, 3).Tell(trajectory.Adapted{NoTools: true, System: "Speak <plainly>.", Why: "refused"}).
		Say(Called("", `{"action":"terminate","status":"success","answer":"3 euros"}`)).
		End(trajectory.Result{Status: trajectory.Success, Reason: "terminate", Answer: "3 euros", Claim: "success"})
}

func jpegs(out string) *Teller {
	return begin(out, "jpeg", Setting{MIME: "image/jpeg"}).clicks(2).finished().End(won)
}

func rejected(out string) *Teller {
	no := trajectory.Verdict{By: "assertions", Reason: "the price is missing", Answer: "tea", Claim: "success"}
	return begin(out, "rejected", Setting{}).clicks(1).See(site, 60).Say(Called("Done?", finish)).Tell(no).
		clicks(1).finished().Tell(no).End(trajectory.Result{Status: trajectory.Failure, Reason: "rejected", Answer: "tea", Claim: "success", Verdicts: []trajectory.Verdict{no}, Rejections: 2})
}

func halfWritten(out string) *Teller { return begin(out, "half", Setting{}).clicks(2).Kill() }

func waiting(out string) *Teller {
	return begin(out, "waiting", Setting{}).clicks(1).See(site, 70).Say(Called("Which?", ask)).
		Tell(trajectory.Asked{Question: "Green or black?"}).
		End(trajectory.Result{Status: trajectory.WaitingForUser, Reason: "question", Question: "Green or black?"})
}

func pageLeft(out string) *Teller {
	t := begin(out, "left", Setting{}).clicks(1).See(site, 60).Say(Called("Done?", finish)).
		Tell(trajectory.Verdict{By: "assertions", Reason: "no", Answer: "tea"})
	t.step++
	t.Tell(trajectory.Decided{Code: "site", Text: "a link led to evil.test; the page was left"}, trajectory.Acting{}, trajectory.Acted{Text: "went back"})
	t.step--
	return t.clicks(1).finished().End(won)
}

func approval(out string) *Teller {
	return begin(out, "approval", Setting{}).clicks(1).See(site, 70).Say(Called("Buy.", click)).
		Tell(trajectory.Asked{Question: "May it buy?", Approval: &trajectory.Approval{Classes: []string{"buy"}}}).Kill().Resume().
		Tell(trajectory.Replied{By: trajectory.Person, Choice: trajectory.Yes}, trajectory.Decided{Allowed: true, Code: "approved", By: trajectory.Person}).Click().
		finished().End(won)
}

// Sampled is a run of a task in a batch that succeeds. Every run of the same task and
// number differs in its id.
func Sampled(out, run, task string, number int) *Teller {
	return begin(out, run, sample(task, number)).clicks(1).finished().End(won)
}

// Failed is another run of such a task, which says something else to the same request
// and fails.
func Failed(out, run, task string, number int) *Teller {
	return begin(out, run, sample(task, number)).See(site+"shelf", 0).Say(Called("No <idea>.", `{"action": "left_click", "coordinate": [10, 20]}`)).Click().
		See(site, 33).Say(Called("I give up.", finish)).
		End(trajectory.Result{Status: trajectory.Failure, Reason: "gave_up", Claim: "failure"})
}

func sample(task string, number int) Setting {
	return Setting{Task: trajectory.Task{Sample: &trajectory.Sample{
		Batch: "b", Task: task, Number: number, Meta: map[string]json.RawMessage{"level": json.RawMessage(`"easy"`)},
	}}}
}
