package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

const (
	// maxDocuments is how many frames of a page are asked beside the page itself.
	maxDocuments = 16
	// frameLimit is how long one may take to answer; the page itself has probeLimit.
	frameLimit = 150 * time.Millisecond
	// maxSilent is how often in a row a frame may not answer before it is left out
	// until the next action.
	maxSilent = 3
)

// frameSet is the frames of a page, in whatever process they run. Its methods
// may be called by several goroutines.
type frameSet struct {
	mu     sync.Mutex
	places []place       // in the order in which they came
	silent map[place]int // how often in a row they did not answer
}

func (d *frameSet) take(e event) {
	session := proto.TargetSessionID(e.session)
	switch e.method {
	case "Page.frameAttached":
		d.add(place{session, decode[proto.PageFrameAttached](e).FrameID})
	case "Page.frameNavigated":
		if f := decode[proto.PageFrameNavigated](e).Frame; f != nil {
			d.add(place{session, f.ID})
		}
	case "Page.frameDetached":
		gone := place{session, decode[proto.PageFrameDetached](e).FrameID}
		d.remove(func(at place) bool { return at == gone })
	}
}

// add takes in a frame, or its new document.
func (d *frameSet) add(at place) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.silent, at)
	if !slices.Contains(d.places, at) {
		d.places = append(d.places, at)
	}
}

func (d *frameSet) dropSession(id proto.TargetSessionID) {
	d.remove(func(at place) bool { return at.session == id })
}

func (d *frameSet) remove(gone func(place) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.places = slices.DeleteFunc(d.places, gone)
	for at := range d.silent {
		if gone(at) {
			delete(d.silent, at)
		}
	}
}

// others gives the frames beside the main one that are worth asking.
func (d *frameSet) others(main place) (places []place) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, at := range d.places {
		if at != main && d.silent[at] < maxSilent && len(places) < maxDocuments {
			places = append(places, at)
		}
	}
	return places
}

// hope has frames asked again that have been left out.
func (d *frameSet) hope() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for at := range d.silent {
		d.silent[at] = min(d.silent[at], maxSilent-1)
	}
}

// answered notes whether a frame has answered.
func (d *frameSet) answered(at place, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		delete(d.silent, at)
		return
	}
	if d.silent == nil {
		d.silent = map[place]int{}
	}
	d.silent[at]++
}

// everywhere calls a function of pageScript in every document of a page at the
// same time, one in the page itself and another in its frames, and gives what
// those that answered returned, the page's first. It fails when one does not
// answer that is not left out yet.
func everywhere[T any](ctx context.Context, b *instance, p *page, page, frames string) ([]T, error) {
	placed, err := everyPlace[T](ctx, b, p, page, frames)
	answers := make([]T, 0, len(placed))
	for _, one := range placed {
		answers = append(answers, one.answer)
	}
	return answers, err
}

// placed is what a document answered.
type placed[T any] struct {
	place  place
	answer T
}

// everyPlace is everywhere that also tells which document answered.
func everyPlace[T any](ctx context.Context, b *instance, p *page, page, frames string) ([]placed[T], error) {
	bound, release := b.bind(ctx, p)
	defer release()
	main := place{p.session, proto.PageFrameID(p.target)}
	slow, cancel := context.WithTimeout(bound.ctx, probeLimit)
	defer cancel()
	quick, cancel := context.WithTimeout(bound.ctx, frameLimit)
	defer cancel()
	first := session{slow, b.conn, p.session}.question(main.frame, page)
	others := p.frames.others(main)
	var asked []*question
	for _, at := range others {
		asked = append(asked, session{quick, b.conn, at.session}.question(at.frame, frames))
	}
	all := append([]*question{first}, asked...)
	for _, q := range all {
		q.enter()
	}
	for _, q := range all {
		q.send()
	}
	var one T
	err := first.answer(&one)
	answers := []placed[T]{{main, one}}
	for i, q := range asked {
		var one T
		failed := q.answer(&one)
		p.frames.answered(others[i], failed)
		if failed == nil {
			answers = append(answers, placed[T]{others[i], one})
		} else if err == nil {
			err = failed
		}
	}
	return answers, err
}

// question is a call of a function of pageScript on its way to a document and
// back.
type question struct {
	session session
	at      place
	call    string
	context proto.RuntimeExecutionContextID
	opened  func() ([]byte, error) // nil when the context was known
	sent    func() ([]byte, error)
	err     error
}

// question begins one: it asks for the document's context unless that is known.
func (s session) question(frame proto.PageFrameID, call string) *question {
	q := &question{session: s, at: place{s.id, frame}, call: call}
	if id, ok := s.conn.worlds.known(q.at); ok {
		q.context = id
		return q
	}
	q.opened = s.start(proto.PageCreateIsolatedWorld{FrameID: frame, WorldName: world})
	return q
}

// enter waits for the context.
func (q *question) enter() {
	if q.opened == nil {
		return
	}
	var raw []byte
	var made proto.PageCreateIsolatedWorldResult
	if raw, q.err = q.opened(); q.err == nil {
		q.err = json.Unmarshal(raw, &made)
	}
	if q.err == nil {
		q.context = made.ExecutionContextID
		q.session.conn.worlds.keep(q.at, q.context)
	}
}

func (q *question) send() {
	if q.err == nil {
		q.sent = q.session.start(proto.RuntimeEvaluate{Expression: "fara." + q.call, ContextID: q.context,
			ReturnByValue: true, AwaitPromise: true, Silent: true})
	}
}

// answer waits for what the function returns and decodes it into out.
func (q *question) answer(out any) error {
	if q.err != nil {
		return q.err
	}
	raw, err := q.sent()
	if err == nil {
		err = decodeResult(raw, out)
	}
	if err != nil && q.opened == nil {
		q.session.conn.worlds.forget(q.at)
	}
	return err
}

// decodeResult decodes what an evaluation gave into out (nil: it is not wanted).
func decodeResult(raw []byte, out any) error {
	var res proto.RuntimeEvaluateResult
	if err := json.Unmarshal(raw, &res); err != nil {
		return err
	}
	if e := res.ExceptionDetails; e != nil {
		text := e.Text
		if e.Exception != nil && e.Exception.Description != "" {
			text = e.Exception.Description
		}
		return fmt.Errorf("page script: %s", text)
	}
	if out == nil {
		return nil
	}
	if res.Result == nil {
		return errors.New("page script: no result")
	}
	return json.Unmarshal([]byte(res.Result.Value.JSON("", "")), out)
}

// stale reports whether an answer is that of a document that is not there any
// more: its context has gone, or its number is another one's now.
func stale(err error) bool {
	text := err.Error()
	return strings.Contains(text, "Cannot find context") || strings.Contains(text, "fara is not defined")
}

// quietLately reports whether a frame did not answer when it was last asked.
func (d *frameSet) quietLately(at place) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.silent[at] > 0
}

// has reports whether a frame is one of the page's.
func (d *frameSet) has(frame proto.PageFrameID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.places, func(at place) bool { return at.frame == frame })
}
