package agent

import (
	"context"
	"errors"
	"strings"
	"time"

	"fara/env"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

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
	read := &trajectory.PageRead{Question: question, Page: file}
	err = a.consult(ctx, doc.Markdown, read)
	if err != nil && !errors.Is(err, model.ErrContext) {
		return err
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

// leastPage is how much of a page is worth asking about, in characters.
const leastPage = 1000

// consult puts the question, with half of the page's text again and again as long
// as the server cannot take or does not read it all. The error wraps
// model.ErrContext when there is too little left.
func (a *Agent) consult(ctx context.Context, markdown string, read *trajectory.PageRead) error {
	for most := 0; ; {
		asked, chars, err := prompt.Page(a.run.Events(), a.cfg.Dialect, markdown, read.Question, most)
		if err != nil {
			return err
		}
		read.Chars, read.Request = chars, prompt.Hash(asked.Request)
		reply, latency, err := a.ask(ctx, asked, nil)
		if err == nil {
			cut := asked.Truncated(reply, asked.Tokens)
			if cut.Text == "" {
				read.Answer, read.Usage, read.Latency = strings.TrimSpace(reply.Text), reply.Usage, latency
				return nil
			}
			a.usage.Truncated++
			err = &model.Error{Kind: model.ErrContext, Message: cut.Text}
		}
		if most = chars / 2; most < leastPage || !errors.Is(err, model.ErrContext) {
			return err
		}
	}
}
