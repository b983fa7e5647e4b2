package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// seedLimit is how long putting back what one origin keeps may take.
const seedLimit = 3 * time.Second

// resume brings a new browser to a saved state. In one that is not ours only the
// tabs come back: what it keeps is its owner's.
func (b *instance) resume(ctx context.Context, s *saved) error {
	ctx, end, err := b.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	local := stores{}
	if b.process != nil {
		b.restoreCookies(ctx, s.Cookies)
		local = storesOf(s.Stores)
		b.past.mu.Lock()
		b.past.cookies, b.past.stores = s.Cookies, storesOf(s.Stores)
		b.past.mu.Unlock()
	}
	var tabs []*page
	for i, t := range s.Tabs {
		p, err := b.nthTab(ctx, i)
		if err != nil {
			return err
		}
		tabs = append(tabs, p)
		if err := b.resumeTab(ctx, p, t, local); err != nil {
			return err
		}
		local = stores{} // it is the same in every tab
	}
	b.arrange(ctx, tabs, s.Tabs)
	return ctx.Err()
}

// nthTab gives the n-th tab, counted from 0, in front: the one that is there or a
// new one.
func (b *instance) nthTab(ctx context.Context, n int) (*page, error) {
	if n == 0 {
		return b.usable(ctx)
	}
	b.mu.Lock()
	before := len(b.pages)
	b.mu.Unlock()
	if err := b.newTab(ctx); err != nil {
		return nil, err
	}
	var p *page
	if err := b.await(ctx, func() bool {
		if len(b.pages) <= before {
			return false
		}
		p = b.pages[before]
		return true
	}); err != nil {
		return nil, err
	}
	b.update(func() { b.show(p) })
	b.bringForward(ctx)
	return p, b.waitReady(ctx)
}

// resumeTab brings a tab to where it was. What it shows is asked for once more, by
// GET alone: a form that led there is not sent again.
func (b *instance) resumeTab(ctx context.Context, p *page, t savedTab, local stores) error {
	session := storesOf(t.Stores)
	if err := b.seed(ctx, p, local, session); err != nil {
		return err
	}
	b.update(func() { p.stores = session })
	v := resting{URL: t.URL, X: t.X, Y: t.Y}
	if !strings.HasPrefix(v.URL, "http://") && !strings.HasPrefix(v.URL, "https://") {
		v = resting{URL: "about:blank"}
	}
	if err := b.goBackTo(ctx, p, v); err != nil && !errors.Is(err, errCrashed) {
		return err
	}
	if t.Posted {
		b.note(env.Note{Kind: env.NoteRecovered, Text: "the page was the answer to a form, which was not sent again; this is what its address shows now"})
	}
	b.reenter(ctx, p, t.Entered)
	s, release := b.bind(ctx, p)
	defer release()
	_ = proto.PageResetNavigationHistory{}.Call(s)
	return nil
}

// enterLimit is how long a page may take to have its fields again.
const enterLimit = time.Second

// reenter puts back what was put into fields and not sent. That is part of where the
// tab was, and no action: where the fields are not the same any more it is gone.
func (b *instance) reenter(ctx context.Context, p *page, pages []entered) {
	if len(pages) == 0 {
		return
	}
	raw, err := json.Marshal(pages)
	if err != nil {
		return // texts and numbers never fail
	}
	ctx, cancel := context.WithTimeout(ctx, enterLimit)
	defer cancel()
	ask := fmt.Sprintf("enterHere(%s)", raw)
	_ = poll(ctx, 2*settlePoll, func() (bool, error) {
		missing, err := everywhere[int](ctx, b, p, ask, ask)
		return err == nil && !slices.ContainsFunc(missing, func(n int) bool { return n > 0 }), nil
	})
	b.prepare(ctx, p).painted(ctx)
}

// arrange puts the tab in front that was, and tells what happened. That tabs have
// opened is nothing to tell.
func (b *instance) arrange(ctx context.Context, tabs []*page, were []savedTab) {
	b.update(func() {
		for i, t := range were {
			if t.Active {
				b.show(tabs[i])
			}
			if t.Opener > 0 && t.Opener <= len(tabs) {
				tabs[i].opener = tabs[t.Opener-1].target
			}
		}
		b.notes.kept = slices.DeleteFunc(b.notes.kept, func(n env.Note) bool { return n.Kind == env.NoteTab })
		b.noteLocked(env.Note{Kind: env.NoteRecovered, Text: "this is a new browser at the place of the one before; passwords, and what was typed into pages that are not the same any more, are gone"})
	})
	b.bringForward(ctx)
}

