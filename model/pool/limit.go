package pool

import "time"

const (
	// tolerated is how much longer than alone a request may take before there are
	// too many at once. A server that works on k requests at a time and has n in
	// flight takes n/k times as long, so the limit comes to rest at up to 1.6 k.
	tolerated = 1.6
	// fewer is what is left of the limit when it was too high.
	fewer = 0.75
)

// limit is how many requests may be in flight, found out by their latency:
// doubled after each round that went well until one does not, from then on raised
// by one and lowered by a quarter. It has no lock of its own.
type limit struct {
	most    int
	current float64
	settled bool // it was too high once

	// alone is what a request takes when there are few, as the mean of a round; 0
	// while unknown.
	alone time.Duration

	// The round: as many answers as tell something about the present limit.
	answers int
	sum     time.Duration
	full    bool // requests had to wait
	crowd   int  // the most at once
	// old are the requests that were in flight when the limit changed: what they took
	// tells of the one before.
	old int
}

func newLimit(most int) *limit { return &limit{most: max(1, most), current: 1} }

func (l *limit) now() int { return int(l.current) }

// reset forgets the limit, not what a request takes.
func (l *limit) reset() {
	l.current, l.settled = 1, false
	l.begin(0)
}

func (l *limit) begin(old int) {
	l.answers, l.sum, l.full, l.crowd, l.old = 0, 0, false, 0, old
}

// answered takes note of a reply that came after a time, while so many requests
// were in flight and perhaps others waited.
func (l *limit) answered(took time.Duration, crowd int, waited bool) {
	if l.old > 0 {
		l.old--
		return
	}
	l.answers++
	l.sum += max(took, 1)
	l.full = l.full || waited
	l.crowd = max(l.crowd, crowd)
	if l.answers < max(4, 2*l.now()) {
		return
	}
	mean := l.sum / time.Duration(l.answers)
	switch {
	case l.alone == 0 || l.crowd <= 1: // alone now: prompts grow in the course of a run
		l.alone = mean
	case mean < l.alone:
		l.alone = mean
	}
	old := 0
	switch {
	case float64(mean) > tolerated*float64(l.alone):
		l.lower()
		old = crowd
	case l.full:
		l.raise()
		old = crowd
	}
	l.begin(old)
}

// refused takes note that the server has too much to do.
func (l *limit) refused() {
	l.lower()
	l.begin(0)
}

func (l *limit) lower() {
	l.settled = true
	l.current = max(1, l.current*fewer)
}

func (l *limit) raise() {
	step := 1.0
	if !l.settled {
		step = l.current
	}
	l.current = min(float64(l.most), l.current+step)
}
