package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// try does op, each time within requestLimit, until it succeeds, fails for good or ctx
// ends. So op must bear being done twice: an answer may be lost on its way back.
func (c *conn) try(ctx context.Context, op func(context.Context) error) error {
	return c.repeat(ctx, func() error {
		limited, cancel := context.WithTimeout(ctx, requestLimit)
		defer cancel()
		defer c.awaiting(cancel)()
		return op(limited)
	})
}

// repeat is try for an op that has limits of its own.
func (c *conn) repeat(ctx context.Context, op func() error) error {
	said := ""
	for {
		again, err := c.verdict(ctx, op())
		if !again {
			if said != "" && err == nil {
				c.tell(nil)
			}
			return err
		}
		if text := err.Error(); text != said {
			said = text
			c.tell(err)
		}
		if !nap(ctx, pause) {
			return fmt.Errorf("%w; the last try: %w", context.Cause(ctx), err)
		}
	}
}

// verdict says whether a try that ended with err is worth another, and if not what the
// caller gets.
func (c *conn) verdict(ctx context.Context, err error) (again bool, _ error) {
	if err == nil {
		return false, nil
	}
	if denied := c.takeDenied(); denied != nil {
		return false, fmt.Errorf("%w: %s: %w; let the user use JetStream", ErrDenied, plain(c.cfg.URL), denied)
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("%w; the last try: %w", context.Cause(ctx), err)
	}
	if errors.Is(err, nats.ErrConnectionClosed) {
		return false, c.closedBy(err)
	}
	return passing(err), err
}

// closedBy says why the connection is closed for good.
func (c *conn) closedBy(err error) error {
	if last := c.nc.LastError(); last != nil && refused(last) {
		return fmt.Errorf("%w: %s: %w; check the user, password, token or credentials file", ErrDenied, plain(c.cfg.URL), last)
	}
	return fmt.Errorf("%w: %w", ErrClosed, err)
}

// passing reports whether an error may be gone a moment later: no connection, no
// answer, a server that starts, a cluster without a leader, a full disk. That the
// caller's context has ended is seen before.
func passing(err error) bool {
	for _, e := range []error{
		nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting,
		nats.ErrNoServers, context.DeadlineExceeded, context.Canceled, jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, jetstream.ErrServerShutdown,
		jetstream.ErrConsumerLeadershipChanged,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code >= 500 && api.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabledForAccount
}

// gone reports whether an error says that the queue itself is not there.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) ||
		errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerDoesNotExist) || errors.Is(err, jetstream.ErrBucketNotFound)
}

// overtaken reports whether a message was refused because its subject has moved on.
func overtaken(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
