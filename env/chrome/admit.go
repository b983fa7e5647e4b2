package chrome

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// documents has the browser ask before it requests a document: for a page or a
// frame, by whatever way, and again at each redirect.
var documents = proto.FetchEnable{Patterns: []*proto.FetchRequestPattern{{
	ResourceType: proto.NetworkResourceTypeDocument, RequestStage: proto.FetchRequestStageRequest,
}}}

// refusal is a document that a tab was not let have.
type refusal struct {
	page    *page
	address string
	why     error
	popup   bool // the tab had shown nothing yet and was closed
}

// fail is the refusal as what became of an action.
func (r refusal) fail() *env.ActionError {
	return &env.ActionError{Code: env.Refused, Text: r.why.Error() + "; nothing was opened, go on without it", Err: r.why}
}

// watchDocuments asks to be asked about the documents of a browser of our own,
// whoever requests them.
func (b *instance) watchDocuments() []proto.Request {
	if b.cfg.Admit == nil || b.process == nil {
		return nil
	}
	return []proto.Request{documents}
}

// watchOwnDocuments does the same for one of our tabs, or a frame in it, in a
// browser that is not ours: what its owner does there is not our matter.
func (b *instance) watchOwnDocuments() []proto.Request {
	if b.cfg.Admit == nil || b.process != nil {
		return nil
	}
	return []proto.Request{documents}
}

// asked answers the browser's question about a document.
func (b *instance) asked(id proto.TargetSessionID, e *proto.FetchRequestPaused) {
	b.background(func(ctx context.Context) {
		s := session{ctx, b.conn, id}
		b.mu.Lock()
		p := b.sessions[id]
		var from *seeds
		if p != nil {
			from = p.seeds
		}
		b.mu.Unlock()
		if from != nil && e.Request != nil {
			b.seeded(s, p, from, e)
			return
		}
		if e.Request == nil || b.cfg.Admit == nil {
			_ = proto.FetchContinueRequest{RequestID: e.RequestID}.Call(s)
			return
		}
		why := b.cfg.Admit(Document{Method: e.Request.Method, Address: e.Request.URL, From: b.asker(e.FrameID)})
		if why == nil {
			_ = proto.FetchContinueRequest{RequestID: e.RequestID}.Call(s)
			return
		}
		b.refuse(ctx, s, e, why)
	})
}

// asker gives the address of the page that a frame's document is for; that of the
// opener for a tab that has shown nothing yet.
func (b *instance) asker(frame proto.PageFrameID) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pages {
		if proto.PageFrameID(p.target) != frame && !p.frames.has(frame) {
			continue
		}
		for _, opener := range b.pages {
			if !p.been && p.opener != "" && opener.target == p.opener {
				return opener.url
			}
		}
		return p.url
	}
	return ""
}

// refuse lets a document fail: a tab then stays where it is, a frame shows that
// it was blocked, and a new tab that came to nothing is closed. It is known
// before the page learns of it, so that the action that led there is told.
func (b *instance) refuse(ctx context.Context, s session, e *proto.FetchRequestPaused, why error) {
	b.cfg.Logger.Debug("document refused", "url", env.WithoutUser(e.Request.URL), "err", why)
	r := refusal{address: e.Request.URL, why: why}
	b.update(func() {
		i := slices.IndexFunc(b.pages, func(p *page) bool { return proto.PageFrameID(p.target) == e.FrameID })
		if i < 0 {
			b.noteOnceLocked(env.Note{Kind: env.NoteRefused, Text: "a part of the page was left out: " + why.Error()})
			return
		}
		r.page = b.pages[i]
		r.popup = r.page.opener != "" && !r.page.been
		b.keepRefusal(r)
	})
	reason := proto.NetworkErrorReasonAborted
	if r.page == nil {
		reason = proto.NetworkErrorReasonBlockedByClient
	}
	_ = proto.FetchFailRequest{RequestID: e.RequestID, ErrorReason: reason}.Call(s)
	switch {
	case r.popup:
		_, _ = proto.TargetCloseTarget{TargetID: r.page.target}.Call(b.root(ctx))
	case r.page != nil:
		b.leaveUnread(ctx, r.page)
	}
}

// keepRefusal keeps one until somebody is told of it.
func (b *instance) keepRefusal(r refusal) {
	b.refusals = append(b.refusals, r)
	if len(b.refusals) > maxNotes { // a page that tries for ever
		b.refusals = b.refusals[1:]
	}
}

