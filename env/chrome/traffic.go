package chrome

import (
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// A request seen this often in this time belongs to the page's background, such
// as polling, and no action waits for it.
const (
	recurringTimes  = 3
	recurringWindow = 5 * time.Second
)

// traffic follows a page's requests, so that settling knows what an action has
// set off. Its methods may be called by several goroutines.
type traffic struct {
	main proto.PageFrameID

	mu        sync.Mutex
	flying    map[proto.NetworkRequestID]sent
	seen      map[string][]time.Time // by endpoint, within recurringWindow
	recurring map[string]bool        // as of the last mark
	mark      time.Time              // when the last action began
	last      time.Time              // last thing that counts
	events    int                    // things that count since mark
	loading   bool                   // the main frame is loading
	failure   string                 // net:: name of the last document that failed
	failedAt  string                 // its address, without a query
}

// sent is a request under way. A frame's document is announced in the session of
// the frame around it and may end in one of its own, so requests are known by
// their id alone, which is unique in the browser.
type sent struct {
	session  string
	at       time.Time
	endpoint string
	document bool
}

func newTraffic(main proto.PageFrameID) *traffic {
	return &traffic{
		main: main, flying: map[proto.NetworkRequestID]sent{}, seen: map[string][]time.Time{}, recurring: map[string]bool{},
		mark: time.Now(), last: time.Now(),
	}
}

func (t *traffic) take(e event) {
	switch e.method {
	case "Network.requestWillBeSent":
		t.sent(e.session, decode[proto.NetworkRequestWillBeSent](e))
	case "Network.loadingFinished":
		t.landed(decode[proto.NetworkLoadingFinished](e).RequestID, "")
	case "Network.loadingFailed":
		f := decode[proto.NetworkLoadingFailed](e)
		t.landed(f.RequestID, f.ErrorText)
	case "Page.frameStartedLoading":
		t.frame(decode[proto.PageFrameStartedLoading](e).FrameID, true)
	case "Page.frameStoppedLoading":
		t.frame(decode[proto.PageFrameStoppedLoading](e).FrameID, false)
	}
}

func (t *traffic) sent(session string, e *proto.NetworkRequestWillBeSent) {
	switch e.Type {
	case proto.NetworkResourceTypeWebSocket, proto.NetworkResourceTypeEventSource,
		proto.NetworkResourceTypeMedia, proto.NetworkResourceTypePing:
		return
	}
	if e.Request == nil || strings.HasPrefix(e.Request.URL, "data:") {
		return
	}
	path, _, _ := strings.Cut(e.Request.URL, "?")
	s := sent{session: session, at: time.Now(), endpoint: e.Request.Method + " " + path, document: e.Type == proto.NetworkResourceTypeDocument}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flying[e.RequestID] = s
	t.seen[s.endpoint] = append(recent(t.seen[s.endpoint], s.at), s.at)
	t.count(s)
}

// count takes a request into account when an action may have set it off.
func (t *traffic) count(s sent) {
	if s.at.After(t.mark) && !t.recurring[s.endpoint] {
		t.last = time.Now()
		t.events++
	}
}

func (t *traffic) landed(id proto.NetworkRequestID, failure string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.flying[id]
	if !ok {
		return
	}
	delete(t.flying, id)
	if s.document && failure != "" {
		t.failure = failure
		_, t.failedAt, _ = strings.Cut(s.endpoint, " ")
	}
	t.count(s)
}

func (t *traffic) frame(id proto.PageFrameID, loading bool) {
	if id != t.main {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.loading = loading
	t.last = time.Now()
	t.events++
}

// dropSession forgets the requests of a frame that is gone.
func (t *traffic) dropSession(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, s := range t.flying {
		if s.session == session {
			delete(t.flying, id)
		}
	}
}

// begin marks the moment just before an action.
func (t *traffic) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.mark, t.last, t.events = now, now, 0
	t.recurring = map[string]bool{}
	for endpoint, times := range t.seen {
		times = recent(times, now)
		if len(times) == 0 {
			delete(t.seen, endpoint)
			continue
		}
		t.seen[endpoint] = times
		t.recurring[endpoint] = len(times) >= recurringTimes
	}
}

// rest is what is going on since the last begin.
type rest struct {
	flying  int           // requests under way that count, younger than the limit asked for
	quiet   time.Duration // since the last thing that counts
	loading bool
	events  int
}

func (t *traffic) rest(limit time.Duration) rest {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := rest{quiet: time.Since(t.last), loading: t.loading, events: t.events}
	for _, s := range t.flying {
		age := limit
		if s.document {
			age = 5 * limit
		}
		if s.at.After(t.mark) && !t.recurring[s.endpoint] && time.Since(s.at) < age {
			r.flying++
		}
	}
	return r
}

func (t *traffic) lastFailure() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failure
}

func (t *traffic) lastFailedAt() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failedAt
}

func recent(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) > recurringWindow {
		times = times[1:]
	}
	return times
}
