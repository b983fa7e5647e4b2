package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"fara/model"
	"fara/model/retry"
)

// How long a busy server is waited for before the start, and how often asked.
const (
	busyPause = 2 * time.Second
	busyLimit = time.Minute
)

// connect finds the servers and the model on them. Of several one is enough; what
// is wrong with the others is one warning. The server given tells, also with an
// error, what was found out.
func (m *modelFlags) connect(ctx context.Context, log *slog.Logger) (*server, error) {
	first, err := m.find(ctx, log)
	if err != nil {
		return first, err
	}
	if len(first.all) > 1 {
		if err := m.join(first, log); err != nil {
			return first, modelError(err)
		}
	}
	first.patiently(log)
	return first, nil
}

// patiently has a call that fails in passing repeated.
func (s *server) patiently(log *slog.Logger) {
	s.chat = retry.Wrap(s.chat, retry.Config{Notify: func(err error, pause time.Duration) {
		log.Warn("model call failed", "err", err, "again_in", pause)
	}})
}

// find asks the servers about themselves, and gives one that is of use, with all of
// them.
func (m *modelFlags) find(ctx context.Context, log *slog.Logger) (*server, error) {
	if len(m.servers) == 0 {
		m.servers = []place{{m.endpoint, m.apiKey, m.api}}
	}
	all := make([]*server, len(m.servers))
	for i, at := range m.servers {
		all[i] = &server{endpoint: at.address, at: at}
	}
	m.await(ctx, all, log)
	var err error
	if m.model == "" && slices.ContainsFunc(all, func(s *server) bool { return s.answered }) {
		if err = m.choose(all, log); err == nil {
			m.await(ctx, all, log)
		}
	}
	first := best(all)
	first.all = all
	if err == nil && first.err != nil {
		err = unusable(all)
	}
	switch {
	case ctx.Err() != nil:
		return first, context.Cause(ctx)
	case err != nil:
		return first, modelError(err)
	}
	return first, nil
}

// await asks all servers, and again while none is of use and one is busy: one that
// is still loading is there all the same, and a run would wait for it too.
func (m *modelFlags) await(ctx context.Context, all []*server, log *slog.Logger) {
	waiting, cancel := context.WithTimeout(ctx, busyLimit)
	defer cancel()
	for {
		m.askAll(ctx, all)
		busy := slices.IndexFunc(all, func(s *server) bool { return errors.Is(s.err, model.ErrBusy) })
		if busy < 0 || best(all).err == nil {
			return
		}
		log.Warn("the model server is busy; waiting", "endpoint", all[busy].name(), "err", all[busy].err)
		select {
		case <-time.After(busyPause):
		case <-waiting.Done():
			return
		}
	}
}

func (m *modelFlags) askAll(ctx context.Context, all []*server) {
	var asked sync.WaitGroup
	for _, s := range all {
		asked.Go(func() { _ = s.ask(ctx, m) }) // kept in err
	}
	asked.Wait()
}

// best gives the first server that is of use, else the first that answered, else
// the first.
func best(all []*server) *server {
	for _, of := range []func(*server) bool{
		func(s *server) bool { return s.err == nil },
		func(s *server) bool { return s.answered },
	} {
		if i := slices.IndexFunc(all, of); i >= 0 {
			return all[i]
		}
	}
	return all[0]
}

// unusable is the error when no server is of use.
func unusable(all []*server) error {
	if len(all) == 1 {
		return all[0].err
	}
	return &exitError{exitModel, fmt.Errorf("none of %d model servers is usable: %s", len(all), faults(all))}
}

// faults names the servers that are of no use, with why.
func faults(all []*server) string {
	var list []string
	for _, s := range all {
		if s.err != nil {
			list = append(list, fmt.Sprintf("%s: %s", s.name(), brief(s.err)))
		}
	}
	return strings.Join(list, " | ")
}

// brief is an error without the advice where the fact says enough.
func brief(err error) string {
	var e *model.Error
	if errors.As(err, &e) && e.Kind == model.ErrUnreachable {
		return e.Message
	}
	return err.Error()
}

// choose takes the only model there is when the user named none.
func (m *modelFlags) choose(all []*server, log *slog.Logger) error {
	var models []string
	var at *server
	for _, s := range all {
		if s.answered {
			at = s
			models = append(models, s.about.Models...)
		}
	}
	slices.Sort(models)
	// Ollama lists m:latest what others, and people, call m.
	models = slices.CompactFunc(models, func(a, b string) bool {
		return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
	})
	switch len(models) {
	case 0:
		return &exitError{exitModel, fmt.Errorf("the server at %s has no models; give it one (ollama pull NAME)", at.name())}
	case 1:
		m.model = models[0]
		log.Info("model chosen", "model", m.model, "endpoint", at.name())
		return nil
	}
	return usage("--model is missing; the server at %s has: %s", at.name(), strings.Join(models, ", "))
}

func modelError(err error) error {
	var e *exitError
	if errors.As(err, &e) || errors.Is(err, errInterrupted) {
		return err
	}
	return &exitError{exitModel, err}
}
