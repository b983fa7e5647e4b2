package chrome

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// pipe is the transport of a browser started with --remote-debugging-pipe:
// messages end with a zero byte. There is no port that others could use, and the
// browser quits when our end closes.
type pipe struct {
	out    *os.File
	in     *os.File
	reader *bufio.Reader
	turn   chan struct{} // holds one token; whoever has it may write
	closed sync.Once
}

func newPipe(in, out *os.File) *pipe {
	p := &pipe{in: in, out: out, reader: bufio.NewReaderSize(in, 1<<20), turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	return p
}

// send writes one message. A browser that has stopped reading holds it a second
// longer than ctx at most. A message cut off that way ends the connection,
// because what follows it could not be understood.
func (p *pipe) send(ctx context.Context, message []byte) error {
	select {
	case <-p.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { p.turn <- struct{}{} }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	stop := context.AfterFunc(ctx, func() { _ = p.out.SetWriteDeadline(time.Now().Add(time.Second)) })
	n, err := p.out.Write(append(message, 0))
	if !stop() {
		_ = p.out.SetWriteDeadline(time.Time{})
	}
	if n > 0 && err != nil {
		_ = p.close()
	}
	return err
}

// messageLimit is how long one message may be: a picture of a large page at scale
// 3 has tens of megabytes.
const messageLimit = 256 << 20

func (p *pipe) read() ([]byte, error) {
	var message []byte
	for {
		part, err := p.reader.ReadSlice(0)
		switch {
		case err == nil && message == nil:
			return bytes.Clone(part[:len(part)-1]), nil
		case err == nil:
			return append(message, part[:len(part)-1]...), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(message) > messageLimit:
			return nil, fmt.Errorf("a message of more than %d bytes", messageLimit)
		}
		message = append(message, part...)
	}
}

func (p *pipe) close() (err error) {
	p.closed.Do(func() { err = errors.Join(p.out.Close(), p.in.Close()) })
	return err
}
