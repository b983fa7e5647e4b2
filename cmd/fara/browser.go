package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"fara/captcha"
	"fara/env"
	"fara/env/chrome"
	"fara/policy"
)

// byPolicy has questions of pages accepted, but for those that somebody has to say
// yes to.
const byPolicy = "policy"

// browserFlags say which browser is used, and how it looks.
type browserFlags struct {
	viewport, browser, cdp, profileDir, proxy, frameFormat, dialogs, identity string
	uploads, headers, grants                                                  []string
	scale                                                                     float64
	headful                                                                   bool
}

func (b *browserFlags) register(f *pflag.FlagSet) {
	f.StringVar(&b.viewport, "viewport", "", "the page's size in CSS pixels as `WxH` (default: the dialect's own)")
	f.Float64Var(&b.scale, "scale", 1, "device pixels for one CSS pixel")
	f.BoolVar(&b.headful, "headful", false, "show the browser")
	f.StringVar(&b.browser, "browser", "", "the `path` of the browser (default: Chromium or Chrome where it is found)")
	f.StringVar(&b.cdp, "cdp", "", "use the browser that runs at this `address` instead of starting one")
	f.StringArrayVar(&b.headers, "cdp-header", nil, "a `line` for the requests to the browser of --cdp, as \"Name: value\" or \"Name: env:VARIABLE\" (may be repeated)")
	f.StringVar(&b.profileDir, "profile-dir", "", "a browser profile to use and keep (default: a new one each time)")
	f.StringVar(&b.proxy, "proxy", "", "a proxy for the browser: http://host:port, socks5://user:password@host:port")
	f.StringArrayVar(&b.uploads, "upload", nil, "a `file` that pages may be given (may be repeated)")
	f.StringVar(&b.dialogs, "dialogs", byPolicy, "how questions of pages (confirm, prompt) are answered: accept, dismiss, or policy (accept, but for what a person is asked about)")
	f.StringVar(&b.identity, "identity", string(chrome.Ordinary), "what a headless browser says it is: ordinary, or as-is for Chromium's own HeadlessChrome")
	f.StringArrayVar(&b.grants, "grant", nil, "a `permission` that pages get, such as geolocation or clipboard-read; all others are denied (may be repeated)")
	f.StringVar(&b.frameFormat, "frame-format", "png", "how frames are encoded: png or jpeg")
}

// size reads --viewport; the zero size means the dialect's own.
func (b *browserFlags) size() (env.Size, error) {
	if b.viewport == "" {
		return env.Size{}, nil
	}
	w, h, ok := strings.Cut(strings.ToLower(b.viewport), "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if !ok || errW != nil || errH != nil || width <= 0 || height <= 0 {
		return env.Size{}, usage("--viewport %q is not a size; write it as 1440x896", b.viewport)
	}
	size := env.Size{W: width, H: height}
	if err := (chrome.Config{Viewport: size}).Validate(); err != nil {
		return size, usage("--viewport %q: %w", b.viewport, err)
	}
	return size, nil
}

func (b *browserFlags) check() error {
	size, err := b.size()
	if err != nil {
		return err
	}
	if b.scale == 0 { // which Config takes for the default
		return usage("--scale 0 shows nothing; leave it out for 1")
	}
	for _, c := range []struct {
		name string
		part chrome.Config
	}{
		{"--scale", chrome.Config{Scale: b.scale}},
		{"--viewport and --scale", chrome.Config{Viewport: size, Scale: b.scale}},
		{"--identity", chrome.Config{Identity: chrome.Identity(b.identity)}},
		{"--grant", chrome.Config{Grant: b.grants}},
	} {
		if err := c.part.Validate(); err != nil {
			return usage("%s: %w", c.name, err)
		}
	}
	if b.frameFormat != "png" && b.frameFormat != "jpeg" {
		return usage("--frame-format %q is unknown; use png or jpeg", b.frameFormat)
	}
	if b.dialogs != byPolicy && b.dialogs != string(chrome.Accept) && b.dialogs != string(chrome.Dismiss) {
		return usage("--dialogs %q is unknown; use policy, accept or dismiss", b.dialogs)
	}
	if b.cdp != "" && (b.browser != "" || b.profileDir != "" || b.headful || b.proxy != "" || b.scale != 1 || len(b.grants) > 0 || b.identity == string(chrome.AsIs)) {
		return usage("--cdp uses a running browser, so --browser, --profile-dir, --headful, --proxy, --scale, --identity and --grant (or FARA_BROWSER and so on) have no place beside it")
	}
	if b.cdp == "" && len(b.headers) > 0 {
		return usage("--cdp-header has no place without --cdp, the address of the browser that it is for")
	}
	if _, err := header(b.headers, func(string) string { return "-" }); err != nil {
		return err
	}
	if err := b.checkProxy(); err != nil {
		return err
	}
	return b.checkUploads()
}

