package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"

	"fara/env"
	"fara/env/chrome"
)

// sessions measures 1, 4 and 8 sessions side by side, each a browser of its own
// as runs have them: memory, and steps (click, settle, picture) per second of all
// together. The last column is the memory of as many contexts in one browser,
// which is what separate browsers are paid for with.
func sessions(ctx context.Context, out io.Writer, span time.Duration) error {
	address, stop, err := serve("<title>static</title><button style='width:200px;height:60px'>nothing</button>" +
		strings.Repeat("<p>Words, as most pages of the web have most of the time.", 70))
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintln(out, "sessions\tMiB\tMiB each\tsteps/s\tas contexts: MiB\tMiB each")
	for _, n := range []int{1, 4, 8} {
		own, rate, err := browsers(ctx, address, n, span)
		if err != nil {
			return err
		}
		together, err := contexts(ctx, address, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%d\t%.0f\t%.0f\t%.1f\t%.0f\t%.0f\n", n, own, own/float64(n), rate, together, together/float64(n))
	}
	return nil
}

func browsers(ctx context.Context, address string, n int, span time.Duration) (mib, rate float64, err error) {
	all := make([]*chrome.Browser, 0, n)
	defer func() {
		for _, b := range all {
			if closed := b.Close(); err == nil {
				err = closed
			}
		}
	}()
	for range n {
		b, err := chrome.Launch(ctx, chrome.Config{})
		if err != nil {
			return 0, 0, err
		}
		all = append(all, b)
		if _, err := b.Perform(ctx, env.Action{Kind: env.VisitURL, URL: address}); err != nil {
			return 0, 0, err
		}
		if _, err := b.Observe(ctx); err != nil {
			return 0, 0, err
		}
	}
	if mib, err = familyMemory(); err != nil {
		return 0, 0, err
	}
	var steps atomic.Int64
	ctx, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	var work sync.WaitGroup
	for _, b := range all {
		work.Go(func() {
			for ctx.Err() == nil {
				_, err := b.Perform(ctx, env.Action{Kind: env.LeftClick, Point: &env.Point{X: 100, Y: 30}})
				if err == nil {
					_, err = b.Observe(ctx)
				}
				if err == nil {
					steps.Add(1)
				}
			}
		})
	}
	work.Wait()
	return mib, float64(steps.Load()) / span.Seconds(), nil
}

// contexts opens the page in n contexts of one browser.
func contexts(ctx context.Context, address string, n int) (mib float64, err error) {
	profile, err := os.MkdirTemp("", "envbench-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(profile)
	binary, err := chrome.Find()
	if err != nil {
		return 0, err
	}
	l := launcher.New().Context(ctx).Bin(binary).Leakless(false).UserDataDir(profile).HeadlessNew(true).NoSandbox(os.Getuid() == 0).
		Set("disable-gpu").Env(append(os.Environ(), "TMPDIR="+profile)...)
	url, err := l.Launch()
	if err != nil {
		return 0, err
	}
	defer l.Kill()
	browser := rod.New().Context(ctx).ControlURL(url).NoDefaultDevice()
	if err := browser.Connect(); err != nil {
		return 0, err
	}
	defer browser.Close()
	for range n {
		session, err := browser.Incognito()
		if err != nil {
			return 0, err
		}
		page, err := session.Page(proto.TargetCreateTarget{URL: address})
		if err != nil {
			return 0, err
		}
		if err := page.WaitLoad(); err != nil {
			return 0, err
		}
		if _, err := page.Screenshot(false, nil); err != nil {
			return 0, err
		}
	}
	return familyMemory()
}

// familyMemory is the memory of all processes below this one, in MiB.
func familyMemory() (float64, error) {
	family, err := below(os.Getpid())
	if err != nil {
		return 0, err
	}
	bytes, err := memory(family)
	return float64(bytes) / (1 << 20), err
}

// serve answers every request with one page of HTML until stop is called.
func serve(html string) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>"+html)
	})}
	done := make(chan struct{})
	go func() {
		_ = server.Serve(listener)
		close(done)
	}()
	return "http://" + listener.Addr().String() + "/", func() { _ = server.Close(); <-done }, nil
}
