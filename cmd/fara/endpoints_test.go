package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"fara/model"
	"fara/model/modeltest"
	"fara/model/pool"
	"fara/model/probe"
)

// deadAddress is one that nothing listens at.
func deadAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

func okay() model.Chatter { return modeltest.NewEndlessScript(modeltest.Text("ok")) }

func auto(address string) place { return place{address: address, api: "auto"} }

// connectTo gives also what was warned of, one line for each.
func connectTo(t *testing.T, places ...place) (*server, []string, error) {
	t.Helper()
	m := modelFlags{api: "auto", model: modeltest.DefaultModel, numCtx: 16384, servers: places}
	var log bytes.Buffer
	s, err := m.connect(t.Context(), slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	return s, strings.Split(strings.TrimSpace(log.String()), "\n"), err
}

// resolved gives where a run's arguments and environment lead.
func resolved(t *testing.T, env map[string]string, args ...string) []place {
	t.Helper()
	var m modelFlags
	set := pflag.NewFlagSet("run", pflag.ContinueOnError)
	m.register(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := fromEnvironment(set, func(name string) string { return env[name] }); err != nil {
		t.Fatal(err)
	}
	if err := m.resolve(set); err != nil {
		t.Fatal(err)
	}
	return m.servers
}

func TestEndpointsComeFromFlagsFilesAndTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := file("one with a space.json", `{"model": "m", "base_url": "a:1/v1", "api_key": "k1"}`)
	two := file("two.json", "\ufeff[{\"model\": \"m\", \"base_url\": \"b:1\", \"api\": \"ollama\"}, {\"model\": \"m\", \"base_url\": \"c:1\", \"api_key\": \"k3\", \"api\": \"openai\"}]")
	for name, tt := range map[string]struct {
		env  map[string]string
		args []string
		want []place
	}{
		"nothing":                {nil, nil, []place{{defaultEndpoint, "", "auto"}}},
		"a port":                 {nil, []string{"--endpoint", "8000"}, []place{{"8000", "", "auto"}}},
		"two flags":              {nil, []string{"--endpoint", "a:1", "--endpoint", "b:1", "--api-key", "k"}, []place{{"a:1", "k", "auto"}, {"b:1", "k", "auto"}}},
		"the environment":        {map[string]string{"FARA_ENDPOINT": " a:1  b:1 ", "FARA_API": "openai"}, nil, []place{{"a:1", "", "openai"}, {"b:1", "", "openai"}}},
		"a flag over it":         {map[string]string{"FARA_ENDPOINT": "a:1"}, []string{"--endpoint", "b:1"}, []place{{"b:1", "", "auto"}}},
		"a file":                 {nil, []string{"--endpoint-config", one}, []place{{"a:1/v1", "k1", "auto"}}},
		"files and a list":       {nil, []string{"--endpoint-config", one, "--endpoint-config", two}, []place{{"a:1/v1", "k1", "auto"}, {"b:1", "", "ollama"}, {"c:1", "k3", "openai"}}},
		"a flag over a file":     {nil, []string{"--endpoint-config", one, "--endpoint", "d:1"}, []place{{"d:1", "k1", "auto"}}},
		"a key over files":       {nil, []string{"--endpoint-config", two, "--api-key", "k"}, []place{{"b:1", "k", "ollama"}, {"c:1", "k", "openai"}}},
		"an API over files":      {nil, []string{"--endpoint-config", two, "--api", "openai"}, []place{{"b:1", "", "openai"}, {"c:1", "k3", "openai"}}},
		"a file by its variable": {map[string]string{"FARA_ENDPOINT_CONFIG": one}, nil, []place{{"a:1/v1", "k1", "auto"}}},
	} {
		if got := resolved(t, tt.env, tt.args...); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestSeveralServersAnswerAsOne(t *testing.T) {
	a := serveModel(t, modeltest.Config{Only: modeltest.Ollama, Context: 9000}, okay())
	b := serveModel(t, modeltest.Config{Only: modeltest.OpenAI, Key: "s3cret", Context: 5000}, okay())
	lacking := serveModel(t, modeltest.Config{Model: "other"}, okay())
	gone := deadAddress(t)
	s, warned, err := connectTo(t, auto(gone), auto(a.URL()), place{b.URL(), "s3cret", "auto"}, auto(lacking.URL()))
	if err != nil {
		t.Fatal(err)
	}
	if len(warned) != 1 || !strings.Contains(warned[0], gone) || !strings.Contains(warned[0], lacking.URL()) || strings.Contains(warned[0], a.URL()) {
		t.Errorf("warned %q, want one line that names the two servers of no use", warned)
	}
	if got := s.window(16384); got != 5000 {
		t.Errorf("got a context of %d, want the smallest, 5000", got)
	}
	on := map[string]int{}
	for range 4 { // one run: it stays
		reply, err := s.chat.Chat(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: "hi"}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		on[reply.Server]++
	}
	if on[a.URL()] != 4 {
		t.Errorf("got answers of %v, want all of the first that is of use", on)
	}
	a.Close()
	reply, err := s.chat.Chat(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: "hi"}}}, nil)
	if err != nil || reply.Server != b.URL()+"/v1" {
		t.Errorf("the run's server died: got %q and error %v, want the other, which has a key and another API", reply.Server, err)
	}
	if counts := s.pool.Counts(); counts[1].Requests < 5 || counts[1].Failures == 0 || counts[2].Requests != 1 || counts[1].Down == nil {
		t.Errorf("got counts %+v", counts)
	}
}

