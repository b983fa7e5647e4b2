package chrome

import (
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// socketReply is how long an answer to a message is waited for.
const socketReply = time.Second

// sockets are a page's WebSockets. Whether a message will be answered nobody
// knows; it is waited for, unless the last one was waited for in vain.
type sockets map[proto.NetworkRequestID]*talk

type talk struct {
	sent    []time.Time // within recurringWindow
	usual   bool        // the page talks through it all the time, as of the last mark
	mute    bool        // it was waited for in vain
	waiting time.Time   // when the message was sent that is waited for; zero when there is none
}

// begin marks the moment just before an action.
func (s sockets) begin(now time.Time) {
	for _, one := range s {
		one.sent = recent(one.sent, now)
		one.usual = len(one.sent) >= recurringTimes
		one.mute = one.mute || !one.waiting.IsZero()
		one.waiting = time.Time{}
	}
}

// waiting counts the sockets whose answer is waited for.
func (s sockets) waiting(now time.Time) (n int) {
	for _, one := range s {
		if !one.waiting.IsZero() && now.Sub(one.waiting) < socketReply {
			n++
		}
	}
	return n
}

// socket takes in what happened on a WebSocket.
func (t *traffic) socket(e event) {
	id := decode[struct {
		RequestID proto.NetworkRequestID `json:"requestId"`
	}](e).RequestID
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.sockets[id]
	switch e.method {
	case "Network.webSocketCreated":
		t.sockets[id] = &talk{waiting: now}
		return
	case "Network.webSocketClosed":
		delete(t.sockets, id)
		return
	}
	if one == nil {
		return
	}
	if e.method == "Network.webSocketFrameSent" {
		one.sent = append(recent(one.sent, now), now)
		if !one.usual && !one.mute {
			one.waiting = now
			t.happened()
		}
		return
	}
	if !one.waiting.IsZero() {
		t.happened()
	}
	one.waiting, one.mute = time.Time{}, false
}
