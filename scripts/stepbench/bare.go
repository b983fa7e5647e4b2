package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"
	"github.com/ysmood/gson"

	"fara/env"
)

// bare is the least a screenshot-driven step can be: capture, click, next frame.
type bare struct {
	launch  *launcher.Launcher
	browser *rod.Browser
	page    *rod.Page
	profile string
}

func newBare(ctx context.Context, binary, address string) (*bare, error) {
	profile, err := os.MkdirTemp("", "stepbench-*")
	if err != nil {
		return nil, err
	}
	l := launcher.New().Context(ctx).Bin(binary).Leakless(false).UserDataDir(profile).HeadlessNew(true).NoSandbox(os.Getuid() == 0).
		Set("disable-gpu").Set("disable-background-networking").Set("disable-component-update").Env(append(os.Environ(), "TMPDIR="+profile)...)
	b := &bare{launch: l, profile: profile}
	url, err := l.Launch()
	if err != nil {
		b.close()
		return nil, err
	}
	b.browser = rod.New().Context(ctx).ControlURL(url).NoDefaultDevice()
	if err := b.browser.Connect(); err != nil {
		b.close()
		return nil, err
	}
	if b.page, err = b.browser.Page(proto.TargetCreateTarget{URL: address}); err != nil {
		b.close()
		return nil, err
	}
	err = proto.EmulationSetDeviceMetricsOverride{Width: viewport.W, Height: viewport.H, DeviceScaleFactor: 1}.Call(b.page)
	if err == nil {
		err = b.page.WaitLoad()
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bare) step(ctx context.Context, at env.Point) (time.Duration, error) {
	p := b.page.Context(ctx)
	began := time.Now()
	shot, err := proto.PageCaptureScreenshot{Format: "png", OptimizeForSpeed: true}.Call(p)
	if err != nil {
		return 0, err
	}
	if len(shot.Data) == 0 {
		return 0, fmt.Errorf("an empty picture")
	}
	for _, e := range []proto.InputDispatchMouseEvent{
		{Type: "mouseMoved", X: at.X, Y: at.Y, Button: "none", Buttons: gson.Int(0)},
		{Type: "mousePressed", X: at.X, Y: at.Y, Button: "left", Buttons: gson.Int(1), ClickCount: 1},
		{Type: "mouseReleased", X: at.X, Y: at.Y, Button: "left", Buttons: gson.Int(0), ClickCount: 1},
	} {
		if err := e.Call(p); err != nil {
			return 0, err
		}
	}
	// The second callback runs after the first one's frame was painted.
	_, err = proto.RuntimeEvaluate{
		Expression:   "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))",
		AwaitPromise: true,
	}.Call(p)
	return time.Since(began), err
}

func (b *bare) close() {
	if b.browser != nil {
		b.browser.Close()
	}
	b.launch.Kill()
	b.launch.Cleanup()
	os.RemoveAll(b.profile)
}
