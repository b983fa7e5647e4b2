// Package natsd runs a NATS server with JetStream inside the program, for trying a
// queue on one machine. Several machines that are to outlive each other want real
// servers instead.
package natsd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startLimit is how long a server may take until it answers; a large store is read first.
const startLimit = time.Minute

// What callers act on.
var (
	// ErrConfig is a setting that cannot work.
	ErrConfig = errors.New("wrong setting of the server")
	// ErrBusy is an address that another program listens on.
	ErrBusy = errors.New("the address is in use")
	// ErrInUse is a store that another server has open.
	ErrInUse = errors.New("the store is in use")
)

// Config says where a server listens and keeps its store. Dir is needed.
type Config struct {
	// Listen is HOST:PORT; empty is 127.0.0.1:4222, port 0 is any free one. Other
	// machines can reach it, and everybody on the network with them, if HOST is not
	// this machine's own.
	Listen string
	// Dir is the folder of the store; it is made if it is not there.
	Dir string
	// Token is what clients must show, in the address as nats://TOKEN@HOST; empty asks
	// for none.
	Token string
	// Logger hears of the server's warnings and errors; nil is silent.
	Logger *slog.Logger
}

// Server is a running server. Its methods may be called from several goroutines.
type Server struct {
	inner *server.Server
	lock  *os.File
	url   string
	once  sync.Once
}

// Start starts a server and waits until it answers. Errors: ErrConfig, ErrBusy, ErrInUse,
// or the cause of ctx's end. The caller closes the server.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	options, err := cfg.options()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: the store: %w", ErrConfig, err)
	}
	lock, err := lockFile(filepath.Join(cfg.Dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("the store %s: %w", cfg.Dir, err)
	}
	s, err := start(ctx, options, cfg)
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	s.lock = lock
	return s, nil
}

func (c Config) options() (*server.Options, error) {
	if c.Dir == "" {
		return nil, fmt.Errorf("%w: it has no folder for its store", ErrConfig)
	}
	listen := c.Listen
	if listen == "" {
		listen = "127.0.0.1:4222"
	}
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("%w: the address %q; write it as HOST:PORT", ErrConfig, listen)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%w: the port %q; use 0 to 65535", ErrConfig, text)
	}
	number := int(port)
	if number == 0 {
		number = server.RANDOM_PORT
	}
	return &server.Options{
		ServerName: "fara", Host: host, Port: number, Authorization: c.Token,
		JetStream: true, StoreDir: c.Dir, SyncAlways: true,
		NoLog: true, NoSigs: true, MaxPayload: 8 << 20,
	}, nil
}

// start starts the server itself. The address is tried first, since the server would
// take a busy one for a reason to end the whole program.
func start(ctx context.Context, options *server.Options, cfg Config) (*Server, error) {
	if options.Port > 0 {
		address := net.JoinHostPort(options.Host, strconv.Itoa(options.Port))
		l, err := net.Listen("tcp", address)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w; choose another, or join the server that is there", ErrBusy, address, err)
		}
		_ = l.Close()
	}
	inner, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	log := newLog(cfg.Logger)
	inner.SetLoggerV2(log, false, false, false)
	go inner.Start()
	s := &Server{inner: inner}
	if err := s.ready(ctx, log); err != nil {
		s.Close()
		return nil, err
	}
	s.url = inner.ClientURL()
	return s, nil
}

// ready waits until the server answers, or says what ended it.
func (s *Server) ready(ctx context.Context, log *log) error {
	limit := time.Now().Add(startLimit)
	for time.Now().Before(limit) {
		if s.inner.ReadyForConnections(50*time.Millisecond) && s.inner.JetStreamEnabled() {
			return nil
		}
		select {
		case why := <-log.fatal:
			return fmt.Errorf("%w: %s", ErrConfig, why)
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
	}
	return fmt.Errorf("the server did not answer within %v; see whether the disk of its store works", startLimit)
}

// URL is the address for clients on this machine, with the token's place left out.
func (s *Server) URL() string { return s.url }

// Close ends the server and waits until it is down. It may be called several times.
func (s *Server) Close() {
	s.once.Do(func() {
		s.inner.Shutdown()
		s.inner.WaitForShutdown()
		if s.lock != nil {
			_ = s.lock.Close()
		}
	})
}
