package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"fara/env"
	"fara/model"
	"fara/model/ollama"
	"fara/model/openai"
	"fara/model/probe"
	"fara/model/retry"
)

// server is a model server that speaks an API we know, with what it said of
// itself.
type server struct {
	api      probe.API
	endpoint string
	// about is what it says of itself: kind and version by about.Name, the context of
	// a request by about.Context.
	about model.Server
	// answered: it told which models it has.
	answered bool
	chat     model.Chatter
}

// How long a busy server is waited for before the start, and how often asked.
const (
	busyPause = 2 * time.Second
	busyLimit = time.Minute
)

// connect finds the server and the model on it.
func (m *modelFlags) connect(ctx context.Context, log *slog.Logger) (*server, error) {
	s := &server{api: probe.API(m.api), endpoint: m.endpoint}
	if m.api == "auto" {
		var err error
		if s.api, s.endpoint, err = probe.Detect(ctx, m.endpoint, m.apiKey); err != nil {
			return s, modelError(err)
		}
	}
	err := s.await(ctx, m, log)
	if s.answered && m.model == "" {
		if err = m.choose(s, log); err == nil {
			err = s.ask(ctx, m)
		}
	}
	switch {
	case ctx.Err() != nil:
		return s, context.Cause(ctx)
	case err != nil:
		return s, modelError(err)
	case s.about.Vision != nil && !*s.about.Vision:
		return s, &exitError{exitModel, fmt.Errorf("the model %s takes no images, and fara shows it nothing else; choose one with vision", m.model)}
	}
	s.chat = retry.Wrap(s.chat, retry.Config{Notify: func(err error, pause time.Duration) {
		log.Warn("model call failed", "err", err, "again_in", pause)
	}})
	return s, nil
}

// await asks the server until it is no longer busy: one that is still loading is
// there all the same, and a run would wait for it too.
func (s *server) await(ctx context.Context, m *modelFlags, log *slog.Logger) error {
	waiting, cancel := context.WithTimeout(ctx, busyLimit)
	defer cancel()
	for {
		err := s.ask(ctx, m)
		if !errors.Is(err, model.ErrBusy) {
			return err
		}
		log.Warn("the model server is busy; waiting", "err", err)
		select {
		case <-time.After(busyPause):
		case <-waiting.Done():
			return err
		}
	}
}

// choose takes the only model there is when the user named none.
func (m *modelFlags) choose(s *server, log *slog.Logger) error {
	switch len(s.about.Models) {
	case 0:
		return &exitError{exitModel, fmt.Errorf("the server at %s has no models; give it one (ollama pull NAME)", env.WithoutUser(s.endpoint))}
	case 1:
		m.model = s.about.Models[0]
		log.Info("model chosen", "model", m.model, "endpoint", env.WithoutUser(s.endpoint))
		return nil
	}
	return usage("--model is missing; the server at %s has: %s", env.WithoutUser(s.endpoint), strings.Join(s.about.Models, ", "))
}

// ask makes the client and has the server tell about itself.
func (s *server) ask(ctx context.Context, m *modelFlags) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 30*time.Second,
		&model.Error{Kind: model.ErrUnreachable, Message: "it does not tell which models it has"})
	defer cancel()
	if s.api == probe.Ollama {
		return s.askOllama(ctx, m)
	}
	return s.askOpenAI(ctx, m)
}

func (s *server) askOllama(ctx context.Context, m *modelFlags) error {
	c, err := ollama.New(ollama.Config{Endpoint: s.endpoint, Model: m.model, APIKey: m.apiKey, NumCtx: m.numCtx, FirstTimeout: cmp.Or(m.loadTimeout, m.timeout), Timeout: m.timeout})
	if err != nil {
		return err
	}
	info, err := c.Info(ctx)
	s.answered = info.Models != nil
	s.about, s.chat = info, c
	return err
}

func (s *server) askOpenAI(ctx context.Context, m *modelFlags) error {
	c, err := openai.New(openai.Config{Endpoint: s.endpoint, Model: m.model, APIKey: m.apiKey, FirstTimeout: cmp.Or(m.loadTimeout, m.timeout), Timeout: m.timeout})
	if err != nil {
		return err
	}
	info, err := c.Info(ctx)
	s.answered = info.Models != nil
	s.about, s.chat = info, c
	return err
}

// window is the context a prompt is built for: what was asked for, or less when
// the server or the model takes less.
func (s *server) window(numCtx int) int {
	if least := s.about.Context().Tokens; least > 0 && least < numCtx {
		return least
	}
	return numCtx
}

func modelError(err error) error {
	var e *exitError
	if errors.As(err, &e) || errors.Is(err, errInterrupted) {
		return err
	}
	return &exitError{exitModel, err}
}
