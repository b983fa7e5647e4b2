package chrome

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // frames are read for their size
	_ "image/png"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// captureLimit is how long one picture may take; a good one takes 0.15 s, on a
// loaded machine a second.
const captureLimit = 6 * time.Second

var errCaptureSlow = errors.New("the page could not be drawn in time")

// Observe is Browser.Observe.
func (b *instance) Observe(ctx context.Context) (env.Observation, error) {
	ctx, end, err := b.begin(ctx)
	if err != nil {
		return env.Observation{}, err
	}
	defer end()
	obs, err := b.observe(ctx)
	if ctx.Err() != nil {
		return env.Observation{}, context.Cause(ctx)
	}
	if err != nil {
		return env.Observation{}, fmt.Errorf("observe the page: %w", err)
	}
	return obs, nil
}

// maxLooks is how often a picture is taken again because another tab has come to
// the front meanwhile.
const maxLooks = 3

func (b *instance) observe(ctx context.Context) (obs env.Observation, err error) {
	for looks := 1; ; looks++ {
		p, err := b.usable(ctx)
		if err != nil {
			return obs, err
		}
		kept := b.keepingResting(ctx)
		obs, err = b.look(ctx, p)
		kept()
		if changed := b.front() != p; ctx.Err() != nil || !changed || looks == maxLooks {
			if err == nil {
				b.finish(&obs, p)
			}
			return obs, err
		}
		if p, err = b.usable(ctx); err != nil {
			return obs, err
		}
		if err := b.prepare(ctx, p).wait(ctx); err != nil && !errors.Is(err, errCrashed) {
			return obs, err
		}
	}
}

// look takes the picture of a tab and the list of all.
func (b *instance) look(ctx context.Context, p *page) (obs env.Observation, err error) {
	b.remember(ctx, p)
	b.awaitPDF(ctx, p)
	var beside sync.WaitGroup // drawing the picture takes far longer
	beside.Go(func() { b.keepResting(ctx) })
	var widgets []env.Widget
	beside.Go(func() { widgets = b.widgets(ctx, p) })
	defer func() { beside.Wait(); obs.Widgets = widgets }()
	if obs.Image, err = b.masked(ctx, p); err != nil {
		return obs, err
	}
	dims, _, err := image.DecodeConfig(bytes.NewReader(obs.Image))
	if err != nil {
		return obs, err
	}
	obs.MIME = "image/" + string(b.cfg.FrameFormat)
	obs.ImageSize = env.Size{W: dims.Width, H: dims.Height}
	obs.Viewport = b.cfg.Viewport
	obs.Tabs, err = b.tabs(ctx)
	return obs, err
}

// finish adds where the picture was taken and what happened before it.
func (b *instance) finish(obs *env.Observation, p *page) {
	b.noteRefusals()
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.fresh {
		p.fresh = false
		b.noteLocked(env.Note{Kind: env.NoteError, Text: "the page could not be opened: " + b.unopened(p.failure, p.url).Error()})
	}
	b.tellDownloads()
	obs.URL, obs.Title, obs.Notes = p.shownURL(), shownTitle(p.title), b.notes.take()
}

// usable gives the tab in front, loaded again when it had crashed.
func (b *instance) usable(ctx context.Context) (*page, error) {
	for {
		if err := b.waitReady(ctx); err != nil {
			return nil, err
		}
		p := b.front()
		if p == nil {
			continue
		}
		b.mu.Lock()
		crashed, covered := p.crashed, b.covered
		b.mu.Unlock()
		if covered && !crashed {
			b.bringForward(ctx)
		}
		if !crashed {
			return p, nil
		}
		if err := b.revive(ctx, p); err != nil && !errors.Is(err, errCrashed) && !errors.Is(err, errClosed) {
			return nil, err
		}
	}
}

