package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"fara/env"
	"fara/model"
	"fara/model/ollama"
	"fara/model/openai"
	"fara/model/pool"
	"fara/model/probe"
)

// askLimit bounds having a server tell about itself.
const askLimit = 30 * time.Second

// server is a model server that speaks an API we know, with what it said of
// itself.
type server struct {
	api      probe.API
	endpoint string
	at       place // as it was given
	// about is what it says of itself: kind and version by about.Name, the context of
	// a request by about.Context.
	about model.Server
	// answered: it told which models it has.
	answered bool
	chat     model.Chatter
	// err is why it is of no use; nil when it is of use.
	err error
	// pool is what chat goes through when there are several; nil otherwise. session is
	// this run's way into it.
	pool    *pool.Pool
	session *pool.Session
	// all are this one and the others, when there are several.
	all []*server
}

// leave gives a run's place in the pool to others.
func (s *server) leave() {
	if s.session != nil {
		s.session.Close()
	}
}

// name is the server's address without a password.
func (s *server) name() string { return env.WithoutUser(s.endpoint) }

// several are the addresses of all servers; nil when there is only one.
func (s *server) several() []string {
	if len(s.all) < 2 {
		return nil
	}
	var names []string
	for _, other := range s.all {
		names = append(names, other.name())
	}
	return names
}

// ask finds out how the server speaks, makes its client and has it tell about
// itself. Its error is in err too.
func (s *server) ask(ctx context.Context, m *modelFlags) error {
	s.err = s.learn(ctx, m)
	return s.err
}

func (s *server) learn(ctx context.Context, m *modelFlags) error {
	if s.at == (place{}) {
		s.at = place{s.endpoint, m.apiKey, string(s.api)}
	}
	if s.api == "" {
		s.api, s.endpoint = probe.API(s.at.api), s.at.address
		if s.at.api == "auto" {
			api, address, err := probe.Detect(ctx, s.at.address, s.at.key)
			if err != nil {
				s.api = ""
				return err
			}
			s.api, s.endpoint = api, address
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, askLimit,
		&model.Error{Kind: model.ErrUnreachable, Message: "it does not tell which models it has"})
	defer cancel()
	client, err := s.client(m)
	if err != nil {
		return err
	}
	info, err := client.Info(ctx)
	s.answered = info.Models != nil
	s.about, s.chat = info, client
	if err != nil {
		return err
	}
	if sees := info.Vision; sees != nil && !*sees {
		return &exitError{exitModel, fmt.Errorf("the model %s takes no images, and fara shows it nothing else; choose one with vision", m.model)}
	}
	return nil
}

// client is what both APIs' clients do.
type client interface {
	model.Chatter
	Info(ctx context.Context) (model.Server, error)
}

func (s *server) client(m *modelFlags) (client, error) {
	first := cmp.Or(m.loadTimeout, m.timeout)
	if s.api == probe.Ollama {
		return ollama.New(ollama.Config{Endpoint: s.endpoint, Model: m.model, APIKey: s.at.key, NumCtx: m.numCtx, FirstTimeout: first, Timeout: m.timeout})
	}
	return openai.New(openai.Config{Endpoint: s.endpoint, Model: m.model, APIKey: s.at.key, FirstTimeout: first, Timeout: m.timeout})
}

// window is the context a prompt is built for: what was asked for, or less when
// the server or the model takes less.
func (s *server) window(numCtx int) int {
	if least := s.about.Context().Tokens; least > 0 && least < numCtx {
		return least
	}
	return numCtx
}
