package modeltest

import (
	"context"
	"fmt"
	"sync"

	"fara/model"
)

// Answer computes one reply of a Script. The request is the script's own copy.
type Answer func(ctx context.Context, req model.Request) (model.Reply, error)

// Text answers with a text.
func Text(text string) Answer { return Say(model.Reply{Text: text}) }

// Say answers with a whole reply. An empty Finish becomes model.FinishStop and
// a zero Usage is computed.
func Say(reply model.Reply) Answer {
	return func(context.Context, model.Request) (model.Reply, error) { return reply, nil }
}

// Fail answers with an error.
func Fail(err error) Answer {
	return func(context.Context, model.Request) (model.Reply, error) { return model.Reply{}, err }
}

// Hang answers only when the context ends, with its cause.
func Hang() Answer {
	return func(ctx context.Context, _ model.Request) (model.Reply, error) {
		<-ctx.Done()
		return model.Reply{}, context.Cause(ctx)
	}
}

// Script is a model that answers from a list and remembers every request. It
// may be used by several goroutines; answers are then given in order of arrival.
type Script struct {
	repeats bool

	mu       sync.Mutex
	answers  []Answer
	requests []model.Request
}

// NewScript builds a Script that gives each answer once. A request beyond the
// last one fails with a model.Error of kind model.ErrBadRequest, which no
// caller repeats.
func NewScript(answers ...Answer) *Script { return &Script{answers: answers} }

// NewEndlessScript builds a Script whose last answer repeats for ever.
func NewEndlessScript(answers ...Answer) *Script {
	return &Script{answers: answers, repeats: true}
}

// Chat gives the next answer. The text reaches until in small pieces; when
// until says true with more to come, the reply holds the text so far, Finish is
// model.FinishUntil and the usage is zero, as with a server whose stream was closed. A cancelled
// context gives its cause, and the request still counts as one of the script's.
func (s *Script) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	own := cloneRequest(req)
	answer := s.next(own)
	if err := context.Cause(ctx); err != nil {
		return model.Reply{}, err
	}
	reply, err := answer(ctx, cloneRequest(own))
	if err != nil {
		return model.Reply{}, err
	}
	return feed(ctx, complete(reply, own), until)
}

// Requests gives a copy of every request so far, oldest first.
func (s *Script) Requests() []model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]model.Request, len(s.requests))
	for i, req := range s.requests {
		out[i] = cloneRequest(req)
	}
	return out
}

func (s *Script) next(req model.Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	n := len(s.requests)
	switch {
	case n <= len(s.answers):
		return s.answers[n-1]
	case s.repeats && len(s.answers) > 0:
		return s.answers[len(s.answers)-1]
	}
	return Fail(&model.Error{
		Kind:    model.ErrBadRequest,
		Message: fmt.Sprintf("the script has %d answers and this is request %d", len(s.answers), n),
		Hint:    "give NewScript more answers or use NewEndlessScript",
	})
}

// complete fills in what an answer may leave out.
func complete(reply model.Reply, req model.Request) model.Reply {
	if reply.Finish == "" {
		reply.Finish = model.FinishStop
	}
	if reply.Usage == (model.Usage{}) {
		reply.Usage.PromptTokens = CountPrompt(req)
		reply.Usage.CompletionTokens = CountText(reply.Thinking + reply.Text)
	}
	return reply
}
