package chrome

import (
	"sync"

	"github.com/go-rod/rod/lib/proto"
)

// place is a frame in the session that runs it.
type place struct {
	session proto.TargetSessionID
	frame   proto.PageFrameID
}

// worlds remembers the contexts of our world in documents, so that asking one
// takes one way to the browser and back instead of two. Its methods may be called
// by several goroutines.
type worlds struct {
	mu  sync.Mutex
	ids map[place]proto.RuntimeExecutionContextID
}

// take forgets the context of a document that is left.
func (w *worlds) take(e event) {
	var frame proto.PageFrameID
	switch e.method {
	case "Page.frameNavigated":
		if f := decode[proto.PageFrameNavigated](e).Frame; f != nil {
			frame = f.ID
		}
	case "Page.frameDetached":
		frame = decode[proto.PageFrameDetached](e).FrameID
	case "Inspector.targetCrashed":
		w.drop(proto.TargetSessionID(e.session))
		return
	default:
		return
	}
	w.forget(place{proto.TargetSessionID(e.session), frame})
}

// drop forgets all contexts of a session.
func (w *worlds) drop(session proto.TargetSessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for at := range w.ids {
		if at.session == session {
			delete(w.ids, at)
		}
	}
}

func (w *worlds) forget(at place) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ids, at)
}

func (w *worlds) known(at place) (proto.RuntimeExecutionContextID, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, ok := w.ids[at]
	return id, ok
}

func (w *worlds) keep(at place, id proto.RuntimeExecutionContextID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids == nil {
		w.ids = map[place]proto.RuntimeExecutionContextID{}
	}
	w.ids[at] = id
}
