package queue

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// One request's limit, and the pause before it is tried again.
const (
	requestLimit = 5 * time.Second
	pause        = 200 * time.Millisecond
)

// conn is a connection that is made again whenever it is lost, and what a queue asks
// of its server.
type conn struct {
	cfg Config
	nc  *nats.Conn
	js  jetstream.JetStream

	mu      sync.Mutex
	denied  error                        // the newest refusal of a subject
	waiting map[*context.CancelFunc]bool // what waits for answers
}

// connect makes the first connection and sees that the server has JetStream.
func connect(ctx context.Context, cfg Config, who string) (*conn, error) {
	limited, cancel := context.WithTimeout(ctx, cfg.Connect)
	defer cancel()
	c := &conn{cfg: cfg, waiting: map[*context.CancelFunc]bool{}}
	if err := c.dial(limited, who); err != nil {
		return nil, orCause(ctx, err)
	}
	if err := c.checkJetStream(limited); err != nil {
		c.close()
		return nil, orCause(ctx, err)
	}
	return c, nil
}

// orCause gives why ctx ended, if it did, and else err.
func orCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (c *conn) dial(ctx context.Context, who string) error {
	d, release := dialWith(ctx)
	defer release()
	options := []nats.Option{
		nats.Name("fara " + who), nats.SetCustomDialer(d), nats.MaxReconnects(-1),
		nats.ReconnectWait(pause), nats.ReconnectJitter(pause, pause), nats.ReconnectBufSize(-1),
		nats.Timeout(2 * time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { c.lost(err) }),
		nats.ReconnectHandler(func(*nats.Conn) { c.back() }), nats.NoCallbacksAfterClientClose(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.asyncError(err) }),
	}
	if c.cfg.Credentials != "" {
		options = append(options, nats.UserCredentials(c.cfg.Credentials))
	}
	for {
		nc, err := nats.Connect(c.cfg.URL, options...)
		if err == nil {
			c.nc = nc
			c.js, err = jetstream.New(nc)
			return err
		}
		if refused(err) {
			return fmt.Errorf("%w: %s: %w; check the user, password, token or credentials file", ErrDenied, plain(c.cfg.URL), err)
		}
		if stranger := new(tls.CertificateVerificationError); errors.As(err, &stranger) {
			return fmt.Errorf("%w: %s: %w; let SSL_CERT_FILE name the certificate of its authority, and use the host name that is in its own", ErrUnreachable, plain(c.cfg.URL), stranger)
		}
		if !nap(ctx, pause) {
			return fmt.Errorf("%w: %s: %w; check that it runs (nats-server -js) and that the address is right", ErrUnreachable, plain(c.cfg.URL), err)
		}
	}
}

func refused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked) ||
		errors.Is(err, nats.ErrAccountAuthExpired) || errors.Is(err, nats.ErrNkeysNotSupported) || errors.Is(err, nats.ErrNoUserCB)
}

// checkJetStream asks for the account's limits, the smallest thing that JetStream answers.
func (c *conn) checkJetStream(ctx context.Context) error {
	err := c.try(ctx, func(ctx context.Context) error {
		_, err := c.js.AccountInfo(ctx)
		if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
			return fmt.Errorf("%w: %s; start it as nats-server -js, or let the account use JetStream", ErrNoJetStream, plain(c.cfg.URL))
		}
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s is there, but its JetStream does not answer: %w; see the server's log", ErrNoJetStream, plain(c.cfg.URL), err)
	}
	return err
}

func (c *conn) lost(err error) {
	c.cutOff()
	c.cfg.Logger.Warn("queue's connection lost", "err", err)
	c.cfg.Notify(false, err)
}

func (c *conn) back() {
	c.cfg.Logger.Info("queue's connection is back")
	c.cfg.Notify(true, nil)
}

func (c *conn) asyncError(err error) {
	if errors.Is(err, nats.ErrPermissionViolation) {
		c.mu.Lock()
		c.denied = err
		c.mu.Unlock()
	}
}

// takeDenied gives the newest refusal and forgets it.
func (c *conn) takeDenied() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.denied
	c.denied = nil
	return err
}

// tell says what stands in the way of a try that is repeated; nil ends it.
func (c *conn) tell(err error) {
	if err != nil {
		c.cfg.Logger.Warn("queue does not answer, trying again", "err", err)
	}
	c.cfg.Notify(c.nc.IsConnected(), err)
}

func (c *conn) close() {
	c.nc.Close()
	c.cutOff()
}

// awaiting has something cut off when the connection is lost, since the answers that it
// waits for do not come any more. The caller calls done when it has ended.
func (c *conn) awaiting(cancel context.CancelFunc) (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[&cancel] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, &cancel)
	}
}

func (c *conn) cutOff() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cancel := range c.waiting {
		(*cancel)()
	}
}

// nap waits and reports whether ctx let it.
func nap(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
