package pool_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fara/model"
	"fara/model/pool"
)

// fake is a server that works on some requests at a time: n in flight take n
// times as long, divided by how many it works on, and never less than alone.
type fake struct {
	alone time.Duration
	at    int
	// dice make a request take between half and one and a half times as long; nil
	// makes all alike.
	dice *rand.Rand

	mu       sync.Mutex
	err      error // what it answers instead; nil answers
	inFlight int
	most     int
	calls    int
}

func (f *fake) Chat(ctx context.Context, _ model.Request, _ model.Until) (model.Reply, error) {
	f.mu.Lock()
	f.calls++
	f.inFlight++
	f.most = max(f.most, f.inFlight)
	took := f.alone * time.Duration(max(f.inFlight, f.at, 1)) / time.Duration(max(f.at, 1))
	if f.dice != nil {
		took = took/2 + time.Duration(f.dice.Float64()*float64(took))
	}
	err := f.err
	f.mu.Unlock()
	defer func() { f.mu.Lock(); f.inFlight--; f.mu.Unlock() }()
	if err != nil {
		return model.Reply{}, err
	}
	select {
	case <-time.After(took):
		return model.Reply{Text: "ok", Usage: model.Usage{PromptTokens: 10, CompletionTokens: 2}}, nil
	case <-ctx.Done():
		return model.Reply{}, context.Cause(ctx)
	}
}

func (f *fake) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fake) asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

func newPool(t *testing.T, cfg pool.Config, servers ...pool.Server) *pool.Pool {
	t.Helper()
	p, err := pool.New(cfg, servers...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func servers(fakes ...*fake) []pool.Server {
	var all []pool.Server
	for i, f := range fakes {
		all = append(all, pool.Server{Name: string(rune('a' + i)), Chatter: f})
	}
	return all
}

func ask(t *testing.T, s *pool.Session) model.Reply {
	t.Helper()
	reply, err := s.Chat(t.Context(), model.Request{}, nil)
	if err != nil {
		t.Fatalf("chat: %v", err)
	}
	return reply
}

var gone = &model.Error{Kind: model.ErrUnreachable, Message: "connection refused"}

func TestRunsStayOnTheirServerAndAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Config{}, servers(&fake{alone: time.Second}, &fake{alone: time.Second}, &fake{alone: time.Second})...)
		on := map[string]int{}
		var sessions []*pool.Session
		for range 6 {
			s := p.Session()
			sessions = append(sessions, s)
			on[ask(t, s).Server]++
		}
		if fmt.Sprint(on) != "map[a:2 b:2 c:2]" {
			t.Errorf("got runs on %v, want two on each", on)
		}
		first := ask(t, sessions[0]).Server
		for range 5 {
			if got := ask(t, sessions[0]).Server; got != first {
				t.Errorf("a run moved from %s to %s", first, got)
			}
		}
		sessions[0].Close()
		sessions[0].Close()
		if got := ask(t, p.Session()).Server; got != first {
			t.Errorf("a new run is on %s, want %s, which a run has left", got, first)
		}
	})
}

func TestDeadServerIsLeftOutAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &fake{alone: time.Second}, &fake{alone: time.Second}
		var told []string
		p := newPool(t, pool.Config{Notify: func(name string, err error) { told = append(told, fmt.Sprint(name, " ", err == nil)) }}, servers(a, b)...)
		run := p.Session()
		if got := ask(t, run).Server; got != "a" {
			t.Fatalf("the first run is on %s", got)
		}
		a.fail(gone)
		began := time.Now()
		if got := ask(t, run).Server; got != "b" || time.Since(began) != time.Second {
			t.Errorf("the run was answered by %s after %v, want b without a pause", got, time.Since(began))
		}
		before := a.asked()
		for range 4 { // before the pause has passed nobody asks
			if got := ask(t, p.Session()).Server; got != "b" {
				t.Errorf("a new run is on %s, which is left out", got)
			}
		}
		if got := a.asked(); got != before {
			t.Errorf("a server that is left out was asked %d times", got-before)
		}
		if down := p.Counts()[0].Down; !errors.Is(down, model.ErrUnreachable) {
			t.Errorf("its count says %v", down)
		}
		time.Sleep(5 * time.Second)
		ask(t, p.Session()) // tried again, in vain; b answers
		if got := a.asked(); got != before+1 {
			t.Errorf("after the pause it was asked %d times, want once", got-before)
		}
		time.Sleep(6 * time.Second)
		ask(t, p.Session())
		if got := a.asked(); got != before+1 {
			t.Error("the second pause is no longer than the first")
		}
		a.fail(nil)
		time.Sleep(5 * time.Second)
		if got := ask(t, p.Session()).Server; got != "a" {
			t.Errorf("a new run is on %s, want a, which is due and back", got)
		}
		if got := ask(t, run).Server; got != "b" {
			t.Errorf("the run that moved is on %s, want b, which has its prefix", got)
		}
		if got := strings.Join(told, ", "); got != "a false, a true" {
			t.Errorf("told %s, want once that it is left out and once that it is back", got)
		}
	})
}

func TestServerThatOnlyFailsIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &fake{}, &fake{}
		p := newPool(t, pool.Config{}, servers(a, b)...)
		run := p.Session()
		ask(t, run)
		a.fail(&model.Error{Kind: model.ErrServer, Status: 500})
		for i := range 2 {
			if _, err := run.Chat(t.Context(), model.Request{}, nil); !errors.Is(err, model.ErrServer) {
				t.Errorf("failure %d: got %v, want it handed on", i+1, err)
			}
		}
		if got := ask(t, run).Server; got != "b" {
			t.Errorf("after three failures the run is on %s, want b", got)
		}
	})
}

func TestRefusalIsNotTheServersFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, kind := range []error{model.ErrContext, model.ErrTooManyImages, model.ErrPicture, model.ErrBadRequest} {
			a, b := &fake{}, &fake{}
			p := newPool(t, pool.Config{}, servers(a, b)...)
			run := p.Session()
			a.fail(&model.Error{Kind: kind})
			for range 5 {
				if _, err := run.Chat(t.Context(), model.Request{}, nil); !errors.Is(err, kind) {
					t.Errorf("got %v, want %v", err, kind)
				}
			}
			if b.asked() != 0 || p.Counts()[0].Down != nil {
				t.Errorf("%v: the run moved on", kind)
			}
		}
	})
}

func TestAllServersDownAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &fake{err: gone}, &fake{err: gone}
		p := newPool(t, pool.Config{}, servers(a, b)...)
		run := p.Session()
		for range 3 { // a request that has nowhere else to go tries them all
			_, err := run.Chat(t.Context(), model.Request{}, nil)
			if !errors.Is(err, model.ErrUnreachable) || !model.Temporary(err) || !strings.Contains(err.Error(), "none of 2") || !strings.Contains(err.Error(), "b: ") {
				t.Fatalf("got %v, want one that names both", err)
			}
		}
		b.fail(nil)
		if got := ask(t, run).Server; got != "b" {
			t.Errorf("got an answer of %s", got)
		}
	})
}

func TestServerIsAskedWhetherItIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &fake{}, &fake{}
		alive := errors.New("unset")
		list := servers(a, b)
		list[0].Alive = func(ctx context.Context) error {
			if alive == nil {
				return nil
			}
			<-ctx.Done() // it hangs
			return context.Cause(ctx)
		}
		p := newPool(t, pool.Config{}, list...)
		run := p.Session()
		a.fail(gone)
		ask(t, run)
		asked := a.asked()
		time.Sleep(time.Minute)
		began := time.Now()
		if got := ask(t, p.Session()).Server; got != "b" || time.Since(began) != 5*time.Second || a.asked() != asked {
			t.Errorf("a new run is on %s after %v, %d requests went to the dead one", got, time.Since(began), a.asked()-asked)
		}
		a.fail(nil)
		alive = nil
		time.Sleep(time.Minute)
		if got := ask(t, p.Session()).Server; got != "a" {
			t.Errorf("a new run is on %s, want a", got)
		}
	})
}

func TestBusyServerLosesTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &fake{}, &fake{}
		p := newPool(t, pool.Config{}, servers(a, b)...)
		run := p.Session()
		a.fail(&model.Error{Kind: model.ErrBusy})
		for range 2 {
			if _, err := run.Chat(t.Context(), model.Request{}, nil); !errors.Is(err, model.ErrBusy) {
				t.Fatalf("got %v", err)
			}
		}
		if got := ask(t, run).Server; got != "b" {
			t.Errorf("turned away twice the run is on %s, want b", got)
		}
		if p.Counts()[0].Down != nil {
			t.Error("a busy server is left out")
		}
	})
}

func TestCountsAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &fake{alone: 2 * time.Second}
		p := newPool(t, pool.Config{}, servers(a)...)
		run := p.Session()
		ask(t, run)
		ask(t, run)
		a.fail(gone)
		if _, err := run.Chat(t.Context(), model.Request{}, nil); !errors.Is(err, model.ErrUnreachable) {
			t.Fatal(err)
		}
		got := p.Counts()[0]
		got.Down = nil
		if want := (pool.Count{Server: "a", Requests: 3, Failures: 1, Tokens: 24, Latency: 2 * time.Second, Limit: 1, Runs: 1}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	if _, err := pool.New(pool.Config{}); err == nil {
		t.Error("a pool of no servers: got no error")
	}
}
