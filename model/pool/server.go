package pool

import (
	"container/list"
	"context"
	"errors"
	"time"

	"fara/model"
)

// failuresInARow is how many failures of its own make a server one that is left
// out. One that cannot be reached is left out at once.
const failuresInARow = 3

// server is a Server with what is known of it; the pool's lock guards all of it.
type server struct {
	Server
	limit    *limit
	inFlight int
	waiting  list.List // of chan error, which gets nil when its turn has come
	runs     int

	count Count
	spent time.Duration // by the answered requests

	failing int           // own failures in a row
	down    error         // why it is left out; nil while it is not
	trying  bool          // one request finds out whether it is back
	again   time.Time     // when that may be
	pause   time.Duration // the last one
}

// load is how many runs a server would have, with one more, for each request it may
// have in flight. One of which little is known yet is taken for the ablest.
func (s *server) load(ablest int) float64 {
	able := s.limit.now()
	if !s.limit.settled {
		able = min(max(able, ablest), s.limit.most)
	}
	return float64(s.runs+1) / float64(able)
}

// room is how many requests the server may have in flight now.
func (s *server) room() int {
	if s.down != nil {
		return 1
	}
	return s.limit.now()
}

// errElsewhere is for those who waited for a server that was then left out.
var errElsewhere = errors.New("the server was left out meanwhile")

// enter waits for a place, in the order of arrival, and gives how many requests
// are then in flight. The error is ctx's cause or errElsewhere.
func (p *Pool) enter(ctx context.Context, s *server) (crowd int, err error) {
	p.mu.Lock()
	if s.inFlight < s.room() && s.waiting.Len() == 0 {
		p.admit(s)
		defer p.mu.Unlock()
		return s.inFlight, nil
	}
	turn := make(chan error, 1)
	place := s.waiting.PushBack(turn)
	p.mu.Unlock()
	select {
	case err = <-turn:
	case <-ctx.Done():
		err = p.giveUp(ctx, s, place, turn)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.inFlight, err
}

// giveUp takes one who went away out of the queue, or out of the place that was
// given at the same moment.
func (p *Pool) giveUp(ctx context.Context, s *server, place *list.Element, turn chan error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case err := <-turn:
		if err == nil {
			s.inFlight--
			p.call(s)
		}
	default:
		s.waiting.Remove(place)
	}
	return context.Cause(ctx)
}

func (p *Pool) admit(s *server) {
	s.inFlight++
	s.trying = s.down != nil
}

// call lets in as many as there is room for. Who waits for a server that is left
// out is sent elsewhere, if there is another.
func (p *Pool) call(s *server) {
	for s.down != nil && s.waiting.Len() > 0 && p.othersUp(s) {
		s.waiting.Remove(s.waiting.Front()).(chan error) <- errElsewhere
	}
	for s.inFlight < s.room() && s.waiting.Len() > 0 {
		p.admit(s)
		s.waiting.Remove(s.waiting.Front()).(chan error) <- nil
	}
}

func (p *Pool) othersUp(than *server) bool {
	for _, s := range p.servers {
		if s != than && s.down == nil {
			return true
		}
	}
	return false
}

// visit is a request's stay at a server.
type visit struct {
	crowd int // in flight when it began
	took  time.Duration
	gone  bool // whoever asked went away
}

// leave takes note of how a request ended and lets the next one in. The change is
// the server's new state when it has one: an error when it is left out from now
// on, nil when it is back.
func (p *Pool) leave(s *server, v visit, reply model.Reply, err error) (change *error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	crowd := max(v.crowd, s.inFlight)
	s.inFlight--
	s.trying = false
	defer p.call(s)
	if v.gone {
		return nil // that says nothing
	}
	s.count.Requests++
	if err == nil {
		s.count.Tokens += reply.Usage.PromptTokens + reply.Usage.CompletionTokens
		s.spent += v.took
		s.limit.answered(v.took-reply.Usage.LoadTime, crowd, s.waiting.Len() > 0)
		return s.recovered()
	}
	s.count.Failures++
	if errors.Is(err, model.ErrBusy) {
		s.limit.refused()
	}
	if !own(err) {
		return s.recovered() // it answers: what was asked is refused
	}
	if s.failing++; s.failing < failuresInARow && s.down == nil && !lost(err) {
		return nil
	}
	return s.leaveOut(err, p.cfg)
}

func (s *server) recovered() *error {
	s.failing, s.pause = 0, 0
	if s.down == nil {
		return nil
	}
	s.down = nil
	return new(error)
}

// leaveOut notes when to try again. Those who wait are let in one by one: they
// find out for themselves, and move on.
func (s *server) leaveOut(err error, cfg Config) *error {
	fresh := s.down == nil
	s.pause = min(max(2*s.pause, cfg.FirstPause), cfg.LongestPause)
	s.down, s.again = err, time.Now().Add(s.pause)
	s.limit.reset()
	if !fresh {
		return nil
	}
	return &err
}

// own reports whether an error is the server's fault rather than the request's.
func own(err error) bool {
	return lost(err) || errors.Is(err, model.ErrServer) || errors.Is(err, model.ErrIncomplete)
}

// lost reports whether an error says that this server is of no use now.
func lost(err error) bool {
	return errors.Is(err, model.ErrUnreachable) || errors.Is(err, model.ErrNotFound) || errors.Is(err, model.ErrUnauthorized)
}