// barred takes a link to where no page may lead, at which the browser does nothing
// and does not ask either, for a refusal if the rules say so too.
func (b *instance) barred(p *page, address string) {
	if b.cfg.Admit == nil {
		return
	}
	from := b.asker(proto.PageFrameID(p.target))
	b.background(func(context.Context) {
		if why := b.cfg.Admit(Document{Method: http.MethodGet, Address: address, From: from}); why != nil {
			b.update(func() { b.keepRefusal(refusal{page: p, address: address, why: why}) })
		}
	})
}

// leaveUnread goes back from a page whose script sent it elsewhere before it had
// anything to show. The browser reads no more of it then, not even when it stays,
// and never draws it.
func (b *instance) leaveUnread(ctx context.Context, p *page) {
	ctx, cancel := context.WithTimeout(ctx, mendLimit)
	defer cancel()
	s, release := b.bind(ctx, p)
	defer release()
	var unread bool
	if s.evaluate(proto.PageFrameID(p.target), "!document.body && document.documentElement instanceof HTMLHtmlElement", &unread) != nil || !unread {
		return
	}
	history, err := proto.PageGetNavigationHistory{}.Call(s)
	if err != nil {
		return
	}
	if i := history.CurrentIndex - 1; i >= 0 && i < len(history.Entries) {
		err = proto.PageNavigateToHistoryEntry{EntryID: history.Entries[i].ID}.Call(s)
	} else {
		_, err = proto.PageNavigate{URL: "about:blank"}.Call(s)
	}
	if err == nil {
		b.note(env.Note{Kind: env.NoteLeft, Text: "the page that only leads there was left again"})
	}
}

// refusedBy takes the refusal that a gesture of ours ran into. What pages try on
// their own, again and again, is no action's doing.
func (b *instance) refusedBy(k env.Kind) error {
	if !gestures(k) {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, r := range b.refusals {
		if !slices.Contains(r.page.insists, r.address) {
			b.refusals = slices.Delete(b.refusals, i, i+1)
			return r.fail()
		}
	}
	return nil
}

// refusedTo takes the refusal of a document that we ourselves asked for in a tab.
func (b *instance) refusedTo(p *page) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, r := range b.refusals {
		if r.page == p {
			b.refusals = slices.Delete(b.refusals, i, i+1)
			return r.fail()
		}
	}
	return nil
}

// noteRefusals turns refusals that no action is told of into notes.
func (b *instance) noteRefusals() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.refusals {
		if !slices.Contains(r.page.insists, r.address) && len(r.page.insists) < maxNotes {
			r.page.insists = append(r.page.insists, r.address)
		}
		b.noteOnceLocked(env.Note{Kind: env.NoteRefused, Text: "the page tried to go elsewhere: " + r.fail().Text})
	}
	b.refusals = nil
}

// noteOnceLocked leaves out what the next observation tells already.
func (b *instance) noteOnceLocked(n env.Note) {
	if !slices.Contains(b.notes.kept, n) {
		b.noteLocked(n)
	}
}

// unopened says why an address could not be opened, in place of the browser's
// name for it where that only tells of the proxy. It is an *env.ActionError of
// code env.Refused when the proxy does not let it be reached.
func (b *instance) unopened(name, address string) error {
	if b.cfg.Explain != nil && slices.Contains(proxyFailures, name) {
		if why := b.cfg.Explain(address); why != nil {
			var refused *env.ActionError
			if errors.As(why, &refused) {
				return refused
			}
			return errors.New(plainNetwork(why))
		}
	}
	return errors.New(plainFailure(name))
}

// proxyFailures are the browser's names for what went wrong behind a proxy: a
// tunnel that it does not open, an error answer without a page.
var proxyFailures = []string{"net::ERR_TUNNEL_CONNECTION_FAILED", "net::ERR_HTTP_RESPONSE_CODE_FAILURE"}

// failedTo is the error of a visit that came to nothing, perhaps at an address
// that the one asked for led to.
func (b *instance) failedTo(name, address string, p *page) error {
	at := address
	if last := p.traffic.lastFailedAt(); last != "" {
		at = last
	}
	why := b.unopened(name, at)
	var refused *env.ActionError
	if errors.As(why, &refused) {
		return &env.ActionError{Code: refused.Code, Text: refused.Text + "; open another page", Err: refused}
	}
	b.mu.Lock()
	status, wait := p.status, p.wait
	b.mu.Unlock()
	if name == "net::ERR_HTTP_RESPONSE_CODE_FAILURE" && (status == http.StatusTooManyRequests || wait > 0) {
		return &env.ActionError{Code: env.Busy, Wait: wait, Text: fmt.Sprintf("%s showed nothing: the site answered %d, it gets too many requests", shownAddress(address), status)}
	}
	return &env.ActionError{Code: env.Navigation, Text: fmt.Sprintf("%s could not be opened: %v", shownAddress(address), why)}
}