// picture captures the page at its exact size. A size that is off means that the
// page lost its metrics, which are then set again.
func (b *instance) picture(ctx context.Context, p *page) ([]byte, error) {
	image, err := b.drawn(ctx, p)
	if err != nil || b.exact(image) {
		return image, err
	}
	s, cancel := b.bind(ctx, p)
	defer cancel()
	if err := b.metrics().Call(s); err != nil {
		return nil, err
	}
	b.prepare(ctx, p).painted(ctx)
	return b.capture(ctx, p)
}

// drawn captures the page, whatever it takes. One that cannot be drawn is most
// often busy with a script that never ends, or with loading for ever: that is
// stopped, and when it does not help the page is left. A browser that then still
// shows nothing is as good as gone, and gives env.ErrLost.
func (b *instance) drawn(ctx context.Context, p *page) ([]byte, error) {
	image, err := b.capture(ctx, p)
	mends := []func(context.Context, *page){b.unblock, b.abandon}
	if b.process == nil { // the owner of the browser may have put another window over ours
		mends = slices.Insert(mends, 0, func(ctx context.Context, _ *page) { b.bringForward(ctx) })
	}
	for _, mend := range mends {
		if !errors.Is(err, errCaptureSlow) && !errors.Is(err, errNoAnswer) {
			return image, err
		}
		mend(ctx, p)
		image, err = b.capture(ctx, p)
	}
	if errors.Is(err, errCaptureSlow) || errors.Is(err, errNoAnswer) {
		return nil, fmt.Errorf("%w: it does not answer any more (%v)", env.ErrLost, err)
	}
	return image, err
}

// exact reports whether a picture is of the whole viewport, at the scale asked for
// or at the browser's own.
func (b *instance) exact(img []byte) bool {
	dims, _, err := image.DecodeConfig(bytes.NewReader(img))
	if err != nil {
		return false
	}
	v, scale, rounding := b.cfg.Viewport, b.cfg.Scale, 0.5
	if scale == 0 { // only the width tells it, which is rounded itself
		scale, rounding = float64(dims.Width)/float64(v.W), 1
	}
	near := func(got, side int) bool { return math.Abs(float64(got)-float64(side)*scale) <= rounding }
	return near(dims.Width, v.W) && near(dims.Height, v.H)
}

// capture takes one picture. Between two documents the browser has nothing to
// draw and says so; then it is asked again.
func (b *instance) capture(ctx context.Context, p *page) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, captureLimit, errCaptureSlow)
	defer cancel()
	s, release := b.bind(ctx, p)
	defer release()
	request := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng, OptimizeForSpeed: true}
	if b.cfg.FrameFormat == JPEG {
		request = proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatJpeg, Quality: new(80)}
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		shot, err := request.Call(s)
		var said *cdp.Error
		if err == nil {
			return shot.Data, nil
		}
		if !errors.As(err, &said) {
			return nil, err
		}
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return nil, fmt.Errorf("%w (%v)", context.Cause(s.ctx), err)
		}
	}
}

// mendLimit is how long a page may take to obey.
const mendLimit = 3 * time.Second

// unblock stops whatever keeps the page busy: its script, and its loading.
func (b *instance) unblock(ctx context.Context, p *page) {
	ctx, cancel := context.WithTimeout(ctx, mendLimit)
	defer cancel()
	s, release := b.bind(ctx, p)
	defer release()
	if (proto.RuntimeTerminateExecution{}).Call(s) != nil || (proto.PageStopLoading{}).Call(s) != nil {
		return // it may be between two documents; a capture will tell
	}
	b.note(env.Note{Kind: env.NoteRecovered, Text: "the page did not react, so its script and its loading were stopped"})
}

// abandon leaves a page that nothing helps against.
func (b *instance) abandon(ctx context.Context, p *page) {
	ctx, cancel := context.WithTimeout(ctx, mendLimit)
	defer cancel()
	s, release := b.bind(ctx, p)
	defer release()
	if _, err := (proto.PageNavigate{URL: "about:blank"}).Call(s); err != nil {
		return
	}
	b.note(env.Note{Kind: env.NoteLeft, Text: "the page could not be drawn and was left"})
}
