// Package pool spreads runs over several servers of the same model. A run stays
// on one server, whose prefix cache holds its beginning; it moves on when that
// server fails. How many requests a server gets at once follows from how its
// latency answers to them.
//
// What a server is asked and how its errors are read is its client's; waiting and
// asking again is model/retry's, which goes around a Session.
package pool

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"fara/model"
)

// Server is one place to ask.
type Server struct {
	// Name says which it is to people, usually its address. Names are different.
	Name string
	model.Chatter
	// Alive reports whether the server is there and has the model, with an error of
	// package model; it is asked before one that failed is tried again. nil tries it
	// with the request itself.
	Alive func(ctx context.Context) error
	// Down is why the server is left out from the start; nil when it is not. It is
	// tried after Config.FirstPause.
	Down error
	// Most bounds its requests in flight, such as the slots it says it has; 0 is
	// Config.Most.
	Most int
}

// Config says how to spread. The zero values work.
type Config struct {
	// Most bounds the requests in flight on a server that names no bound; 0 is 16.
	// The bound in use begins at 1 and is found out below this.
	Most int
	// FirstPause is how long a server that failed is left alone, doubled with each
	// further failure; 0 is 5 seconds. LongestPause bounds it; 0 is 2 minutes.
	FirstPause, LongestPause time.Duration
	// Notify hears of a server that is left out, with why, and of one that is back,
	// with nil. It is called without locks held; nil tells nobody.
	Notify func(server string, err error)
}

// Pool is several servers. Several goroutines may use it.
type Pool struct {
	cfg     Config
	mu      sync.Mutex
	servers []*server
}

// New gives a pool; it asks no server. Without servers it is an error.
func New(cfg Config, servers ...Server) (*Pool, error) {
	if len(servers) == 0 {
		return nil, errors.New("a pool needs a server")
	}
	cfg.Most = cmp.Or(cfg.Most, 16)
	cfg.FirstPause = cmp.Or(cfg.FirstPause, 5*time.Second)
	cfg.LongestPause = cmp.Or(cfg.LongestPause, 2*time.Minute)
	p := &Pool{cfg: cfg}
	for _, s := range servers {
		member := &server{Server: s, limit: newLimit(cmp.Or(s.Most, cfg.Most))}
		if s.Down != nil {
			member.leaveOut(s.Down, cfg)
		}
		p.servers = append(p.servers, member)
	}
	return p, nil
}

// Count is what became of the requests to a server.
type Count struct {
	Server   string
	Requests int // that were answered or failed
	Failures int
	// Tokens are the prompts' and the replies', as far as the server counted them.
	Tokens int
	// Latency is the mean of the answered ones; 0 when there are none.
	Latency time.Duration
	// Limit is how many requests it may have in flight now.
	Limit int
	// Runs are the sessions that are on it.
	Runs int
	// Down is why it is left out now; nil while it is not.
	Down error
}

// Counts tells about every server, in the order given to New.
func (p *Pool) Counts() []Count {
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := make([]Count, len(p.servers))
	for i, s := range p.servers {
		counts[i] = s.count
		counts[i].Server, counts[i].Limit, counts[i].Runs, counts[i].Down = s.Name, s.limit.now(), s.runs, s.down
		if answered := s.count.Requests - s.count.Failures; answered > 0 {
			counts[i].Latency = s.spent / time.Duration(answered)
		}
	}
	return counts
}

// choose gives the server for a run that has none: the one with the fewest runs
// for what it can do, or one that failed and is due to be tried again. Of none
// that is up it gives the one that is due first. Servers in not are left out;
// nil when no other is there.
func (p *Pool) choose(not map[*server]bool) *server {
	now, ablest := time.Now(), 1
	for _, s := range p.servers {
		ablest = max(ablest, s.limit.now())
	}
	var best, due *server
	for _, s := range p.servers {
		switch {
		case not[s]:
		case s.down != nil && (s.trying || now.Before(s.again)):
			if due == nil || s.again.Before(due.again) {
				due = s
			}
		case best == nil || s.load(ablest) < best.load(ablest):
			best = s
		}
	}
	if best == nil {
		return due
	}
	return best
}

// tell reports a change of a server's state.
func (p *Pool) tell(name string, change *error) {
	if change != nil && p.cfg.Notify != nil {
		p.cfg.Notify(name, *change)
	}
}