func TestNoServerOfUseIsOneLine(t *testing.T) {
	needBrowser(t)
	a, b := deadAddress(t), serveModel(t, modeltest.Config{Model: "other"}, okay())
	out := filepath.Join(t.TempDir(), "out")
	fara(t, "run", "x", "--endpoint", a, "--endpoint", b.URL(), "--model", "fara-7b", "--out", out).
		oneLine(t, exitModel, "none of 2", a, b.URL(), "connection refused", "available: other")
	empty(t, out)
	two := call{args: []string{"run", "x", "--out", out}, env: map[string]string{"FARA_ENDPOINT": b.URL() + " " + serveModel(t, modeltest.Config{}, okay()).URL()}}
	two.run(t).oneLine(t, exitUsage, "--model is missing", "other", modeltest.DefaultModel)
}

func TestServerThatWasDownJoinsLater(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	m := modelFlags{api: "auto", model: modeltest.DefaultModel, numCtx: 16384}
	l := &latecomer{flags: &m, at: auto("http://" + address)}
	if err := l.alive(t.Context()); err == nil {
		t.Fatal("a server that is not there is alive")
	}
	if _, err := l.Chat(t.Context(), model.Request{}, nil); !model.Temporary(err) {
		t.Errorf("got %v, want an error that passes", err)
	}
	server := serveModel(t, modeltest.Config{}, okay())
	l.at.address = server.URL() // it came back elsewhere, as far as the test is concerned
	if err := l.alive(t.Context()); err != nil {
		t.Fatal(err)
	}
	reply, err := l.Chat(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: "hi"}}}, nil)
	if err != nil || reply.Text != "ok" || l.now.Load().api != probe.Ollama {
		t.Errorf("got %+v and error %v, want an answer by Ollama's API", reply, err)
	}
	server.Close()
	if err := l.alive(t.Context()); err == nil {
		t.Error("a server that is gone is alive")
	}
}

func TestOneServerKeepsItsWords(t *testing.T) {
	began := time.Now()
	_, warned, err := connectTo(t, auto(deadAddress(t)))
	if err == nil || strings.Contains(err.Error(), "none of") || codeOf(err) != exitModel || fmt.Sprint(warned) != "[]" {
		t.Errorf("got %v with code %d and warnings %q, want the one server's own error", err, codeOf(err), warned)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v to find that nobody is there", took)
	}
}

func TestSummaryTellsWhatEachServerDid(t *testing.T) {
	var out bytes.Buffer
	textServers(&out, []pool.Count{
		{Server: "http://a:1", Requests: 3, Failures: 1, Tokens: 2400, Latency: 1234 * time.Millisecond},
		{Server: "http://b:1"},
		{Server: "http://c:1", Down: &model.Error{Kind: model.ErrUnreachable}},
	})
	want := "server http://a:1: 3 requests, 1 of them failed, 2400 tokens, 1.23s a reply\n" +
		"server http://c:1: 0 requests, 0 of them failed, 0 tokens, 0s a reply, left out at the end\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
