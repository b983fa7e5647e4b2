package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"fara/model/pool"
)

// fleet is what the runs of a batch share: the model servers, and who is told of
// them.
type fleet struct {
	log   *slog.Logger
	watch *watchers

	mu    sync.Mutex
	ports map[string]*port
	hosts map[string]bool // those that were looked up: whether they exist
}

// port is a set of model servers, as some runs ask them.
type port struct {
	flags  modelFlags
	server *server
}

func newFleet(logs io.Writer, watch *watchers) *fleet {
	f := &fleet{watch: watch, ports: map[string]*port{}, hosts: map[string]bool{}}
	f.log = slog.New(&once{Handler: slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelWarn}), said: &sync.Map{}})
	return f
}

// once says what has no attributes, and so is about no run in particular, a single
// time.
type once struct {
	slog.Handler
	said *sync.Map
}

// Handle implements slog.Handler.
func (o *once) Handle(ctx context.Context, r slog.Record) error {
	if _, before := o.said.LoadOrStore(r.Message, true); before && r.NumAttrs() == 0 {
		return nil
	}
	return o.Handler.Handle(ctx, r)
}

// server gives a run its way to its model: servers are asked about themselves once,
// and shared by all runs with the same settings. The caller leaves it.
func (f *fleet) server(ctx context.Context, m *modelFlags) (*server, error) {
	p, err := f.port(ctx, m)
	if err != nil {
		return nil, err
	}
	m.model = p.flags.model
	own := *p.server
	own.enter()
	own.patiently(f.log)
	return &own, nil
}

func (f *fleet) port(ctx context.Context, m *modelFlags) (*port, error) {
	key := fmt.Sprint(m.model, m.servers, m.numCtx, m.timeout, m.loadTimeout)
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.ports[key]; p != nil {
		return p, nil
	}
	p := &port{flags: *m}
	var err error
	if p.server, err = p.flags.find(ctx, f.log); err != nil {
		return nil, err
	}
	if err := p.flags.join(p.server, f.log); err != nil {
		return nil, modelError(err)
	}
	p.server.leave()
	f.ports[key] = p
	return p, nil
}

// lookupLimit bounds finding out whether a host exists.
const lookupLimit = 5 * time.Second

// missing gives the host of a run's first page when this machine's resolver says that
// it does not exist; empty when it may.
func (f *fleet) missing(ctx context.Context, r *runFlags) string {
	u, err := url.Parse(r.url)
	if err != nil || u.Hostname() == "" || r.browser.proxy != "" || r.browser.cdp != "" { // others look it up
		return ""
	}
	host := strings.ToLower(u.Hostname())
	f.mu.Lock()
	exists := f.hosts[host]
	f.mu.Unlock()
	if exists {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	_, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound && !dns.IsTemporary && !dns.IsTimeout {
		return host
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hosts[host] = err == nil
	return ""
}

// How long and how often a batch asks for a model server that is of use again.
const outagePause = 2 * time.Second

// await returns when every model has a server that is of use, or with an error when
// that took longer than the limit.
func (f *fleet) await(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errOutage)
	defer cancel()
	f.mu.Lock()
	var ports []*port
	for _, p := range f.ports {
		ports = append(ports, p)
	}
	f.mu.Unlock()
	for {
		err := anyDown(ctx, ports)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(outagePause):
		case <-ctx.Done():
			return modelError(fmt.Errorf("%w %v: %w", context.Cause(ctx), limit, err))
		}
	}
}

// anyDown is why a model has no server of use; nil when all have.
func anyDown(ctx context.Context, ports []*port) error {
	for _, p := range ports {
		all := make([]*server, len(p.server.all))
		for i, s := range p.server.all {
			all[i] = &server{endpoint: s.at.address, at: s.at}
		}
		p.flags.askAll(ctx, all)
		if best(all).err != nil {
			return unusable(all)
		}
	}
	return nil
}

// size is how many servers there are.
func (f *fleet) size() int { return len(f.tally()) }

func (f *fleet) tally() []pool.Count {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []pool.Count
	for _, p := range f.ports {
		all = append(all, p.server.pool.Counts()...)
	}
	return all
}

// counts tells about every server, in a line.
func (f *fleet) counts() (lines []string) {
	for _, c := range f.tally() {
		text := fmt.Sprintf("  %s: %d replies, %d failed, %v a reply, at most %d at once, %d runs", c.Server, c.Requests-c.Failures, c.Failures, c.Latency.Round(10*time.Millisecond), c.Limit, c.Runs)
		if c.Down != nil {
			text += ", left out: " + line(c.Down.Error())
		}
		lines = append(lines, text)
	}
	return lines
}

// errOutage ends the wait for a server.
var errOutage = errors.New("no model server was of use for")
