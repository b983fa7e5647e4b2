package openai_test

import (
	"errors"
	"image/color"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fara/model"
	"fara/model/ollama/ollamatest"
	"fara/model/openai"
)

func TestFailuresAreOfTheRightKind(t *testing.T) {
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		kind    error
		says    string // part of the message
	}{
		"context of vLLM":             {refuses(400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"), model.ErrContext, "longer context"},
		"context of vLLM with images": {refuses(400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192."), model.ErrContext, ""},
		"context of old vLLM":         {says(400, "application/json", `{"object":"error","message":"This model's maximum context length is 8192 tokens.","code":400}`), model.ErrContext, "8192"},
		"context of llama.cpp":        {refuses(400, "the request exceeds the available context size. try increasing the context size"), model.ErrContext, ""},
		"context of llama.cpp as 500": {refuses(500, "the request exceeds the available context size"), model.ErrContext, ""},
		"context of SGLang":           {refuses(400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."), model.ErrContext, ""},
		"context of LM Studio":        {says(400, "application/json", `{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens"}`), model.ErrContext, ""},
		"context in the stream":       {streams(role, `{"error":{"message":"the request exceeds the available context size","code":400}}`), model.ErrContext, ""},
		"no vision":                   {refuses(500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"), model.ErrBadRequest, "choose a model that sees"},
		"bad request":                 {says(422, "application/json", `{"detail":[{"loc":["body"],"msg":"field required"}]}`), model.ErrBadRequest, "field required"},
		"wrong key":                   {refuses(401, "invalid API key"), model.ErrUnauthorized, "set the API key"},
		"key without rights":          {says(403, "text/plain", "Forbidden"), model.ErrUnauthorized, "Forbidden"},
		"no model":                    {refuses(404, "The model `m` does not exist."), model.ErrNotFound, "available: a, m"},
		"no model as 400":             {refuses(400, "Model 'm' not found"), model.ErrNotFound, "available: a, m"},
		"rate limit":                  {refuses(429, "rate limit reached"), model.ErrBusy, ""},
		"starting":                    {refuses(503, "Loading model"), model.ErrBusy, "Loading model"},
		"crash":                       {refuses(500, "CUDA out of memory"), model.ErrServer, "CUDA"},
		"proxy's web page":            {says(502, "text/html", "<html><head><title>502</title></head><h1>Bad Gateway</h1></html>"), model.ErrServer, "502 Bad Gateway"},
		"another kind of server":      {says(200, "text/html; charset=utf-8", "<html>hello</html>"), model.ErrNotFound, "check the endpoint"},
		"error in the stream":         {streams(role, hello, `{"error":{"message":"engine died"}}`), model.ErrServer, "engine died"},
		"end without a reason":        {streams(role, hello, done), model.ErrIncomplete, ""},
		"nothing at all":              {streams(), model.ErrIncomplete, ""},
		"connection cut":              {cuts(hello), model.ErrIncomplete, ""},
		"event cut":                   {says(200, "text/event-stream", `data: {"model":"m","choi`), model.ErrIncomplete, ""},
		"event that is no JSON":       {streams("oops"), model.ErrIncomplete, ""},
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := newFake(t, tt.handler).connect(t, openai.Config{}).Chat(t.Context(), ollamatest.Ask("hello", ollamatest.Picture(t, 64, 64, color.White)), nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != tt.kind {
				t.Fatalf("got reply %+v and error %v, want kind %v", reply, err, tt.kind)
			}
			if !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("got error %q, want it to say %q and not the key", err, tt.says)
			}
		})
	}
}

// cuts streams an event and breaks the connection.
func cuts(event string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		streams(event)(w, r)
		panic(http.ErrAbortHandler)
	}
}

func TestImageLimitIsReadFromTheRefusal(t *testing.T) {
	for message, want := range map[string]int{
		"At most 1 image(s) may be provided in one request.":                                                           1,
		"At most 2 image(s) may be provided in one prompt.":                                                            2,
		"You set image=3 (or defaulted to 1) in `--limit-mm-per-prompt`, but passed 4 image items in the same prompt.": 3,
	} {
		_, err := newFake(t, refuses(400, message)).connect(t, openai.Config{}).Chat(t.Context(), ollamatest.Ask("hello", ollamatest.Picture(t, 64, 64, color.White)), nil)
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.ErrTooManyImages || e.MaxImages != want {
			t.Errorf("%q: got error %#v, want ErrTooManyImages with limit %d", message, err, want)
		}
	}
}

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	for value, atLeast := range map[string]time.Duration{
		"7": 7 * time.Second,
		time.Now().Add(time.Minute).UTC().Format(http.TimeFormat): 50 * time.Second,
	} {
		client := newFake(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", value)
			refuses(429, "slow down")(w, r)
		}).connect(t, openai.Config{})
		_, err := client.Chat(t.Context(), ollamatest.Ask("hello"), nil)
		var e *model.Error
		if !errors.As(err, &e) || e.RetryAfter < atLeast || e.RetryAfter > atLeast+10*time.Second {
			t.Errorf("Retry-After %q: got error %#v, want about %v", value, err, atLeast)
		}
	}
}

func TestFailuresAreNotRepeatedHere(t *testing.T) {
	server := newFake(t, refuses(500, "crash"))
	if _, err := server.connect(t, openai.Config{}).Chat(t.Context(), ollamatest.Ask("hello"), nil); err == nil {
		t.Fatal("got no error, want one")
	}
	if got := len(server.chats); got != 1 {
		t.Errorf("got %d requests, want 1", got)
	}
}

func TestRefusedConnectionSaysWhatToDo(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	client := connect(t, openai.Config{Endpoint: listener.Addr().String(), Model: "m"})
	_, err = client.Chat(t.Context(), ollamatest.Ask("hello"), nil)
	if !errors.Is(err, model.ErrUnreachable) || !strings.Contains(err.Error(), "start the model server") {
		t.Errorf("got error %v, want ErrUnreachable and what to do", err)
	}
}

func TestOnlyTheFirstCallMayWaitForLoading(t *testing.T) {
	slow := hangs(400*time.Millisecond, streams(hello, stop, done))
	client := newFake(t, slow).connect(t, openai.Config{FirstTimeout: time.Minute, Timeout: 50 * time.Millisecond})
	if _, err := client.Chat(t.Context(), ollamatest.Ask("hello"), nil); err != nil {
		t.Fatalf("first call: %v", err)
	}
	_, err := client.Chat(t.Context(), ollamatest.Ask("hello"), nil)
	if !errors.Is(err, model.ErrUnreachable) || !strings.Contains(err.Error(), "50ms") {
		t.Errorf("second call: got error %v, want ErrUnreachable after 50ms", err)
	}
}

func TestWrongPathListsNothingButTheEndpoint(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, err := connect(t, openai.Config{Endpoint: server.URL, Model: "m"}).Chat(t.Context(), ollamatest.Ask("hello"), nil)
	if !errors.Is(err, model.ErrNotFound) || !strings.Contains(err.Error(), server.URL+"/v1; check the endpoint") {
		t.Errorf("got error %v, want ErrNotFound that names the endpoint", err)
	}
}
