package batch

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// How a site that cannot be opened is left alone: after so many failures in a row,
// for so long, doubled each time, and after so many pauses for good.
const (
	siteFailures   = 3
	firstSitePause = 5 * time.Second
	sitePauses     = 3
	// busyPause is how long a site that gets too many requests, and does not say for
	// how long it wants to be left alone, is; it doubles up to longestBusy.
	busyPause   = 5 * time.Second
	longestBusy = 10 * time.Minute
)

// SiteOf is the site of an address, as batches take turns by it: its host and port,
// without www. Empty is no site.
func SiteOf(address string) string {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Host), "www.")
}

// site is what is known of a site.
type site struct {
	running int
	// last is when a run on it began, free when the next may.
	last, free time.Time
	// failures counts the runs in a row that could not open it, why is what the last
	// one was told. pauses counts how often it was left alone for that, busy for having
	// asked to be.
	failures, pauses, busy int
	why                    string
	// down: it is given up.
	down bool
}

// Sites are the sites that runs take turns on. Several batches may share them.
type Sites struct {
	mu  sync.Mutex
	all map[string]*site
	// most bounds the runs on a site at a time, pause is the least time between the
	// beginnings of two; 0 is no bound.
	most  int
	pause time.Duration
	freed chan struct{} // closed when a site may be free again, and replaced
}

// NewSites gives sites with at most so many runs on each at a time, and so much time
// between the beginnings of two; 0 is no bound.
func NewSites(most int, pause time.Duration) *Sites {
	return &Sites{all: map[string]*site{}, most: most, pause: pause, freed: make(chan struct{})}
}

// of gives a site; mu is held.
func (s *Sites) of(name string) *site {
	if s.all[name] == nil {
		s.all[name] = &site{}
	}
	return s.all[name]
}

// changed is closed when a site may be free that was not.
func (s *Sites) changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.freed
}

// enter begins a run on a site if it may begin by now and not before earliest. Else it
// says when, zero being when changed says so.
func (s *Sites) enter(name string, earliest, now time.Time) (at time.Time, ok bool) {
	if name == "" {
		return earliest, !earliest.After(now)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of(name)
	most := s.most
	if one.pauses > 0 { // one run finds out whether it is back
		most = 1
	}
	if most > 0 && one.running >= most {
		return time.Time{}, false
	}
	at = one.free
	if next := one.last.Add(s.pause); s.pause > 0 && !one.last.IsZero() && next.After(at) {
		at = next
	}
	if earliest.After(at) {
		at = earliest
	}
	if at.After(now) {
		return at, false
	}
	one.running++
	one.last = now
	return at, true
}

// end takes in how a run on the site ended.
func (s *Sites) end(name string, c Class, why string, now time.Time) {
	if name == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of(name)
	one.running--
	switch c {
	case Site, Address:
		one.failed(why, now)
	case Done, Person:
		one.failures, one.pauses, one.busy, one.why = 0, 0, 0, ""
	}
	close(s.freed)
	s.freed = make(chan struct{})
}

func (one *site) failed(why string, now time.Time) {
	one.failures++
	one.why = why
	if one.failures < siteFailures || one.free.After(now) {
		return
	}
	if one.pauses++; one.pauses > sitePauses {
		one.down = true
		return
	}
	one.free = now.Add(firstSitePause << (one.pauses - 1))
}

// hold leaves a site alone that asked for it; 0 is for as long as is usual. It gives
// until when.
func (s *Sites) hold(name string, wait time.Duration, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of(name)
	if wait <= 0 {
		wait = min(busyPause<<min(one.busy, 10), longestBusy)
	}
	one.busy++
	if until := now.Add(min(wait, time.Hour)); until.After(one.free) {
		one.free = until
	}
	return one.free
}

// down says why a site is given up; false when it is not.
func (s *Sites) down(name string) (why string, down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[name]
	if name == "" || one == nil || !one.down {
		return "", false
	}
	return fmt.Sprintf("%d runs in a row could not open it, the last one with: %s", one.failures, one.why), true
}

// idle are the sites that are left alone now, and those that are given up.
func (s *Sites) idle(now time.Time) (held, down []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, one := range s.all {
		switch {
		case one.down:
			down = append(down, name)
		case one.free.After(now):
			held = append(held, name)
		}
	}
	slices.Sort(held)
	slices.Sort(down)
	return held, down
}