// seed puts back what origins kept, without asking any of them for anything: it
// shows documents of our own at their addresses, which write it down.
func (b *instance) seed(ctx context.Context, p *page, local, session stores) error {
	tops := map[string]bool{}
	for _, s := range []stores{local, session} {
		for at := range s {
			tops[at.top] = true
		}
	}
	if len(tops) == 0 {
		return nil
	}
	b.update(func() { p.seeds = &seeds{local, session} })
	defer b.update(func() { p.seeds = nil })
	s, release := b.bind(ctx, p)
	defer release()
	if err := (proto.FetchEnable{}).Call(s); err != nil {
		return err
	}
	defer func() { _ = s.pipeline(append([]proto.Request{proto.FetchDisable{}}, b.watchOwnDocuments()...)...) }()
	for top := range tops {
		if err := b.seedOne(s, p, top); err != nil && ctx.Err() == nil {
			b.cfg.Logger.Debug("storage not restored", "url", top, "err", err)
		}
	}
	_, err := proto.PageNavigate{URL: "about:blank"}.Call(s) // where it stays when its page cannot be opened
	return err
}

// seedOne puts back what pages of one origin kept, and the frames in them.
func (b *instance) seedOne(s session, p *page, top string) error {
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeout(s.ctx, seedLimit)
	defer cancel()
	res, err := proto.PageNavigate{URL: top + "/"}.Call(s)
	if err != nil || res.ErrorText != "" {
		return errors.Join(err, errors.New(res.ErrorText))
	}
	return poll(s.ctx, settlePoll, func() (bool, error) {
		var done bool
		err := s.evaluate(proto.PageFrameID(p.target), fmt.Sprintf("origin === %s && document.readyState === 'complete'", quoteJS(top)), &done)
		return done && err == nil, nil
	})
}

// seeds are what documents of our own write down in place of the sites'.
type seeds struct{ local, session stores }

// document gives what writes down an origin's stores, and in a page those of the
// frames in it.
func (s *seeds) document(origin string, in level) []byte {
	var out strings.Builder
	out.WriteString("<!doctype html><title></title>")
	if in == wholePage {
		for at := range s.frames(origin) {
			fmt.Fprintf(&out, `<iframe src="%s"></iframe>`, html.EscapeString(at+"/"))
		}
	}
	write := map[string]any{"local": s.of(s.local, origin), "session": s.of(s.session, origin)}
	raw, err := json.Marshal(write)
	if err != nil {
		return nil // strings never fail
	}
	fmt.Fprintf(&out, `<script>{
const kept = JSON.parse(%s), outer = location.ancestorOrigins, top = outer.length ? outer[outer.length - 1] : origin;
const put = (store, items) => { for (const key in items) try { store.setItem(key, items[key]); } catch {} };
try { put(localStorage, kept.local[top]); } catch {}
try { put(sessionStorage, kept.session[top]); } catch {}
}</script>`, quoteJS(string(raw)))
	return []byte(out.String())
}

// level says whether a document is a page or a frame in one.
type level int

const (
	wholePage level = iota
	frameInPage
)

// frames are the origins that keep something in frames of pages of an origin.
func (s *seeds) frames(top string) map[string]bool {
	out := map[string]bool{}
	for _, one := range []stores{s.local, s.session} {
		for at := range one {
			if at.top == top && at.origin != top {
				out[at.origin] = true
			}
		}
	}
	return out
}

// of gives what an origin keeps, by the origin of the page.
func (s *seeds) of(from stores, origin string) map[string]map[string]string {
	out := map[string]map[string]string{}
	for at, items := range from {
		if at.origin == origin {
			out[at.top] = items
		}
	}
	return out
}

// seeded answers a request of a page that is being seeded: nothing of it goes out.
func (b *instance) seeded(s session, p *page, from *seeds, e *proto.FetchRequestPaused) {
	if e.ResourceType != proto.NetworkResourceTypeDocument {
		_ = proto.FetchFailRequest{RequestID: e.RequestID, ErrorReason: proto.NetworkErrorReasonBlockedByClient}.Call(s)
		return
	}
	in := frameInPage
	if e.FrameID == proto.PageFrameID(p.target) {
		in = wholePage
	}
	_ = proto.FetchFulfillRequest{RequestID: e.RequestID, ResponseCode: http.StatusOK,
		Body:            from.document(strings.TrimSuffix(e.Request.URL, "/"), in),
		ResponseHeaders: []*proto.FetchHeaderEntry{{Name: "Content-Type", Value: "text/html; charset=utf-8"}}}.Call(s)
}
