package batch

import (
	"cmp"
	"slices"
	"time"
)

// lanes are the jobs that wait for a worker, by site: where many wait for one that is
// left alone, those of the others are found all the same.
type lanes struct {
	all    []*lane // none is empty
	bySite map[string]*lane
	later  []*state // those that wait until their own time
}

// lane are the jobs of a site that may begin when it is free, in their order.
type lane struct {
	site string
	jobs []*state
}

// add has a job wait, until its own time if it has one.
func (w *lanes) add(s *state) {
	s.queued = true
	if !s.notBefore.IsZero() {
		w.later = append(w.later, s)
		return
	}
	l := w.bySite[s.site]
	if l == nil {
		if w.bySite == nil {
			w.bySite = map[string]*lane{}
		}
		l = &lane{site: s.site}
		w.bySite[s.site], w.all = l, append(w.all, l)
	}
	i, _ := slices.BinarySearchFunc(l.jobs, s.index, func(s *state, index int) int { return cmp.Compare(s.index, index) })
	l.jobs = slices.Insert(l.jobs, i, s)
}

// due lets the jobs in line whose time has come, and gives when that of the next one
// comes; zero when there is none.
func (w *lanes) due(now time.Time) (next time.Time) {
	w.later = slices.DeleteFunc(w.later, func(s *state) bool {
		if s.notBefore.After(now) {
			next = earlier(next, s.notBefore)
			return false
		}
		s.notBefore = time.Time{}
		w.add(s)
		return true
	})
	return next
}

// first takes the first job of a lane out.
func (w *lanes) first(l *lane) *state {
	s := l.jobs[0]
	l.jobs, s.queued = l.jobs[1:], false
	w.sweep(l)
	return s
}

// drop takes all jobs of a site out.
func (w *lanes) drop(site string) (all []*state) {
	if l := w.bySite[site]; l != nil {
		all, l.jobs = l.jobs, nil
		w.sweep(l)
	}
	w.later = slices.DeleteFunc(w.later, func(s *state) bool {
		if s.site == site {
			all = append(all, s)
		}
		return s.site == site
	})
	for _, s := range all {
		s.queued = false
	}
	return all
}

// sweep removes a lane that nothing is left in.
func (w *lanes) sweep(l *lane) {
	if len(l.jobs) > 0 {
		return
	}
	delete(w.bySite, l.site)
	w.all = slices.DeleteFunc(w.all, func(other *lane) bool { return other == l })
}

// earlier is the earlier of two times, zero being never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
