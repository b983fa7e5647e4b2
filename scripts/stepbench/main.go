// Command stepbench measures what the harness itself takes for a step, as a
// ratio to a bare loop over the browser's protocol in the same run: one capture
// of the same format, one click, and the wait for the next painted frame. It
// also follows the memory of this process over a long run.
//
// Both loops take turns in blocks, since the machine's speed drifts.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"fara/env"
	"fara/env/chrome"
)

// viewport is the size that goes from browser to model without being resampled.
var viewport = env.Size{W: 1440, H: 896}

// place is where the n-th click goes: down the page, from its top again and again.
func place(n int) env.Point { return env.Point{X: 100, Y: 30 + 40*float64(n%20)} }

func main() {
	steps := flag.Int("steps", 200, "steps of each loop")
	block := flag.Int("block", 20, "steps before the loops take turns")
	limit := flag.Duration("limit", 10*time.Minute, "the longest time for everything")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	if err := compare(ctx, *steps, *block); err != nil {
		fmt.Fprintln(os.Stderr, "stepbench:", err)
		os.Exit(1)
	}
}

func compare(ctx context.Context, steps, block int) error {
	address, stop, err := page()
	if err != nil {
		return err
	}
	defer stop()
	binary, err := chrome.Find()
	if err != nil {
		return err
	}
	bare, err := newBare(ctx, binary, address)
	if err != nil {
		return fmt.Errorf("bare loop: %w", err)
	}
	defer bare.close()
	ours, err := newHarness(ctx, binary, address, steps)
	if err != nil {
		return fmt.Errorf("harness: %w", err)
	}
	defer ours.close()

	var plain []time.Duration
	for range (steps + block - 1) / block {
		for range block {
			took, err := bare.step(ctx, place(len(plain)))
			if err != nil {
				return fmt.Errorf("bare loop: %w", err)
			}
			plain = append(plain, took)
		}
		if err := ours.steps(ctx, block); err != nil {
			return fmt.Errorf("harness: %w", err)
		}
	}
	result, err := ours.finish()
	if err != nil {
		return err
	}
	return report(plain, ours, result.Steps)
}

func report(plain []time.Duration, ours *harness, steps int) error {
	took := ours.stepTimes()
	if len(took) == 0 || len(plain) == 0 {
		return fmt.Errorf("nothing was measured")
	}
	a, b := median(plain), median(took)
	fmt.Printf("bare loop      %4d steps, median %6.1f ms\n", len(plain), ms(a))
	fmt.Printf("harness        %4d steps, median %6.1f ms\n", len(took), ms(b))
	fmt.Printf("ratio          %.2f\n", float64(b)/float64(a))
	for _, m := range ours.memory {
		fmt.Printf("memory         %4d steps, %5.1f MiB resident\n", m.step, float64(m.resident)/(1<<20))
	}
	if n := len(ours.memory); n > 1 {
		first, last := ours.memory[0], ours.memory[n-1]
		fmt.Printf("memory growth  %+.1f %% from step %d to step %d\n", 100*(float64(last.resident)/float64(first.resident)-1), first.step, last.step)
	}
	return nil
}

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// page serves a static page full of text, with a button that does nothing.
func page() (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><meta charset="utf-8"><title>static</title><body style="font:14px/1.4 sans-serif"><button style="width:200px;height:60px">nothing</button>`)
		for i := range 70 {
			fmt.Fprintf(w, "<p>Line %d of a page that has nothing but words, as most pages of the web have most of the time.", i)
		}
	})}
	go server.Serve(listener)
	return "http://" + listener.Addr().String() + "/", func() { server.Close() }, nil
}
