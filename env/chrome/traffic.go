package chrome

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// A request seen this often in this time belongs to the page's background, such
// as polling, and no action waits for it unless it makes the request itself.
const (
	recurringTimes  = 3
	recurringWindow = 5 * time.Second
)

// slowRequest is how long a request is waited for of which nobody knows that the
// action made it.
const slowRequest = 2 * time.Second

// traffic follows a page's requests, so that settling knows what an action has
// set off. Its methods may be called by several goroutines.
type traffic struct {
	main proto.PageFrameID

	mu        sync.Mutex
	flying    map[proto.NetworkRequestID]sent
	seen      map[string][]time.Time // by endpoint, within recurringWindow
	recurring map[string]bool        // as of the last mark
	lasting   map[string]bool        // endpoints that take longer than slowRequest
	rounds    map[string]round       // by endpoint, since the last mark
	asked     map[string]bool        // addresses the action itself has asked for
	sockets   sockets
	mark      time.Time // when the last action began
	events    int       // things that count since mark
	last      time.Time // the last of them
	loading   bool      // the main frame is loading
	leaving   time.Time // when the main frame last asked for another document that is not loading yet
	failure   string    // net:: name of the last document that failed
	failedAt  string    // its address, without a query
	asking    documentRequest
}

// documentRequest is how the main frame's document was last asked for.
type documentRequest struct {
	loader proto.NetworkLoaderID
	method string
}

func newTraffic(main proto.PageFrameID) *traffic {
	return &traffic{
		main: main, flying: map[proto.NetworkRequestID]sent{}, seen: map[string][]time.Time{}, recurring: map[string]bool{},
		lasting: map[string]bool{}, rounds: map[string]round{}, asked: map[string]bool{}, sockets: sockets{}, mark: time.Now(), last: time.Now(),
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
	case "Network.responseReceived":
		t.heard(decode[proto.NetworkResponseReceived](e).RequestID)
	case "Network.dataReceived":
		t.heard(decode[proto.NetworkDataReceived](e).RequestID)
	case "Page.frameStartedLoading":
		t.frame(decode[proto.PageFrameStartedLoading](e).FrameID, true)
	case "Page.frameStoppedLoading":
		t.frame(decode[proto.PageFrameStoppedLoading](e).FrameID, false)
	case "Page.frameRequestedNavigation":
		t.requested(decode[proto.PageFrameRequestedNavigation](e))
	case "Page.frameNavigated":
		t.navigated(decode[proto.PageFrameNavigated](e).Frame)
	case "Network.webSocketCreated", "Network.webSocketFrameSent", "Network.webSocketFrameReceived", "Network.webSocketClosed",
		"Network.webSocketHandshakeResponseReceived":
		t.socket(e)
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
	s := sent{session: session, at: time.Now(), url: e.Request.URL, endpoint: e.Request.Method + " " + path,
		document: e.Type == proto.NetworkResourceTypeDocument, fetched: e.Type == proto.NetworkResourceTypeFetch}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.document && e.FrameID == t.main {
		t.asking = documentRequest{e.LoaderID, e.Request.Method}
	}
	t.flying[e.RequestID] = s
	t.seen[s.endpoint] = append(recent(t.seen[s.endpoint], s.at), s.at)
	t.rounds[s.endpoint] = t.rounds[s.endpoint].next(s.at)
	t.count(s)
}

// counts reports whether an action may have set a request off.
func (t *traffic) counts(s sent) bool {
	if s.document {
		return s.at.After(t.mark)
	}
	return s.at.After(t.mark) && t.rounds[s.endpoint].n < pulseRounds && (t.asked[s.url] || !t.recurring[s.endpoint] && !t.lasting[s.endpoint])
}

// count takes a request into account when an action may have set it off.
func (t *traffic) count(s sent) {
	if t.counts(s) {
		t.happened()
	}
}

func (t *traffic) happened() {
	t.last = time.Now()
	t.events++
}

func (t *traffic) heard(id proto.NetworkRequestID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, ok := t.flying[id]; ok {
		s.heard = time.Now()
		t.flying[id] = s
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
	if !s.document && time.Since(s.at) > slowRequest {
		t.lasting[s.endpoint] = true
	}
	t.count(s)
}

func (t *traffic) frame(id proto.PageFrameID, loading bool) {
	if id != t.main {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.loading, t.leaving = loading, time.Time{}
	t.happened()
}

// requested notes that the main frame is about to load another document.
func (t *traffic) requested(e *proto.PageFrameRequestedNavigation) {
	if e.FrameID != t.main || e.Disposition != proto.PageClientNavigationDispositionCurrentTab || forProgram(e.URL) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.loading {
		t.leaving = time.Now()
	}
	t.happened()
}

// navigated forgets what was usual in the document before.
func (t *traffic) navigated(f *proto.PageFrame) {
	if f == nil || f.ID != t.main {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leaving = time.Time{}
	clear(t.seen)
	clear(t.recurring)
	clear(t.lasting)
	clear(t.sockets)
	t.happened()
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
	clear(t.recurring)
	clear(t.asked)
	clear(t.rounds)
	for endpoint, times := range t.seen {
		times = recent(times, now)
		if len(times) == 0 {
			delete(t.seen, endpoint)
			continue
		}
		t.seen[endpoint] = times
		t.recurring[endpoint] = len(times) >= recurringTimes
	}
	for _, s := range t.flying {
		if !s.document && now.Sub(s.at) > slowRequest {
			t.lasting[s.endpoint] = true
		}
	}
	t.sockets.begin(now)
}

// own takes in the addresses that the action itself has asked for: they count
// even when the page also asks for them all the time.
func (t *traffic) own(addresses []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range addresses {
		if !t.asked[a] {
			t.asked[a] = true
			t.happened()
		}
	}
}

// rest is what is going on since the last begin.
type rest struct {
	flying  int           // requests and messages under way that count
	quiet   time.Duration // since the last thing that counts
	loading bool          // a document is coming
	events  int
}

// rest tells what is going on. Requests that the action itself made count for
// limit, others for slowRequest, documents for longer.
func (t *traffic) rest(limit time.Duration) rest {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := rest{quiet: time.Since(t.last), loading: t.loading || time.Since(t.leaving) < leavingLimit, events: t.events}
	for _, s := range t.flying {
		age := slowRequest
		switch {
		case s.document:
			age = 5 * slowRequest
		case t.asked[s.url]:
			age = limit
		}
		unread := s.fetched && !s.heard.IsZero() && time.Since(s.heard) > unreadLimit
		if t.counts(s) && time.Since(s.at) < age && !unread {
			r.flying++
		}
	}
	r.flying += t.sockets.waiting(time.Now())
	return r
}

// unreadLimit is how long an answer that a script fetches may pause: what nobody
// reads never ends.
const unreadLimit = 300 * time.Millisecond

// leavingLimit is how long after a document was asked for its loading may begin.
const leavingLimit = 500 * time.Millisecond

// posted reports whether a document of the main frame is the answer to a form.
func (t *traffic) posted(loader proto.NetworkLoaderID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return loader != "" && t.asking == documentRequest{loader, http.MethodPost}
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
