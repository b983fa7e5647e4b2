package retry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"fara/model"
	"fara/model/modeltest"
	"fara/model/ollama"
	"fara/model/openai"
	"fara/model/retry"
)

// TestMain sets a proxy that nothing listens on: loopback is never asked for
// through one.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy"} {
		if err := os.Setenv(name, "http://127.0.0.1:9"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// quick keeps the pauses out of the way.
var quick = retry.Config{First: time.Millisecond, Longest: 2 * time.Millisecond}

// patient is how long clients wait in these tests.
type patient struct{ first, later time.Duration }

// clients asks a server by both APIs.
func clients(t *testing.T, server *modeltest.Server, p patient) map[string]model.Chatter {
	t.Helper()
	native, err := ollama.New(ollama.Config{Endpoint: server.URL(), Model: server.Model(), NumCtx: 8192, FirstTimeout: p.first, Timeout: p.later})
	if err != nil {
		t.Fatal(err)
	}
	compatible, err := openai.New(openai.Config{Endpoint: server.URL(), Model: server.Model(), FirstTimeout: p.first, Timeout: p.later})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]model.Chatter{"ollama": native, "openai": compatible}
}

func serve(t *testing.T, cfg modeltest.Config, brain model.Chatter, faults ...modeltest.Fault) *modeltest.Server {
	t.Helper()
	server, err := cfg.Serve(brain, faults...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

func hello() model.Chatter { return modeltest.NewEndlessScript(modeltest.Text("hello there")) }

const page = "<html><h1>502 Bad Gateway</h1></html>"

func TestMoodsPass(t *testing.T) {
	for name, fault := range map[string]modeltest.Fault{
		"500":                             modeltest.Status(500, `{"error":"unexpected server status"}`),
		"500 without words":               modeltest.Status(500, ``),
		"500 as text":                     modeltest.Body(500, "text/plain", "Internal Server Error"),
		"502 as a web page":               modeltest.Body(502, "text/html", page),
		"503, a queue":                    modeltest.Busy(0),
		"503, loading":                    modeltest.Status(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`),
		"504":                             modeltest.Body(504, "text/html", "<h1>Gateway Timeout</h1>"),
		"429":                             modeltest.Status(429, `{"error":{"message":"slow down"}}`),
		"200 as text":                     modeltest.Body(200, "text/plain", "upstream connect error"),
		"200 without a body":              modeltest.Body(200, "application/json", ""),
		"200 with an error":               modeltest.Body(200, "application/json", `{"error":"engine is gone"}`),
		"a stream that is empty":          modeltest.End(0),
		"a stream without its end":        modeltest.End(2),
		"an error in the stream":          modeltest.FailAfter(2, "the engine died"),
		"a connection cut in the stream":  modeltest.Cut(2),
		"a connection cut before a reply": modeltest.Cut(0),
	} {
		t.Run(name, func(t *testing.T) {
			// The first request and the last two of four are fine.
			server := serve(t, modeltest.Config{}, hello(), modeltest.On(fault, 2, 6))
			for api, client := range clients(t, server, patient{}) {
				chat := retry.Wrap(client, quick)
				for _, retries := range []int{0, 1} {
					reply, err := chat.Chat(t.Context(), request, nil)
					if err != nil || reply.Text != "hello there" || reply.Usage.Retries != retries {
						t.Errorf("%s: got %q after %d retries and error %v, want the reply after %d", api, reply.Text, reply.Usage.Retries, err, retries)
					}
				}
				if _, err := client.Chat(t.Context(), request, nil); err != nil { // the fourth, so that both see the same
					t.Errorf("%s: %v", api, err)
				}
			}
		})
	}
}

// A web page is another kind of server at first, and a proxy's word later.
func TestWebPageIsAMoodOfAServerThatAnswered(t *testing.T) {
	fault := modeltest.Body(200, "text/html; charset=utf-8", page)
	for _, api := range []string{"ollama", "openai"} {
		strange := clients(t, serve(t, modeltest.Config{}, hello(), fault), patient{})[api]
		if _, err := retry.Wrap(strange, quick).Chat(t.Context(), request, nil); !errors.Is(err, model.ErrNotFound) {
			t.Errorf("%s, from the start: got %v, want ErrNotFound", api, err)
		}
		known := clients(t, serve(t, modeltest.Config{}, hello(), modeltest.On(fault, 2)), patient{})[api]
		for range 2 {
			if _, err := retry.Wrap(known, quick).Chat(t.Context(), request, nil); err != nil {
				t.Errorf("%s, after a reply: got %v, want it repeated", api, err)
			}
		}
	}
}

func TestFortyPercentOfFailuresPass(t *testing.T) {
	for _, api := range []string{"ollama", "openai"} {
		for seed := range uint64(5) {
			server := serve(t, modeltest.Config{}, hello(), modeltest.Chaos(seed+1, 0.4,
				modeltest.Status(500, `{"error":"an unknown error was encountered while running the model"}`)))
			chat := retry.Wrap(clients(t, server, patient{})[api], quick)
			var usage model.Usage
			for range 100 {
				reply, err := chat.Chat(t.Context(), withPicture(t), nil)
				if err != nil {
					t.Fatalf("%s, seed %d: %v", api, seed+1, err)
				}
				usage = usage.Add(reply.Usage)
			}
			if failed := len(server.Requests()) - 100; usage.Retries != failed || failed < 30 {
				t.Errorf("%s, seed %d: the usage counts %d failures, the server %d", api, seed+1, usage.Retries, failed)
			}
		}
	}
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	server := serve(t, modeltest.Config{}, hello(), modeltest.On(modeltest.Busy(time.Second), 1))
	client := clients(t, server, patient{})["ollama"]
	began := time.Now()
	reply, err := retry.Wrap(client, retry.Config{First: time.Millisecond}).Chat(t.Context(), request, nil)
	if took := time.Since(began); err != nil || reply.Usage.Retries != 1 || took < time.Second {
		t.Errorf("got %+v and error %v after %v, want a retry after a second", reply.Usage, err, took)
	}
}

func TestThinkingThatEatsTheReplyIsTold(t *testing.T) {
	brain := modeltest.NewEndlessScript(modeltest.Say(model.Reply{Thinking: "on and on", Finish: model.FinishLength}))
	for api, client := range clients(t, serve(t, modeltest.Config{}, brain), patient{}) {
		reply, err := client.Chat(t.Context(), request, nil)
		if err != nil || reply.Text != "" || reply.Thinking != "on and on" || reply.Finish != model.FinishLength {
			t.Errorf("%s: got %+v and error %v, want thinking alone, ended by length", api, reply, err)
		}
	}
}

func TestEmptyReplyIsAReply(t *testing.T) {
	for api, client := range clients(t, serve(t, modeltest.Config{}, modeltest.NewEndlessScript(modeltest.Text(""))), patient{}) {
		reply, err := client.Chat(t.Context(), request, nil)
		if err != nil || reply.Text != "" || reply.Finish != model.FinishStop {
			t.Errorf("%s: got %+v and error %v, want an empty reply that ended", api, reply, err)
		}
	}
}

func TestSlowLoadHasItsOwnLimit(t *testing.T) {
	server := serve(t, modeltest.Config{Load: 300 * time.Millisecond}, hello())
	chat := retry.Wrap(clients(t, server, patient{first: time.Minute, later: 100 * time.Millisecond})["ollama"], quick)
	for range 3 {
		if _, err := chat.Chat(t.Context(), request, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := server.Loads(); got != 1 || len(server.Requests()) != 3 {
		t.Errorf("got %d loads in %d requests, want one in three", got, len(server.Requests()))
	}
}

func TestLoadThatIsGivenUpIsNotRepeated(t *testing.T) {
	server := serve(t, modeltest.Config{Load: time.Hour}, hello())
	chat := retry.Wrap(clients(t, server, patient{first: 100 * time.Millisecond, later: time.Millisecond})["ollama"], quick)
	_, err := chat.Chat(t.Context(), request, nil)
	if !errors.Is(err, model.ErrUnreachable) || model.Temporary(err) || len(server.Requests()) != 1 || server.Loads() != 1 {
		t.Errorf("got %v after %d requests and %d loads, want one of each", err, len(server.Requests()), server.Loads())
	}
}

// A model that left the server in the course of a run is loaded anew: the next try
// has the time for it, so that short limits do not end one load after the other.
func TestModelThatLeftTheServerIsLoadedOnce(t *testing.T) {
	server := serve(t, modeltest.Config{Load: 300 * time.Millisecond}, hello())
	all := clients(t, server, patient{first: time.Minute, later: 100 * time.Millisecond})
	chat := retry.Wrap(all["ollama"], quick)
	if _, err := chat.Chat(t.Context(), request, nil); err != nil {
		t.Fatal(err)
	}
	other, err := ollama.New(ollama.Config{Endpoint: server.URL(), Model: server.Model(), NumCtx: 2048})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Chat(t.Context(), request, nil); err != nil {
		t.Fatal(err)
	}
	reply, err := chat.Chat(t.Context(), request, nil)
	if err != nil || reply.Usage.Retries != 1 {
		t.Errorf("got %+v and error %v, want the reply after one retry", reply.Usage, err)
	}
	if got := server.Loads(); got > 4 {
		t.Errorf("got %d loads, want one for each model, and two since the first try was short", got)
	}
}

func TestEveryRequestOfARunLoadsTheSame(t *testing.T) {
	server := serve(t, modeltest.Config{Capabilities: []string{"completion", "vision", "tools"}}, hello(),
		modeltest.On(modeltest.Status(500, `{"error":"boom"}`), 2, 5))
	chat := retry.Wrap(clients(t, server, patient{})["ollama"], quick)
	seed := 7
	for _, change := range []func(*model.Request){
		func(*model.Request) {},
		func(r *model.Request) { r.Temperature, r.Seed = 1, &seed },
		func(r *model.Request) { r.MaxTokens, r.Stop = 64, []string{"</tool_call>"} },
		func(r *model.Request) { r.Schema = json.RawMessage(`{"type":"object"}`) },
		func(r *model.Request) { r.Tools = json.RawMessage(`[{"type":"function","function":{"name":"click"}}]`) },
	} {
		req := withPicture(t)
		change(&req)
		if _, err := chat.Chat(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
	}
	loads := map[string]int{}
	for _, r := range server.Requests() {
		loads[fmt.Sprint(r.Options["num_ctx"], " ", string(r.KeepAlive))]++
	}
	if len(loads) != 1 || server.Loads() != 1 {
		t.Errorf("got %v and %d loads, want one context and time for every request, and one load", loads, server.Loads())
	}
}

func TestCancelLeavesALoadAtOnce(t *testing.T) {
	server := serve(t, modeltest.Config{Load: time.Hour}, hello())
	chat := retry.Wrap(clients(t, server, patient{})["ollama"], quick)
	gone := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(gone) })
	began := time.Now()
	if _, err := chat.Chat(ctx, request, nil); !errors.Is(err, gone) || time.Since(began) > 5*time.Second {
		t.Errorf("got %v after %v, want the cause at once", err, time.Since(began))
	}
	if got := len(server.Requests()); got > 1 {
		t.Errorf("got %d requests, want one at most", got)
	}
}
