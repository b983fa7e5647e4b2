package ollama_test

import (
	"errors"
	"image/color"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"fara/model"
	"fara/model/ollama"
	"fara/model/ollama/ollamatest"
)

func TestFailuresAreOfTheRightKind(t *testing.T) {
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		kind    error
		hint    string // part of the message
	}{
		"context in newer words":   {says(400, "application/json", `{"error":"prompt too long; exceeded max context length by 4 tokens"}`), model.ErrContext, "num_ctx (now 4096)"},
		"context of the runner":    {says(400, "application/json", `{"error":{"code":400,"message":"the request exceeds the available context size"}}`), model.ErrContext, ""},
		"wrong key":                {says(401, "application/json", `{"error":"unauthorized"}`), model.ErrUnauthorized, "API key"},
		"host name not allowed":    {says(403, "", ""), model.ErrUnauthorized, "localhost"},
		"no model":                 {says(404, "application/json", `{"error":"model 'm' not found"}`), model.ErrNotFound, "available: a, b (ollama pull m gets it)"},
		"queue full":               {says(503, "application/json", `{"error":"server busy, please try again."}`), model.ErrBusy, "server busy"},
		"runner crashed":           {says(500, "application/json", `{"error":"model runner has unexpectedly stopped"}`), model.ErrServer, "unexpectedly stopped"},
		"crash without words":      {says(502, "text/html", "<html>\n<h1>Bad Gateway</h1>\n"), model.ErrServer, ": Bad Gateway"},
		"picture not readable":     {says(500, "application/json", `{"error":"Failed to create new sequence: failed to process inputs: image: unknown format"}`), model.ErrPicture, "unknown format"},
		"another kind of server":   {says(200, "text/html; charset=utf-8", "<html>hello</html>"), model.ErrNotFound, "check the endpoint"},
		"error in mid-stream":      {streams(hello, `{"error":"an error was encountered while running the model"}`+"\n"), model.ErrServer, "while running the model"},
		"end without done":         {streams(hello), model.ErrIncomplete, ""},
		"nothing at all":           {streams(), model.ErrIncomplete, ""},
		"line cut in the middle":   {streams(hello, `{"model":"m","messa`), model.ErrIncomplete, ""},
		"connection cut in stream": {cuts(hello), model.ErrIncomplete, ""},
	} {
		t.Run(name, func(t *testing.T) {
			client := newFake(t, tt.handler).connect(t, ollama.Config{APIKey: "s3cret"})
			reply, err := client.Chat(t.Context(), ollamatest.Ask("hello", ollamatest.Picture(t, 64, 64, color.White)), nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != tt.kind {
				t.Fatalf("got reply %+v and error %v, want kind %v", reply, err, tt.kind)
			}
			if !strings.Contains(err.Error(), tt.hint) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("got error %q, want it to say %q and not the key", err, tt.hint)
			}
		})
	}
}

// cuts streams a text and breaks the connection.
func cuts(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		streams(text)(w, r)
		panic(http.ErrAbortHandler)
	}
}

func TestBusyServerSaysWhenToComeBack(t *testing.T) {
	client := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		says(503, "application/json", `{"error":"server busy"}`)(w, r)
	}).connect(t, ollama.Config{})
	_, err := client.Chat(t.Context(), ollamatest.Ask("hello"), nil)
	var e *model.Error
	if !errors.As(err, &e) || e.RetryAfter != 7*time.Second {
		t.Errorf("got error %v, want one that asks for 7s", err)
	}
}

func TestRefusedConnectionSaysWhatToRun(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	client := connect(t, ollama.Config{Endpoint: listener.Addr().String(), Model: "m"})
	_, err = client.Chat(t.Context(), ollamatest.Ask("hello"), nil)
	if !errors.Is(err, model.ErrUnreachable) || !strings.Contains(err.Error(), "; run ollama serve") {
		t.Errorf("got error %v, want ErrUnreachable and what to run", err)
	}
}

func TestOnlyTheFirstCallMayWaitForLoading(t *testing.T) {
	slow := hangs(400*time.Millisecond, streams(hello, done))
	client := newFake(t, slow).connect(t, ollama.Config{FirstTimeout: time.Minute, Timeout: 50 * time.Millisecond})
	if _, err := client.Chat(t.Context(), ollamatest.Ask("hello"), nil); err != nil {
		t.Fatalf("first call: %v", err)
	}
	_, err := client.Chat(t.Context(), ollamatest.Ask("hello"), nil)
	if !errors.Is(err, model.ErrUnreachable) || !strings.Contains(err.Error(), "50ms") {
		t.Errorf("second call: got error %v, want ErrUnreachable after 50ms", err)
	}
}
