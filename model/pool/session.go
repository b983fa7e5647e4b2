package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fara/model"
)

// checkTimeout bounds asking a server whether it is back.
const checkTimeout = 5 * time.Second

// Session is one run's way into the pool. It is for one run; its calls come one
// after the other.
type Session struct {
	pool *Pool
	on   *server // nil until the first call, and after Close
	busy int     // how often in a row it was turned away
}

// Session gives a run a way in. Close it when the run has ended.
func (p *Pool) Session() *Session { return &Session{pool: p} }

// Close frees the run's place. Closing twice is allowed.
func (s *Session) Close() { s.move(nil) }

// move puts the run on a server.
func (s *Session) move(to *server) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.put(to)
}

// put is move with the lock held.
func (s *Session) put(to *server) {
	if s.on != nil {
		s.on.runs--
	}
	if s.on = to; to != nil {
		to.runs++
	}
}

// Chat asks the run's server, and the others in turn when that one fails of its
// own doing for good or is left out already. The reply says which answered. The
// error is the last server's, or the context's cause; when every server failed it
// names them all.
func (s *Session) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	tried := map[*server]bool{}
	var failed []string
	for {
		on := s.server(tried)
		reply, err := s.pool.ask(ctx, on, req, until)
		if err == nil {
			s.busy, reply.Server = 0, on.Name
			return reply, nil
		}
		if errors.Is(err, errElsewhere) {
			continue
		}
		if ctx.Err() != nil || !s.pool.isDown(on) {
			s.crowded(on, err)
			return model.Reply{}, err
		}
		tried[on] = true
		failed = append(failed, fmt.Sprintf("%s: %v", on.Name, err))
		if len(tried) == len(s.pool.servers) {
			if len(failed) == 1 {
				return model.Reply{}, err
			}
			return model.Reply{}, &allFailed{last: err, servers: failed}
		}
	}
}

// crowded moves a run that its server turned away twice in a row to one with
// fewer runs; the request is for the caller to repeat.
func (s *Session) crowded(on *server, err error) {
	if !errors.Is(err, model.ErrBusy) {
		s.busy = 0
		return
	}
	if s.busy++; s.busy < 2 {
		return
	}
	s.busy = 0
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if other := s.pool.choose(map[*server]bool{on: true}); other != nil && other.down == nil {
		s.put(other)
	}
}

// server gives the run's server: the one it is on, or another when that is down
// or was tried.
func (s *Session) server(tried map[*server]bool) *server {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if s.on == nil || s.on.down != nil || tried[s.on] {
		s.put(s.pool.choose(tried))
	}
	return s.on
}

// ask puts one request to a server when there is room for it.
func (p *Pool) ask(ctx context.Context, s *server, req model.Request, until model.Until) (model.Reply, error) {
	crowd, err := p.enter(ctx, s)
	if err != nil {
		return model.Reply{}, err
	}
	began := time.Now()
	var reply model.Reply
	if err = p.check(ctx, s); err == nil {
		reply, err = s.Chat(ctx, req, until)
	}
	change := p.leave(s, visit{crowd, time.Since(began), err != nil && ctx.Err() != nil}, reply, err)
	p.tell(s.Name, change)
	return reply, err
}

// check asks a server that was left out whether it is back, before it gets a
// request that might hang on it.
func (p *Pool) check(ctx context.Context, s *server) error {
	if s.Alive == nil || !p.isDown(s) {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, checkTimeout, &model.Error{Kind: model.ErrUnreachable, Message: "it does not say that it is back"})
	defer cancel()
	err := s.Alive(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

func (p *Pool) isDown(s *server) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.down != nil
}

// allFailed is the last server's error with what became of the others.
type allFailed struct {
	last    error
	servers []string
}

func (e *allFailed) Error() string {
	return fmt.Sprintf("none of %d model servers answers: %s", len(e.servers), strings.Join(e.servers, "; "))
}

func (e *allFailed) Unwrap() error { return e.last }
