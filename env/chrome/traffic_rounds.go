package chrome

import "time"

// sent is a request under way. A frame's document is announced in the session of
// the frame around it and may end in one of its own, so requests are known by
// their id alone, which is unique in the browser.
type sent struct {
	session  string
	at       time.Time
	document bool
	fetched  bool      // by a script that may never read the answer to its end
	heard    time.Time // when something of the answer last came; zero before it began
	url      string
	endpoint string // method and address without its query
}

// round counts requests of one endpoint; those that follow each other at once,
// as when a page is built, count as one.
type round struct {
	n    int
	last time.Time
}

// Requests that come round so often in an action are a pulse that it started.
const (
	pulseRounds = 5
	pulseGap    = 100 * time.Millisecond
)

func (r round) next(at time.Time) round {
	if at.Sub(r.last) > pulseGap {
		r.n++
	}
	return round{r.n, at}
}

// recent leaves out the times that are longer ago than recurringWindow.
func recent(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) > recurringWindow {
		times = times[1:]
	}
	return times
}
