package chrome

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// errCrashed is the cause of everything that a page's crash cut short.
var errCrashed = errors.New("the page's process crashed")

// page is one tab. What follows life belongs to instance.mu.
type page struct {
	target  proto.TargetTargetID
	session proto.TargetSessionID
	opener  proto.TargetTargetID
	ready   chan struct{} // closed when the setup was answered
	traffic *traffic

	frames frameSet

	life    context.Context // ends when the page crashes or closes
	fail    context.CancelCauseFunc
	crashed bool
	seen    resting // where it was when it was last seen at rest
	url     string
	title   string
	leaving bool                  // we have asked for another document and wait for the answer
	pdf     bool                  // a document of it is a PDF whose drawing was not waited for
	loader  proto.NetworkLoaderID // of its document
	wait    time.Duration         // for which the last answer asked to be left alone
	status  int                   // of the last answer to a request for its document
	wishes  []string              // permissions that its document has asked for
	shown   int                   // when it last came to the front, counted; 0 is never
	failure string                // the net:: name of the error page it shows, else empty
	fresh   bool                  // the failure was not yet told
	been    bool                  // it has shown a document beside the empty one
	trusted bool                  // a field of it was filled with what no picture may show
	posted  bool                  // its document is the answer to a form
	stores  stores                // sessionStorage as it was seen last
	seeds   *seeds                // while it is being brought back; else nil

	insists []string // addresses that its document tries to open on its own, in vain
}

func newPage(info *proto.TargetTargetInfo, id proto.TargetSessionID, parent context.Context) *page {
	p := &page{
		target: info.TargetID, session: id, opener: info.OpenerID, ready: make(chan struct{}),
		traffic: newTraffic(proto.PageFrameID(info.TargetID)), url: info.URL, title: info.Title, stores: stores{},
	}
	p.life, p.fail = context.WithCancelCause(parent)
	return p
}

// shownURL is the page's address as observations hold it.
func (p *page) shownURL() string { return shownURL(p.url) }

// parts are what of a page runs by itself and is stopped until it is let run:
// frames of other sites, which are set up first, and workers, which are not.
var parts = proto.TargetTargetFilter{{Type: "iframe"}, {Type: "worker"}}

// setup gives a page its size, has it tell us what happens and lets it run.
func (b *instance) setup(ctx context.Context, p *page) error {
	own := []proto.Request{b.metrics(), proto.EmulationSetFocusEmulationEnabled{Enabled: true}}
	if b.cfg.Console != nil {
		own = append(own, proto.RuntimeEnable{})
	}
	return b.setupFrame(ctx, p.session, own...)
}

// setupFrame has what runs in a process of its own, a page or a frame, tell us what
// happens there, and lets it run. The commands go out together, those given first:
// what is paused answers none before the last.
func (b *instance) setupFrame(ctx context.Context, id proto.TargetSessionID, first ...proto.Request) error {
	s := session{ctx: ctx, conn: b.conn, id: id}
	commands := []proto.Request{
		proto.PageEnable{}, proto.InspectorEnable{}, proto.NetworkEnable{}, b.interceptChoosers(),
		proto.PageAddScriptToEvaluateOnNewDocument{Source: b.secretly(pageScript), WorldName: world, RunImmediately: true},
		proto.PageAddScriptToEvaluateOnNewDocument{Source: b.secretly(mainScript), RunImmediately: true},
		proto.TargetSetAutoAttach{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true,
			Filter: parts},
	}
	commands = append(commands, b.ears()...)
	commands = append(commands, b.watchOwnDocuments()...)
	commands = append(first, append(commands, proto.RuntimeRunIfWaitingForDebugger{})...)
	return s.pipeline(b.introduced(commands...)...)
}

// metrics is the page's size and scale; a scale of 0 leaves the browser its own.
func (b *instance) metrics() proto.EmulationSetDeviceMetricsOverride {
	v := b.cfg.Viewport
	return proto.EmulationSetDeviceMetricsOverride{
		Width: v.W, Height: v.H, DeviceScaleFactor: b.cfg.Scale, ScreenWidth: &v.W, ScreenHeight: &v.H,
	}
}

// front gives the tab in front.
func (b *instance) front() *page {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.active
}

// bind addresses a page for as long as ctx lasts and the page neither crashes
// nor closes.
func (b *instance) bind(ctx context.Context, p *page) (session, context.CancelFunc) {
	b.mu.Lock()
	life := p.life
	b.mu.Unlock()
	ctx, cancel := merge(ctx, life)
	return session{ctx: ctx, conn: b.conn, id: p.session}, cancel
}

// script calls a function of pageScript in the page's main frame and decodes
// what it returns into out.
func (b *instance) script(ctx context.Context, p *page, call string, out any) error {
	s, cancel := b.bind(ctx, p)
	defer cancel()
	return s.ask(proto.PageFrameID(p.target), call, out)
}

// crash marks a page whose process has ended. Calls to it return errCrashed.
func (b *instance) crash(p *page) {
	var address string
	b.update(func() {
		address = p.url
		if p == b.active && !b.past.left() {
			b.end(errCrashedAgain) // before anybody can take it for a crash that is mended
		}
		if !p.crashed {
			p.crashed = true
			p.fail(errCrashed)
		}
	})
	b.cfg.Logger.Warn("page crashed", "url", env.WithoutUser(address))
}

// errCrashedAgain is the cause of the end of a browser whose page crashed once
// more than it may.
var errCrashedAgain = fmt.Errorf("%w: its page crashed again after %d recoveries", env.ErrLost, maxRecoveries)

// revive loads a crashed page again where it was last seen at rest.
func (b *instance) revive(ctx context.Context, p *page) error {
	if !b.past.spend() {
		b.end(errCrashedAgain)
		return errCrashedAgain
	}
	var v resting
	b.update(func() {
		p.crashed = false
		p.life, p.fail = context.WithCancelCause(b.life)
		v = p.seen
		switch {
		case v.URL != "":
		case strings.HasPrefix(p.url, "http"): // it crashed before it was ever at rest
			v.URL = p.url
		default:
			v.URL = "about:blank"
		}
	})
	b.note(env.Note{Kind: env.NoteRecovered, Text: "the page crashed and was loaded again; what was typed into it is gone"})
	return b.goBackTo(ctx, p, v)
}

// crashedInFront reports whether the tab in front has crashed.
func (b *instance) crashedInFront() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.active != nil && b.active.crashed
}

// pause waits, and no longer than the page in front lives.
func (b *instance) pause(ctx context.Context, d time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if b.await(limited, func() bool { return b.active != nil && b.active.crashed }) == nil {
		return errCrashed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
