package agent

import (
	"context"
	"errors"
	"strings"
	"time"

	"fara/env"
	"fara/imagebudget"
	"fara/model"
	"fara/parse"
	"fara/policy"
	"fara/prompt"
	"fara/trajectory"
)

// act does what was proposed. It returns nil when the run goes on, an
// *env.ActionError when the action failed, and an Ending at the end.
func (a *Agent) act(ctx context.Context, proposed parse.Result, geo imagebudget.Geometry) error {
	call := a.cfg.Dialect.Fill(proposed.Call)
	switch env.Kind(call.Action) {
	case env.Terminate:
		return a.terminate(call, proposed.Thoughts)
	case env.AskUser:
		return a.askUser(ctx, text(call.Question))
	case env.Memorize:
		return a.memorize(text(call.Fact))
	case env.ReadPage:
		return a.readPage(ctx, text(call.Question))
	case env.WebSearch:
		return a.search(ctx, text(call.Query))
	case env.VisitURL:
		return a.visit(ctx, text(call.URL))
	}
	action, err := geo.ToViewport(call)
	if err != nil {
		return a.failed(err)
	}
	return a.perform(ctx, action)
}

// perform lets the environment act: first the intent is written down, then the
// thing is done, then what came of it is.
func (a *Agent) perform(ctx context.Context, action env.Action) error {
	if action.Kind == env.VisitURL {
		if refusal := a.cfg.Policy.Visit(action.URL); refusal != nil {
			return a.refused(refusal.Code, refusal.Error())
		}
	}
	if err := a.record(trajectory.Decided{Allowed: true, Code: "default"}); err != nil {
		return err
	}
	public := action
	public.URL = env.WithoutUser(action.URL)
	if err := a.record(trajectory.Acting{Action: public}); err != nil {
		return err
	}
	began := time.Now()
	outcome, err := a.page.Perform(ctx, action)
	took := time.Since(began)
	a.timings.Browser += took
	a.cfg.Logger.Info("acted", "step", a.step, "action", action.Kind, "took", took, "err", err)
	done := trajectory.Acted{Text: outcome.Text, Tell: outcome.Tell, Hit: outcome.Hit, Took: took}
	var fail *env.ActionError
	switch {
	case errors.As(err, &fail):
		done.Error = &trajectory.Problem{Reason: reason(fail), Text: fail.Text}
	case err != nil:
		done.Error = &trajectory.Problem{Reason: "unknown", Text: err.Error()}
	default:
		a.touched = action.Kind != env.Wait && action.Kind != env.MouseMove
	}
	if writeErr := a.record(done); writeErr != nil {
		return writeErr
	}
	return err
}

// failed writes down an action that could not even be begun.
func (a *Agent) failed(err error) error {
	var fail *env.ActionError
	if !errors.As(err, &fail) {
		return err
	}
	if writeErr := a.record(trajectory.Acted{Error: &trajectory.Problem{Reason: string(fail.Code), Text: fail.Text}}); writeErr != nil {
		return writeErr
	}
	return fail
}

// refused writes down an action that is not allowed. It counts as a failed one.
func (a *Agent) refused(code, why string) error {
	if err := a.record(trajectory.Decided{Code: code, Text: why}); err != nil {
		return err
	}
	return env.Fail(env.Refused, "%s", why)
}

func (a *Agent) memorize(fact string) error {
	if err := a.record(trajectory.Fact{Text: fact}); err != nil {
		return err
	}
	return a.record(trajectory.Acted{Text: "memorized the fact"})
}

// readPage has the model answer a question about the page's whole text.
func (a *Agent) readPage(ctx context.Context, question string) error {
	began := time.Now()
	doc, err := a.page.Read(ctx)
	a.timings.Browser += time.Since(began)
	if err != nil {
		return a.failed(err)
	}
	if strings.TrimSpace(doc.Markdown) == "" {
		return a.failed(env.Fail(env.PageFailed, "the page has no text that can be read; scroll and look instead"))
	}
	file, err := a.run.Page(doc.Markdown)
	if err != nil {
		return err
	}
	req, chars := prompt.Page(a.run.Events()[0].Started, a.cfg.Dialect, doc.Markdown, question)
	reply, latency, err := a.ask(ctx, req, nil)
	if err != nil && !errors.Is(err, model.ErrContext) {
		return err
	}
	read := &trajectory.PageRead{
		Question: question, Page: file, Chars: chars, Answer: strings.TrimSpace(reply.Text),
		Request: prompt.Hash(req), Usage: reply.Usage, Latency: latency,
	}
	done := trajectory.Acted{Text: "read the page", Took: time.Since(began), Read: read}
	var fail *env.ActionError
	switch {
	case err != nil:
		fail = env.Fail(env.PageFailed, "the page's text is too long to be read at once; scroll and look instead")
	case read.Answer == "":
		fail = env.Fail(env.PageFailed, "no answer came back for the question about the page; scroll and look instead")
	default:
		return a.record(done)
	}
	done.Error = &trajectory.Problem{Reason: string(fail.Code), Text: fail.Text}
	if err := a.record(done); err != nil {
		return err
	}
	return fail
}

// askUser puts the model's question to whoever answers.
func (a *Agent) askUser(ctx context.Context, question string) error {
	if err := a.record(trajectory.Asked{Question: question}); err != nil {
		return err
	}
	reply := trajectory.Replied{Text: a.cfg.AutoReply, By: trajectory.Auto}
	if a.cfg.AutoReply == "" {
		if a.user == nil {
			a.asked = question
			return Ending{Status: trajectory.WaitingForUser, Reason: "question", Message: "the model asks: " + question}
		}
		words, err := a.user.Ask(ctx, question)
		if err != nil {
			return err
		}
		reply = trajectory.Replied{Text: strings.TrimSpace(words), By: trajectory.Person}
	}
	if reply.Text == "" {
		return Ending{Status: trajectory.Cancelled, Reason: "abandoned", Message: "the question was left without an answer, which gives the task up"}
	}
	if err := a.record(reply); err != nil {
		return err
	}
	return a.record(trajectory.Acted{Text: "asked the user"})
}

// reason is the stable code of a failed action: the rule's own when the browser
// held to the run's policy, as it would be before the action.
func reason(fail *env.ActionError) string {
	var refusal *policy.Refusal
	if errors.As(fail, &refusal) {
		return refusal.Code
	}
	return string(fail.Code)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
