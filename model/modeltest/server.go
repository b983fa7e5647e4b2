package modeltest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"fara/model"
)

// DefaultModel is the name a Server's model has unless Config gives another.
const DefaultModel = "fara-1.5-test"

// API is a way to ask a model over HTTP.
type API string

// The APIs a Server speaks.
const (
	Ollama API = "ollama" // Ollama's own, under /api
	OpenAI API = "openai" // the OpenAI-compatible one as vLLM has it, under /v1
)

// Config says what kind of server to be. The zero value is one that speaks both
// APIs, with one model that completes and sees.
type Config struct {
	// Model is the only model the server has; empty means DefaultModel.
	Model string
	// Capabilities are what /api/show lists; nil means completion and vision. Tools
	// are refused without "tools", in each server's words.
	// Without "vision" pictures are replaced by a marker in the text, silently,
	// as Ollama does.
	Capabilities []string
	// Context is how many tokens the model can take; 0 means 32768. /v1 refuses
	// prompts above it. The native API's limit is the request's num_ctx, 4096
	// when it has none, and never more than Context.
	Context int
	// Law is what pictures cost, for the context and for what replies report; nil
	// means Grid(32).
	Law Law
	// Load is how long the native API loads the model for: before the first request,
	// and again before one with another num_ctx. Whoever goes away meanwhile ends the
	// load, as with Ollama. 0 loads at once.
	Load time.Duration
	// Only leaves out the other API; empty means both.
	Only API
	// Key is the bearer token /v1 asks for; empty means none.
	Key string
}

// Server is a model behind a real HTTP server on 127.0.0.1. It is as strict as
// the servers it stands for: the native API takes bare base64 and pictures only,
// /v1 takes data URLs only, and a model it does not have is a 404.
type Server struct {
	config Config
	brain  model.Chatter
	faults []Fault

	http   *http.Server
	url    string
	cancel context.CancelCauseFunc
	served chan struct{}

	mu       sync.Mutex
	closed   bool
	busy     sync.WaitGroup
	requests []Request
	numCtx   int // what the native API loaded the model with; 0 before that
	loads    int
	loading  sync.Mutex // held by the request that loads
}

// errClosed is the cause brains see when the server goes away under them.
var errClosed = errors.New("the model server was closed")

// Serve starts a Server with the zero Config in front of a brain. Faults apply
// to chat requests only, the first one outermost. The caller closes the server.
func Serve(brain model.Chatter, faults ...Fault) (*Server, error) {
	return Config{}.Serve(brain, faults...)
}

// Serve starts a Server of this kind; see the function Serve.
func (c Config) Serve(brain model.Chatter, faults ...Fault) (*Server, error) {
	if c.Model == "" {
		c.Model = DefaultModel
	}
	if c.Capabilities == nil {
		c.Capabilities = []string{"completion", "vision"}
	}
	if c.Context == 0 {
		c.Context = 32768
	}
	if c.Law == nil {
		c.Law = Grid(imageGrid)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the test model server: %w", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &Server{
		config: c, brain: brain, faults: faults,
		url: "http://" + listener.Addr().String(), cancel: cancel, served: make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:     s.routes(),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // always http.ErrServerClosed, after Close
	}()
	return s, nil
}

// URL is the server's root, such as "http://127.0.0.1:41234", without a path.
func (s *Server) URL() string { return s.url }

// Model is the name of the server's model.
func (s *Server) Model() string { return s.config.Model }

// Close cuts every connection, cancels the brain's calls and returns when they
// have ended. Closing twice is allowed.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel(errClosed)
	_ = s.http.Close() // nothing to lose: the requests in flight are given up
	<-s.served
	s.busy.Wait()
}

// Requests gives every chat request so far, oldest first, refused ones too. The
// bytes in them are shared: read only.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Loads is how often the native API began to load the model.
func (s *Server) Loads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	if s.config.Only != OpenAI {
		s.routeOllama(mux)
	}
	if s.config.Only != Ollama {
		s.routeOpenAI(mux)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			panic(http.ErrAbortHandler)
		}
		defer s.busy.Done()
		mux.ServeHTTP(w, r)
	})
}

// enter counts a request as running, unless the server is already closing.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.busy.Add(1)
	return true
}

// has reports whether a request means the server's model; as in Ollama a name
// without a tag is the one with ":latest".
func (s *Server) has(name string) bool {
	return strings.TrimSuffix(name, ":latest") == strings.TrimSuffix(s.config.Model, ":latest")
}

func (s *Server) can(capability string) bool {
	return slices.Contains(s.config.Capabilities, capability)
}
