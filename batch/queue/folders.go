package queue

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	chunk   = 128 << 10       // bytes a message of a folder's stream
	stalled = 2 * time.Minute // without a byte a transfer is begun again
)

// upload stores a folder under a name, in place of an earlier try.
func (l *line) upload(ctx context.Context, name, folder string) error {
	return l.explain(l.transfer(ctx, func(ctx context.Context, moved func()) error {
		r, w := io.Pipe()
		packed := make(chan error, 1)
		go func() {
			out := bufio.NewWriterSize(w, chunk) // the store makes a message of each write
			err := pack(out, folder, l.cfg.MaxFolder)
			if err == nil {
				err = out.Flush()
			}
			w.CloseWithError(err)
			packed <- err
		}()
		_, err := l.folders.Put(ctx, jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: chunk}}, &watched{r, moved})
		r.CloseWithError(errStopped)
		if why := <-packed; why != nil && !errors.Is(why, errStopped) {
			return why
		}
		return err
	}))
}

var errStopped = errors.New("the transfer has ended")

// deleteFolder deletes a stored folder; one that is not there, or no name, is fine.
func (l *line) deleteFolder(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	err := l.try(ctx, func(ctx context.Context) error {
		err := l.folders.Delete(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return nil
		}
		return err
	})
	return l.explain(err)
}

// transfer is try for an upload: a try ends with the connection, or when nothing has
// moved for a while.
func (l *line) transfer(ctx context.Context, op func(ctx context.Context, moved func()) error) error {
	return l.repeat(ctx, func() error {
		// With a deadline, however late, the store sets none of seconds for each part,
		// which a slow line cannot keep.
		limited, cancel := context.WithTimeout(ctx, 24*time.Hour)
		defer cancel()
		defer l.awaiting(cancel)()
		timer := time.AfterFunc(stalled, cancel)
		defer timer.Stop()
		err := op(limited, func() { timer.Reset(stalled) })
		if err != nil && limited.Err() != nil && ctx.Err() == nil && !errors.Is(err, ErrFolder) {
			return fmt.Errorf("a folder's upload was cut off: %w", nats.ErrTimeout)
		}
		return err
	})
}

// watched tells of every read.
type watched struct {
	io.Reader
	moved func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.moved()
	return n, err
}
