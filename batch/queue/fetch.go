package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// settle is how long what must be there may be missing: in a cluster one server may
// answer that has not heard of it yet.
const settle = 5 * time.Second

// Fetch unpacks the result's folder as dir, which must not exist and whose parent must.
// Unless it returns nil there is no new dir. A folder that is damaged, not there, or not
// such as may be unpacked is ErrFolder; lost connections are waited for until ctx ends.
func (r Result) Fetch(ctx context.Context, dir string) error {
	if r.folder == "" {
		return fmt.Errorf("%w: no folder came with the result of %s", ErrFolder, r.Key)
	}
	in, err := r.line.reader(ctx, r.folder)
	if err == nil {
		err = unpack(in, dir, r.line.cfg.MaxFolder)
	}
	if err != nil {
		return fmt.Errorf("the folder of %s: %w", r.Key, r.line.explain(err))
	}
	return nil
}

// reader begins to read a stored folder.
func (l *line) reader(ctx context.Context, name string) (io.Reader, error) {
	var object *jetstream.ObjectInfo
	err := l.surely(ctx, func(ctx context.Context) (err error) {
		object, err = l.folders.GetInfo(ctx, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	want, err := jetstream.DecodeObjectDigest(object.Digest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFolder, err)
	}
	bucket, err := l.bucket(ctx)
	if err != nil {
		return nil, err
	}
	next := func(after uint64) (msg *jetstream.RawStreamMsg, err error) {
		err = l.surely(ctx, func(ctx context.Context) (err error) {
			msg, err = bucket.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(l.partsOf(object.NUID)))
			return err
		})
		return msg, err
	}
	return &parts{next: next, left: object.Chunks, want: want, sum: sha256.New()}, nil
}

func (l *line) bucket(ctx context.Context) (s jetstream.Stream, err error) {
	err = l.try(ctx, func(ctx context.Context) (err error) {
		s, err = l.js.Stream(ctx, "OBJ_"+l.names.folders())
		return err
	})
	return s, err
}

// surely is try for what must be there; if it is not, even after a while, that is
// ErrFolder.
func (l *line) surely(ctx context.Context, op func(context.Context) error) error {
	for began := time.Now(); ; {
		err := l.try(ctx, op)
		if !errors.Is(err, jetstream.ErrObjectNotFound) && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return err
		}
		if time.Since(began) > settle || !nap(ctx, pause) {
			return fmt.Errorf("%w: it is not in the queue: %w", ErrFolder, err)
		}
	}
}

// parts reads a stored folder, one message at a time: so each can be asked for again
// when the connection was lost, and nothing comes before it is wanted.
type parts struct {
	next func(after uint64) (*jetstream.RawStreamMsg, error)
	seq  uint64 // of the newest part
	left uint32 // parts that are still to come
	data []byte // what was not read yet of the newest
	sum  hash.Hash
	want []byte
}

func (p *parts) Read(to []byte) (int, error) {
	for len(p.data) == 0 {
		if p.left == 0 {
			return 0, p.end()
		}
		msg, err := p.next(p.seq)
		if err != nil {
			return 0, err
		}
		p.left--
		p.seq, p.data = msg.Sequence, msg.Data
		p.sum.Write(p.data)
	}
	n := copy(to, p.data)
	p.data = p.data[n:]
	return n, nil
}

func (p *parts) end() error {
	if !bytes.Equal(p.sum.Sum(nil), p.want) {
		return fmt.Errorf("%w: its checksum is wrong", ErrFolder)
	}
	return io.EOF
}
