package chrome

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-rod/rod/lib/proto"
	"github.com/ysmood/gson"

	"fara/env"
)

// These tests are about parts that no page and no healthy browser can reach.

// stub is a transport whose other end says what a test tells it to.
type stub struct {
	sent     chan []byte
	incoming chan []byte
	broken   chan struct{}
}

func newStub() *stub {
	return &stub{sent: make(chan []byte, 10), incoming: make(chan []byte), broken: make(chan struct{})}
}

func (s *stub) send(_ context.Context, m []byte) error { s.sent <- m; return nil }

func (s *stub) read() ([]byte, error) {
	select {
	case m := <-s.incoming:
		return m, nil
	case <-s.broken:
		return nil, errors.New("the line broke")
	}
}

func (s *stub) close() error { return nil }

func TestACallWithoutAnswerEndsAtItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub()
		c := newConn(s, func(event) {})
		go c.run()
		began := time.Now()
		if _, err := c.Call(t.Context(), "", "Page.enable", nil); !errors.Is(err, errNoAnswer) || time.Since(began) != callLimit {
			t.Errorf("got %v after %v, want %v after %v", err, time.Since(began), errNoAnswer, callLimit)
		}
		if _, err := c.Call(patient(t.Context(), time.Minute), "", "Page.navigate", nil); time.Since(began) != callLimit+time.Minute {
			t.Errorf("a patient call ended with %v after %v, want a minute", err, time.Since(began)-callLimit)
		}
		close(s.broken)
		<-c.done
	})
}

func TestABrokenLineEndsEveryCall(t *testing.T) {
	s := newStub()
	c := newConn(s, func(event) {})
	go c.run()
	failed := make(chan error)
	for range 3 {
		go func() {
			_, err := c.Call(t.Context(), "", "Page.enable", nil)
			failed <- err
		}()
		<-s.sent
	}
	close(s.broken)
	for range 3 {
		if err := <-failed; !errors.Is(err, env.ErrLost) {
			t.Errorf("pending call: got %v, want %v", err, env.ErrLost)
		}
	}
	if _, err := c.Call(t.Context(), "", "Page.enable", nil); !errors.Is(err, env.ErrLost) {
		t.Errorf("call after it: got %v, want %v", err, env.ErrLost)
	}
}

func TestACallToATabThatIsGoneSaysThatItClosed(t *testing.T) {
	s := newStub()
	c := newConn(s, func(event) {})
	go c.run()
	go func() {
		<-s.sent
		s.incoming <- []byte(`{"id":1,"error":{"code":-32001,"message":"Session with given id not found."}}`)
	}()
	if _, err := c.Call(t.Context(), "A", "Input.dispatchMouseEvent", nil); !errors.Is(err, errClosed) {
		t.Errorf("got %v, want %v", err, errClosed)
	}
	close(s.broken)
	<-c.done
}

func TestABrowserThatDoesNotReadCannotHoldASend(t *testing.T) {
	_, out, err := os.Pipe() // nobody reads it
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := newPipe(in, out)
	defer p.close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := p.send(ctx, make([]byte, 4<<20)); err == nil || time.Since(began) > 3*time.Second {
		t.Errorf("4 MB into a full pipe: got %v after %v, want an error soon", err, time.Since(began))
	}
}

func TestDownloadNamesAreSafe(t *testing.T) {
	long := strings.Repeat("ö", 200) + ".pdf"
	for suggested, want := range map[string]string{
		"report.pdf": "report.pdf", "../../etc/passwd": "_.._etc_passwd", `a\b:c*.txt`: "a_b_c_.txt", ".bashrc": "bashrc",
		"": "download", "...": "download", "a\x00b\n.csv": "a_b_.csv", "CON": "_CON", "aux.txt": "_aux.txt", "com1.tar.gz": "_com1.tar.gz", "console.txt": "console.txt",
		"bill\u202egpj.exe": "bill_gpj.exe", "a\u200b.txt": "a_.txt", "Übersicht 1.csv": "Übersicht 1.csv",
		long: strings.Repeat("ö", 58) + ".pdf",
	} {
		if got := safeName(suggested); got != want {
			t.Errorf("safe name of %q: got %q, want %q", suggested, got, want)
		}
	}
}

func TestUsualPathsKnowThreeSystems(t *testing.T) {
	getenv := func(name string) string { return map[string]string{"ProgramFiles": `C:\Program Files`}[name] }
	for goos, want := range map[string]string{"linux": "/usr/lib/chromium/chromium", "darwin": "Google Chrome", "windows": "chrome.exe"} {
		if got := strings.Join(usualPaths(goos, getenv), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: %q lacks %q", goos, got, want)
		}
	}
}

