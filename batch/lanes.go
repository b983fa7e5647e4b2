package batch

import (
	"cmp"
	"slices"
	"time"
)

// lanes are the jobs that wait for a worker, by site: where many wait for one that is
// left alone, those of the others are found all the same.
type lanes struct {
	all    []*lane // in the order of their first jobs, none empty
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
		l = &lane{site: s.site}
	} else {
		w.remove(l)
	}
	l.jobs = slices.Insert(l.jobs, place(l.jobs, s.index, func(s *state) int { return s.index }), s)
	w.insert(l)
}

// place is where in a list something with that index belongs.
func place[T any](all []T, index int, of func(T) int) int {
	i, _ := slices.BinarySearchFunc(all, index, func(one T, index int) int { return cmp.Compare(of(one), index) })
	return i
}

func (l *lane) index() int { return l.jobs[0].index }

// insert puts a lane where its first job belongs, if it has any.
func (w *lanes) insert(l *lane) {
	if len(l.jobs) == 0 {
		return
	}
	if w.bySite == nil {
		w.bySite = map[string]*lane{}
	}
	w.bySite[l.site] = l
	w.all = slices.Insert(w.all, place(w.all, l.index(), (*lane).index), l)
}

// remove takes a lane out, before its first job changes.
func (w *lanes) remove(l *lane) {
	delete(w.bySite, l.site)
	i := place(w.all, l.index(), (*lane).index)
	w.all = slices.Delete(w.all, i, i+1)
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
	w.remove(l)
	s := l.jobs[0]
	l.jobs, s.queued = l.jobs[1:], false
	w.insert(l)
	return s
}

// drop takes all jobs of a site out.
func (w *lanes) drop(site string) (all []*state) {
	if l := w.bySite[site]; l != nil {
		w.remove(l)
		all = l.jobs
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

// earlier is the earlier of two times, zero being never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
