package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/cdp"

	"fara/env"
)

// callLimit is how long one protocol call may take when its context allows
// more. Nothing the browser does in one call is slower on a healthy machine.
const callLimit = 15 * time.Second

// errNoAnswer is the cause of a call that ran into callLimit.
var errNoAnswer = errors.New("the browser did not answer in time")

// transport carries whole protocol messages. send and read may be called by
// different goroutines; close makes both return an error.
type transport interface {
	send(ctx context.Context, message []byte) error
	read() ([]byte, error)
	close() error
}

// event is a message that nobody asked for.
type event struct {
	session string
	method  string
	params  json.RawMessage
}

// conn is one connection to a browser. Its methods may be called by several
// goroutines at once. It implements proto.Client.
type conn struct {
	transport transport
	handle    func(event) // called in order from one goroutine; must not wait
	done      chan struct{}
	worlds    worlds

	mu      sync.Mutex
	last    int
	pending map[int]chan answer
	err     error // why the connection ended; nil while it lives
}

type answer struct {
	result json.RawMessage
	err    error
}

type message struct {
	ID      int             `json:"id"`
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *cdp.Error      `json:"error"`
}

type request struct {
	ID      int    `json:"id"`
	Session string `json:"sessionId,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

func newConn(t transport, handle func(event)) *conn {
	return &conn{
		transport: t, handle: handle, done: make(chan struct{}),
		pending: map[int]chan answer{},
	}
}

// run reads until the transport ends; then every waiting call gets env.ErrLost.
func (c *conn) run() {
	var err error
	for err == nil {
		var raw []byte
		if raw, err = c.transport.read(); err == nil {
			err = c.deliver(raw)
		}
	}
	_ = c.transport.close()
	c.mu.Lock()
	c.err = fmt.Errorf("%w (%v)", env.ErrLost, err)
	for _, ch := range c.pending {
		ch <- answer{err: c.err}
	}
	c.pending = nil
	c.mu.Unlock()
	close(c.done)
}

func (c *conn) deliver(raw []byte) error {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("a message that is not JSON: %w", err)
	}
	if m.ID == 0 {
		e := event{m.Session, m.Method, m.Params}
		c.worlds.take(e)
		c.handle(e)
		return nil
	}
	c.mu.Lock()
	ch := c.pending[m.ID]
	delete(c.pending, m.ID)
	c.mu.Unlock()
	if ch == nil {
		return nil
	}
	a := answer{result: m.Result}
	if m.Error != nil {
		a.err = m.Error
	}
	ch <- a
	return nil
}

// start sends a call and gives what waits for its answer. Calls started one
// after the other reach the browser in that order. wait must be called once.
func (c *conn) start(ctx context.Context, session, method string, params any) (wait func() ([]byte, error)) {
	limit := callLimit
	if l, ok := ctx.Value(patience{}).(time.Duration); ok {
		limit = l
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errNoAnswer)
	id, ch, err := c.enroll()
	if err == nil {
		var raw []byte
		if raw, err = json.Marshal(request{id, session, method, params}); err == nil {
			err = c.transport.send(ctx, raw)
		}
	}
	return func() ([]byte, error) {
		defer cancel()
		if err != nil {
			c.forget(id)
			return nil, c.explain(ctx, method, err)
		}
		select {
		case a := <-ch:
			return a.result, c.explain(ctx, method, a.err)
		case <-ctx.Done():
			c.forget(id)
			return nil, fmt.Errorf("%s: %w", method, context.Cause(ctx))
		}
	}
}

// Call sends one command and waits for its answer. It returns the context's
// cause when that ends first and env.ErrLost when the browser is gone.
func (c *conn) Call(ctx context.Context, session, method string, params any) ([]byte, error) {
	return c.start(ctx, session, method, params)()
}

// patience is the key of a context's own call limit.
type patience struct{}

// patient lets the calls of a context take as long as limit instead of callLimit.
func patient(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, patience{}, limit)
}

func (c *conn) enroll() (int, chan answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, nil, c.err
	}
	c.last++
	ch := make(chan answer, 1)
	c.pending[c.last] = ch
	return c.last, ch, nil
}

func (c *conn) forget(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// noSession is the browser's answer to a call for a tab that has closed. It may
// come before the news of the closing, when the call itself has led to it.
const noSession = -32001

// explain names the command, and turns a transport's failure into the loss of
// the browser: a message that could not be sent cannot be sent later either.
func (c *conn) explain(ctx context.Context, method string, err error) error {
	var said *cdp.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said) && said.Code == noSession:
		return fmt.Errorf("%s: %w (%w)", method, errClosed, err)
	case errors.As(err, &said):
		return fmt.Errorf("%s: %w", method, err)
	case errors.Is(err, env.ErrLost):
		return fmt.Errorf("%s: %w", method, err)
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
	return fmt.Errorf("%s: %w (%v)", method, env.ErrLost, err)
}

// close ends the connection and waits until run has returned.
func (c *conn) close() {
	_ = c.transport.close()
	<-c.done
}