func TestOnlyASandboxFailureIsTriedWithoutIt(t *testing.T) {
	for stderr, want := range map[string]bool{
		"FATAL: No usable sandbox! see docs": true, "Failed to move to new namespace": true, "cannot open display": false, "": false,
	} {
		if got := isSandboxFailure(&exitError{"ended", stderr}); got != want {
			t.Errorf("%q: got %v, want %v", stderr, got, want)
		}
	}
}

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		status int
		header string
		want   time.Duration
		asks   bool
	}{
		{429, "3", 3 * time.Second, true}, {503, " 120 ", 2 * time.Minute, true}, {429, "Wed, 02 Jan 2030 03:05:05 GMT", time.Minute, true},
		{429, "Wed, 02 Jan 2030 03:04:05 GMT", 0, false}, {429, "-1", 0, false}, {429, "0", 0, false}, {429, "soon", 0, false}, {429, "99999999999999999999", 24 * time.Hour, true}, {200, "3", 0, false},
	} {
		r := &proto.NetworkResponse{Status: c.status, Headers: proto.NetworkHeaders{"retry-after": gson.New(c.header)}}
		if got, asks := holdOff(r, now); got != c.want || asks != c.asks {
			t.Errorf("%d with %q: got %v, %v, want %v, %v", c.status, c.header, got, asks, c.want, c.asks)
		}
	}
}

func TestEndpointsAreCompleted(t *testing.T) {
	for written, want := range map[string]string{
		"9222": "127.0.0.1:9222/", ":9222": "127.0.0.1:9222/", "host": "host:9222/", "host:1": "host:1/", "host:1/a/b": "host:1/a/b",
		"::1": "[::1]:9222/", "[::1]": "[::1]:9222/", "[::1]:7": "[::1]:7/", "10.0.0.1": "10.0.0.1:9222/",
	} {
		if got := withPort(written); got != want {
			t.Errorf("%q: got %q, want %q", written, got, want)
		}
	}
}

func TestReleasesAreRead(t *testing.T) {
	for text, want := range map[string]release{
		"Chromium 156.0.8078.114 built on Debian GNU/Linux 12": {"Chromium", "156.0.8078.114", 156},
		"Google Chrome 140.0.7339.80 ":                         {"Google Chrome", "140.0.7339.80", 140},
		"Microsoft Edge 141.0.3537.57":                         {"Microsoft Edge", "141.0.3537.57", 141},
		"HeadlessChrome/156.0.8078.114":                        {"HeadlessChrome", "156.0.8078.114", 156},
		"Chromium 60.0.1":                                      {"Chromium", "60.0.1", 60},
		"Google Chrome 59":                                     {"Google Chrome", "59", 59},
	} {
		if got, ok := parseRelease(text); !ok || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "Mozilla Firefox 140.0.2", "bash 5.2.15", "yes 1.2.3"} {
		if got, ok := parseRelease(text); ok {
			t.Errorf("%q: got %+v, want nothing", text, got)
		}
	}
}

// talker is a pipe whose other end the test writes to and does not listen at.
func talker(t *testing.T) (*pipe, *os.File) {
	t.Helper()
	theirs, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	silent, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	return newPipe(theirs, out), ours
}

func TestALargeMessageArrivesWhole(t *testing.T) {
	p, ours := talker(t)
	got := make(chan int, 1)
	c := newConn(p, func(e event) { got <- len(e.params) })
	go c.run()
	const size = 100 << 20
	go func() {
		_, _ = ours.WriteString(`{"method":"Page.large","params":"`)
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for range size >> 20 {
			_, _ = ours.Write(chunk)
		}
		_, _ = ours.WriteString("\"}\x00")
	}()
	if n := <-got; n != size+2 {
		t.Errorf("got %d bytes, want %d", n, size+2)
	}
	c.close()
	_ = ours.Close()
}

func TestAMessageWithoutEndEndsTheConnection(t *testing.T) {
	p, ours := talker(t)
	c := newConn(p, func(event) {})
	go c.run()
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	written, err := 0, error(nil)
	for err == nil && written < 2*messageLimit {
		_, err = ours.Write(chunk)
		written += len(chunk)
	}
	if written >= 2*messageLimit {
		t.Errorf("%d bytes were taken of a message without end", written)
	}
	<-c.done
	_ = ours.Close()
}

// TestAFloodOfEventsLeavesNoGoroutine: whatever a browser sends, the end of the
// connection is the end of everything it has set off.
func TestAFloodOfEventsLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	s := newStub()
	b := newInstance(Config{}.withDefaults(), s, &past{})
	go func() {
		for range s.sent { // nobody answers
		}
	}()
	for n := range 20000 {
		for _, m := range []string{
			`{"method":"Target.attachedToTarget","params":{"sessionId":"S%d","targetInfo":{"targetId":"T%d","type":"iframe"}}}`,
			`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"T%d","type":"page","openerId":"%d"}}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"T%d%d"}}`,
			`{"method":"Page.frameNavigated","sessionId":"S%d","params":{"frame":%d}}`,
			`{"method":"Nonsense.happened","params":[%d,%d]}`,
		} {
			if n%100 > 0 && strings.Contains(m, "attached") {
				continue
			}
			s.incoming <- fmt.Appendf(nil, m, n, n)
		}
	}
	close(s.broken)
	_ = b.Close()
	close(s.sent)
	limit := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(limit) {
		runtime.Gosched()
	}
	if after := runtime.NumGoroutine(); after > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after:\n%s", before, after, stacks[:runtime.Stack(stacks, true)])
	}
}
