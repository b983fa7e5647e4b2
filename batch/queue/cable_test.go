package queue_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// cable is a way to a server that can be cut and mended.
type cable struct {
	// up and down are how many bytes it carries to the server and back until it breaks
	// by itself, once; 0 is any number.
	up, down atomic.Int64

	mu     sync.Mutex
	cut    bool
	conns  []net.Conn
	listen net.Listener
	to     string
}

// lay gives the address at the near end of a cable to a server.
func lay(t *testing.T, server string) (*cable, string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listen: l, to: u.Host}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { c.carry(near) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		c.Cut()
		all.Wait()
	})
	return c, "nats://" + l.Addr().String()
}

func (c *cable) carry(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer far.Close()
	c.mu.Lock()
	cut := c.cut
	c.conns = append(c.conns, near, far)
	c.mu.Unlock()
	if cut {
		return
	}
	go func() {
		c.copy(far, near, &c.up)
		far.Close()
	}()
	c.copy(near, far, &c.down)
}

func (c *cable) copy(to io.Writer, from io.Reader, until *atomic.Int64) {
	if n := until.Load(); n > 0 {
		if _, err := io.CopyN(to, from, n); err == nil {
			until.Store(0)
			c.Cut()
		}
		return
	}
	_, _ = io.Copy(to, from)
}

// mendOnceBroken waits for the cable to break by itself.
func (c *cable) mendOnceBroken(ctx context.Context) error {
	for {
		c.mu.Lock()
		cut := c.cut
		c.mu.Unlock()
		if cut {
			c.Mend()
			return nil
		}
		if !nap(ctx, 5*time.Millisecond) {
			return ctx.Err()
		}
	}
}

func (c *cable) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

func (c *cable) Mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = false
}
