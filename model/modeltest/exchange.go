package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"fara/model"
)

// maxBody is more than any request with a handful of screenshots needs.
const maxBody = 256 << 20

// Request is one chat request as a Server got it.
type Request struct {
	// Request is what the brain is asked: the words every client shares.
	model.Request
	API    API
	Model  string
	Stream bool
	// Body and Header are the request as it came.
	Body   []byte
	Header http.Header
	// Options is the native API's "options" object; nil when it was not given.
	Options map[string]any
	// Truncate and Shift are the native API's fields; nil when not given.
	Truncate *bool
	Shift    *bool
	// KeepAlive and Think are the native API's fields as JSON; nil when not given.
	KeepAlive json.RawMessage
	Think     json.RawMessage
	// IncludeUsage is /v1's stream_options.include_usage.
	IncludeUsage bool
}

// refusal is an error answer before an API gives it its shape.
type refusal struct {
	status  int
	message string
}

// protocol is what the two APIs differ in.
type protocol interface {
	// decode reads a body. With a refusal the request holds what was understood.
	decode(body []byte) (Request, *refusal)
	// unknown is the refusal of a model that is not there.
	unknown(name string) *refusal
	// admit checks a well-formed request against the model, and gives what of it
	// the brain gets to see.
	admit(ctx context.Context, s *Server, req Request) (model.Request, *refusal)
	// explain turns the brain's error into what the real server says.
	explain(err error) *refusal
	refuse(w http.ResponseWriter, no *refusal)
	reply(w http.ResponseWriter, req Request, reply model.Reply, took time.Duration)
}

// chat is the handler of an API's chat endpoint.
func (s *Server) chat(api protocol) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			api.refuse(w, badRequest("%v", err))
			return
		}
		req, no := api.decode(body)
		req.Body, req.Header = body, r.Header.Clone()
		s.record(req)
		var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.answer(r.Context(), w, api, req, no)
		})
		for _, fault := range slices.Backward(s.faults) {
			handler = fault(handler)
		}
		handler.ServeHTTP(w, r)
	}
}

func (s *Server) record(req Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
}

func (s *Server) answer(ctx context.Context, w http.ResponseWriter, api protocol, req Request, no *refusal) {
	if req.Model != "" && !s.has(req.Model) {
		api.refuse(w, api.unknown(req.Model))
		return
	}
	if no != nil {
		api.refuse(w, no)
		return
	}
	asked, no := api.admit(ctx, s, req)
	if no != nil {
		api.refuse(w, no)
		return
	}
	start := time.Now()
	if len(asked.Messages) == 0 { // Ollama's way to load a model; /v1 has refused it
		api.reply(w, req, model.Reply{Finish: "load"}, 0)
		return
	}
	reply, err := s.brain.Chat(ctx, asked, nil)
	if ctx.Err() != nil {
		panic(http.ErrAbortHandler) // nobody is listening any more
	}
	if err != nil {
		api.refuse(w, api.explain(err))
		return
	}
	api.reply(w, req, bound(s.complete(reply, asked), asked), time.Since(start))
}

// complete counts what the brain left out, by the server's own law when it has
// one of its own.
func (s *Server) complete(reply model.Reply, asked model.Request) model.Reply {
	full := complete(reply, asked)
	if full.Usage.PromptTokens == CountPrompt(asked) {
		full.Usage.PromptTokens = s.config.Law.Prompt(asked)
	}
	return full
}

// explainError finds the status and message of a brain's error; other errors
// than a model.Error are the server's own failure.
func explainError(err error) *refusal {
	var known *model.Error
	if !errors.As(err, &known) {
		return &refusal{http.StatusInternalServerError, err.Error()}
	}
	no := &refusal{known.Status, known.Message}
	if no.message == "" {
		no.message = known.Error()
	}
	if no.status == 0 {
		no.status = statusOf(known.Kind)
	}
	return no
}

func statusOf(kind error) int {
	switch kind {
	case model.ErrNotFound:
		return http.StatusNotFound
	case model.ErrUnauthorized:
		return http.StatusUnauthorized
	case model.ErrContext, model.ErrTooManyImages, model.ErrBadRequest, model.ErrSchema, model.ErrTools:
		return http.StatusBadRequest
	case model.ErrBusy:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// bound ends a reply where the request said: before a stop text, at a number of
// tokens.
func bound(reply model.Reply, req model.Request) model.Reply {
	text := reply.Text
	for _, stop := range req.Stop {
		if at := strings.Index(text, stop); stop != "" && at >= 0 {
			text = text[:at]
		}
	}
	limit := req.MaxTokens * charsPerToken
	if runes := []rune(text); req.MaxTokens > 0 && len(runes) > limit {
		text, reply.Finish = string(runes[:limit]), model.FinishLength
	}
	if text != reply.Text {
		reply.Text = text
		reply.Usage.CompletionTokens = max(1, CountText(reply.Thinking+text))
	}
	return reply
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(data) // a client that went away is no concern of the server's
}

func writeChunk(w http.ResponseWriter, chunk string) {
	_, _ = io.WriteString(w, chunk)
	_ = http.NewResponseController(w).Flush()
}
