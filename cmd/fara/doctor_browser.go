package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // frames may be JPEG
	_ "image/png"  // or PNG
	"log/slog"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"fara/env"
	"fara/env/chrome"
	"fara/policy"
)

// examineBrowser starts a browser and looks at a page with it.
func (d *doctor) examineBrowser(ctx context.Context, log *slog.Logger) {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("the browser did not show a page within a minute"))
	defer cancel()
	c, obs := d.checkBrowser(ctx, log)
	if ctx.Err() != nil && c.Text == "" {
		return
	}
	if d.say(c) {
		d.say(checkPage(obs))
	} else {
		d.skip("there is no browser to look with", "page")
	}
	if d.browser.cdp != "" {
		d.skip("the browser of --cdp has its own", "memory", "display")
		return
	}
	d.say(checkMemory())
	d.say(d.checkDisplay())
}

// words is a page whose words are white on blue.
const words = `<!doctype html><title>words</title><body style="margin:0;background:#1e5ac8;color:#fff;font:48px sans-serif;padding:40px">Hamburgefonts 0123456789`

func (d *doctor) checkBrowser(ctx context.Context, log *slog.Logger) (check, env.Observation) {
	c := check{Name: "browser", code: exitBrowser}
	binary, err := d.browser.find()
	if err != nil {
		c.Text = err.Error()
		return c, env.Observation{}
	}
	began := time.Now()
	b, err := d.browser.open(ctx, binary, policy.Policy{}, d.getenv, chrome.Config{Logger: log})
	if err != nil {
		c.Text = err.Error()
		return c, env.Observation{}
	}
	defer b.Close()
	name := "the browser of --cdp"
	if binary != "" {
		release, err := chrome.Release(ctx, binary)
		if err != nil {
			release = "a browser" // it runs all the same
		}
		name = fmt.Sprintf("%s at %s", release, binary)
	}
	page := "data:text/html;charset=utf-8," + url.PathEscape(words)
	_, err = b.Perform(ctx, env.Action{Kind: env.VisitURL, URL: page})
	var obs env.Observation
	if err == nil {
		obs, err = b.Observe(ctx)
	}
	if err != nil {
		c.Text = fmt.Sprintf("%s starts but shows nothing: %v; try another one with --browser", name, err)
		return c, obs
	}
	c.OK, c.Text = true, fmt.Sprintf("%s shows a page of %v after %v", name, obs.Viewport, time.Since(began).Round(10*time.Millisecond))
	return c, obs
}

// checkPage looks for the page's ground and its words in the picture: a browser
// without fonts draws no words, one without a working graphics driver nothing.
func checkPage(obs env.Observation) check {
	c := check{Name: "page", code: exitBrowser}
	img, _, err := image.Decode(bytes.NewReader(obs.Image))
	if err != nil {
		c.Text = fmt.Sprintf("the picture cannot be read: %v; try --frame-format jpeg or another --browser", err)
		return c
	}
	ground, letters := 0, 0
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			switch r, _, blue, _ := img.At(x, y).RGBA(); {
			case r>>8 > 200 && blue>>8 > 200:
				letters++
			case r>>8 < 90 && blue>>8 > 150:
				ground++
			}
		}
	}
	switch {
	case ground < b.Dx()*b.Dy()/2:
		c.Text = "the picture does not show the page that was opened; try without --headful, or another --browser"
	case letters < 100:
		c.Text = "pages are drawn without words, since there are no fonts; install some (Debian, Ubuntu: apt-get install fonts-dejavu-core)"
	default:
		c.OK, c.Text = true, "its picture shows what it should, words included"
	}
	return c
}

func checkMemory() check {
	c := check{Name: "memory", OK: true, Text: "/dev/shm is large enough"}
	switch {
	case runtime.GOOS != "linux":
		c.Text = "shared memory has no limit of its own here"
	case chrome.SmallSharedMemory():
		c.Text = "/dev/shm is smaller than 256 MB, so the browser is told to use files instead; docker run --shm-size=1g is faster"
	}
	return c
}

// checkDisplay says whether a window could be shown, which only --headful needs.
func (d *doctor) checkDisplay() check {
	c := check{Name: "display", code: exitBrowser}
	screen := cmp.Or(d.getenv("WAYLAND_DISPLAY"), d.getenv("DISPLAY"))
	switch {
	case runtime.GOOS != "linux":
		c.OK, c.Text = true, "--headful can show the window"
	case screen != "":
		c.OK, c.Text = true, fmt.Sprintf("%s, where --headful can show the window", screen)
	default:
		c.Skipped = !d.browser.headful
		c.Text = "there is none, and only --headful needs one: start from a desktop session or use xvfb-run"
	}
	return c
}

// system names the operating system.
func system() string {
	release, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return runtime.GOOS
	}
	for line := range strings.Lines(string(release)) {
		if name, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			return strings.Trim(strings.TrimSpace(name), `"'`)
		}
	}
	return runtime.GOOS
}
