package batch

import (
	"net/url"
	"strings"
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

// sites are the sites of a batch.
type sites struct {
	all map[string]*site
	// most bounds the runs on a site at a time, pause is the least time between the
	// beginnings of two; 0 is no bound.
	most  int
	pause time.Duration
}

func newSites(most int, pause time.Duration) *sites {
	return &sites{all: map[string]*site{}, most: most, pause: pause}
}

func (s *sites) of(name string) *site {
	if s.all[name] == nil {
		s.all[name] = &site{}
	}
	return s.all[name]
}

// ready says when a run on the site may begin: not before it, and never while it
// is zero.
func (s *sites) ready(name string) (at time.Time, ok bool) {
	if name == "" {
		return time.Time{}, true
	}
	one := s.of(name)
	most := s.most
	if one.pauses > 0 && !one.down { // one run finds out whether it is back
		most = 1
	}
	if most > 0 && one.running >= most {
		return time.Time{}, false
	}
	at = one.free
	if next := one.last.Add(s.pause); s.pause > 0 && !one.last.IsZero() && next.After(at) {
		at = next
	}
	return at, true
}

func (s *sites) begin(name string, now time.Time) {
	if name != "" {
		one := s.of(name)
		one.running++
		one.last = now
	}
}

// end takes in how a run on the site ended.
func (s *sites) end(name string, c Class, why string, now time.Time) {
	if name == "" {
		return
	}
	one := s.of(name)
	one.running--
	switch c {
	case Site, Address:
		s.failed(one, why, now)
	case Done, Person:
		one.failures, one.pauses, one.busy, one.why = 0, 0, 0, ""
	}
}

func (s *sites) failed(one *site, why string, now time.Time) {
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
func (s *sites) hold(name string, wait time.Duration, now time.Time) time.Time {
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