// checkUploads makes the files' paths absolute.
func (b *browserFlags) checkUploads() error {
	for i, path := range b.uploads {
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is not a file", path)
		}
		if err == nil {
			b.uploads[i], err = filepath.Abs(path)
		}
		if err != nil {
			return usage("--upload: %w; give files that pages may have", err)
		}
	}
	return nil
}

// find gives the browser to start: what was asked for, or what is there.
func (b *browserFlags) find() (string, error) {
	if b.cdp != "" {
		return "", nil
	}
	if b.browser == "" {
		path, err := chrome.Find()
		if err != nil {
			return "", &exitError{exitBrowser, err}
		}
		return path, nil
	}
	info, err := os.Stat(b.browser)
	if err == nil && (info.IsDir() || info.Mode()&0o111 == 0) {
		err = fmt.Errorf("%s cannot be executed", b.browser)
	}
	if err != nil {
		return "", &exitError{exitBrowser, fmt.Errorf("--browser: %w; give the path of a Chromium or Chrome", err)}
	}
	return b.browser, nil
}

// open starts the browser behind a wall of its own, or attaches to the one that
// runs; both are held to the rules.
func (b *browserFlags) open(ctx context.Context, binary string, rules policy.Policy, getenv func(string) string, cfg chrome.Config) (*guarded, error) {
	cfg.Admit = func(d chrome.Document) error { return allowed(rules.Document(d.Method, d.Address, d.From)) }
	cfg.Scale, cfg.FrameFormat, cfg.Uploads, cfg.Dialogs = b.scale, chrome.FrameFormat(b.frameFormat), b.uploads, chrome.Dialogs(b.dialogs)
	if b.dialogs == byPolicy {
		cfg.Dialogs = chrome.Accept
		cfg.Confirm = func(address, question string) bool { return rules.Question(question, address).Do == policy.Allow }
	}
	browser := &guarded{}
	var err error
	if cfg.Header, err = header(b.headers, getenv); err != nil {
		return nil, err
	}
	if rules.Forbids(policy.Upload) {
		cfg.Uploads = nil
	}
	if rules.Forbids(policy.Download) {
		cfg.DownloadDir = ""
	}
	cfg.Identity, cfg.Grant = chrome.Identity(b.identity), b.grants
	cfg.Watch = captchas()
	if b.cdp != "" {
		browser.Browser, err = chrome.Attach(ctx, b.cdp, cfg)
	} else {
		if browser.way, err = b.raise(rules, getenv); err != nil {
			return nil, err
		}
		cfg.Proxy, cfg.Explain = browser.way.URL(), explain(browser.way)
		cfg.Binary, cfg.ProfileDir = binary, b.profileDir
		if b.headful {
			cfg.Window = chrome.Headful
		}
		browser.Browser, err = chrome.Launch(ctx, cfg)
	}
	if err != nil && browser.way != nil {
		err = errors.Join(err, browser.way.Close())
	}
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, &exitError{exitBrowser, err}
	}
	return browser, nil
}

// captchas are what the browser looks for in pages.
func captchas() (list []chrome.Watched) {
	for _, w := range captcha.Widgets() {
		list = append(list, chrome.Watched{Name: w.Name, Selector: w.Selector, Solved: w.Solved})
	}
	return list
}

// listen feeds the gate from the console of a browser that somebody hosts
// elsewhere. In one on this machine nobody solves captchas, so only pages could
// speak there.
func (b *browserFlags) listen(gate *captcha.Gate) func(string) {
	if b.cdp == "" || isLocal(b.cdp) {
		return nil
	}
	return gate.Console
}

// isLocal reports whether a browser's address, in any of its forms, is on this
// machine: "9222", ":9222", "localhost:9222", "ws://127.0.0.1:9222/…".
func isLocal(address string) bool {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	address, _, _ = strings.Cut(address, "/")
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if _, err := strconv.Atoi(host); err == nil || host == "" || strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}
