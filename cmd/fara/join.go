package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"fara/model"
	"fara/model/pool"
)

// join makes one model of several servers. Those that are of no use now are left
// out until they are. What first says of itself becomes what holds for all: the
// smallest context, the fewest images.
func (m *modelFlags) join(first *server, log *slog.Logger) error {
	var members []pool.Server
	for _, s := range first.all {
		member := pool.Server{Name: s.name(), Most: s.about.Slots}
		l := &latecomer{flags: m, at: s.at}
		if s.err == nil {
			itself := *s // first's own way to be asked becomes the way to all
			l.now.Store(&itself)
		} else {
			member.Down = s.err
		}
		member.Chatter, member.Alive = l, l.alive
		members = append(members, member)
		if s != first && s.err == nil {
			first.about.Limits = append(first.about.Limits, s.about.Limits...)
			first.about.Images = fewest(first.about.Images, s.about.Images)
		}
	}
	if left := faults(first.all); left != "" {
		log.Warn("model servers left out for now", "err", left)
	}
	p, err := pool.New(pool.Config{Notify: func(name string, err error) {
		if err != nil {
			log.Warn("model server left out", "endpoint", name, "err", err)
			return
		}
		log.Warn("model server is back", "endpoint", name)
	}}, members...)
	if err != nil {
		return err
	}
	first.pool = p
	first.enter()
	return nil
}

// enter asks through the pool from here on.
func (s *server) enter() {
	s.session = s.pool.Session()
	s.chat = s.session
}

// textServers tells what each server did, a line for each that was asked.
func textServers(w io.Writer, counts []pool.Count) {
	for _, c := range counts {
		if c.Requests == 0 && c.Down == nil {
			continue
		}
		fmt.Fprintf(w, "server %s: %d requests, %d of them failed, %d tokens, %v a reply", c.Server, c.Requests, c.Failures, c.Tokens, c.Latency.Round(10*time.Millisecond))
		if c.Down != nil {
			fmt.Fprint(w, ", left out at the end")
		}
		fmt.Fprintln(w)
	}
}

// fewest is the smaller of two limits of which 0 is none.
func fewest(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// latecomer is a server of a pool that may be of use only later, when it is there
// or has loaded the model.
type latecomer struct {
	flags *modelFlags
	at    place
	now   atomic.Pointer[server]
}

// alive asks the server about itself anew.
func (l *latecomer) alive(ctx context.Context) error {
	if s := l.now.Load(); s != nil {
		again := &server{api: s.api, endpoint: s.endpoint, at: s.at}
		return again.ask(ctx, l.flags)
	}
	s := &server{at: l.at}
	if err := s.ask(ctx, l.flags); err != nil {
		return err
	}
	l.now.Store(s)
	return nil
}

// Chat implements model.Chatter.
func (l *latecomer) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	if s := l.now.Load(); s != nil {
		return s.chat.Chat(ctx, req, until)
	}
	return model.Reply{}, &model.Error{Kind: model.ErrUnreachable, Message: "it was not there when the run began"}
}
