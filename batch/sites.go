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
	if address == "" {
		return ""
	}
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
	down  []string      // those that are given up
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

// enter begins a run on a site if one may begin by now. Else it says when, zero being
// when changed says so.
func (s *Sites) enter(name string, now time.Time) (at time.Time, ok bool) {
	if name == "" {
		return time.Time{}, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok = s.when(name, now); ok {
		one := s.of(name)
		one.running++
		one.last = now
	}
	return at, ok
}

// open is enter without beginning anything.
func (s *Sites) open(name string, now time.Time) (at time.Time, ok bool) {
	if name == "" {
		return time.Time{}, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.when(name, now)
}

// when is the time from which a run on a site may begin; mu is held.
func (s *Sites) when(name string, now time.Time) (at time.Time, ok bool) {
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
	return at, !at.After(now)
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
	case Site:
		if one.failed(why, now) && !slices.Contains(s.down, name) {
			s.down = append(s.down, name)
		}
	case Done, Person:
		one.failures, one.pauses, one.busy, one.why = 0, 0, 0, ""
	}
	close(s.freed)
	s.freed = make(chan struct{})
}

// failed takes in that a run could not open the site. It reports whether the site is to
// be given up.
func (one *site) failed(why string, now time.Time) (down bool) {
	one.failures++
	one.why = why
	if one.failures < siteFailures || one.free.After(now) {
		return false
	}
	if one.pauses++; one.pauses > sitePauses {
		return true
	}
	one.free = now.Add(firstSitePause << (one.pauses - 1))
	return false
}

// hold leaves a site alone that asked for it; 0 is for as long as is usual. It gives
// until when.
func (s *Sites) hold(name string, wait time.Duration, now time.Time) time.Time {
	if name == "" {
		return now.Add(max(busyPause, min(wait, time.Hour)))
	}
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

// gone are the sites that are given up.
func (s *Sites) gone() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down[:len(s.down):len(s.down)]
}

// why says why a site is given up.
func (s *Sites) why(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of(name)
	return fmt.Sprintf("%d runs in a row could not open it, the last one with: %s", one.failures, one.why)
}

// idle are the sites that are left alone now, and those that are given up.
func (s *Sites) idle(now time.Time) (held, down []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, one := range s.all {
		if !slices.Contains(s.down, name) && one.free.After(now) {
			held = append(held, name)
		}
	}
	slices.Sort(held)
	return held, slices.Sorted(slices.Values(s.down))
}
