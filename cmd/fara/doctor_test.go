package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"fara/agent"
	"fara/calibrate"
	"fara/env"
	"fara/model"
	"fara/model/modeltest"
	"fara/model/modeltest/pixel"
)

func TestDoctorSaysYesWhenAllIsWell(t *testing.T) {
	needBrowser(t)
	t.Chdir(t.TempDir())
	srv := serveModel(t, modeltest.Config{}, pixel.Model{})
	for _, api := range []string{"ollama", "openai"} {
		got := fara(t, "doctor", "--endpoint", srv.URL(), "--api", api, "--json")
		names := map[string]bool{}
		for _, c := range lines(t, got.stdout) {
			names[c["name"].(string)] = c["ok"].(bool)
		}
		for _, name := range []string{"fara", "browser", "page", "memory", "server", "model", "dialect", "prompt", "sight", "reading", "images", "context", "call"} {
			if !names[name] {
				t.Errorf("%s: %s is not well: %s", api, name, got.stdout)
			}
		}
		if got.code != exitSuccess {
			t.Errorf("%s: exit code %d", api, got.code)
		}
	}
}

func TestDoctorWithoutAServerOrBrowserSkipsTheRest(t *testing.T) {
	needBrowser(t)
	good := serveModel(t, modeltest.Config{}, pixel.Model{})
	for _, c := range []struct {
		name  string
		args  []string
		code  int
		wants []string
	}{
		{"dead server", []string{"--endpoint", "http://127.0.0.1:9"}, exitModel, []string{"yes  page", "no   server", "127.0.0.1:9", "skip model", "skip context", "skip call"}},
		{"no browser", []string{"--endpoint", good.URL(), "--browser", "/no/such"}, exitBrowser, []string{"no   browser", "/no/such", "skip page", "yes  sight", "yes  call"}},
		{"nobody's browser", []string{"--endpoint", good.URL(), "--cdp", "127.0.0.1:9"}, exitBrowser, []string{"no   browser", "skip page", "skip memory", "skip display"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := fara(t, append([]string{"doctor"}, c.args...)...)
			got.says(t, c.code, c.wants...)
		})
	}
}

// says checks an exit code and what stands on stdout.
func (o outcome) says(t *testing.T, code int, wants ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	for _, w := range wants {
		if !strings.Contains(o.stdout, w) {
			t.Errorf("stdout lacks %q:\n%s", w, o.stdout)
		}
	}
}

// examining has the doctor look at a model server, and at no browser.
func examining(t *testing.T, args ...string) outcome {
	t.Helper()
	var out bytes.Buffer
	d := doctor{getenv: os.Getenv}
	d.show = func(c check) { fmt.Fprintf(&out, "%-4s %-11s %s\n", c.word(), c.Name, c.Text) }
	set := pflag.NewFlagSet("doctor", pflag.ContinueOnError)
	d.register(set)
	err := set.Parse(args)
	if err == nil {
		err = d.resolve(set)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.examineServers(t.Context(), slog.New(slog.DiscardHandler))
	return outcome{code: d.code, stdout: out.String()}
}

// brain is a model in a few lines.
type brain func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error)

func (b brain) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	return b(ctx, req, until)
}

// saying answers requests that have a word in them with a text, and leaves others
// to the model of pixels.
func saying(word, text string) model.Chatter {
	return brain(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
		for _, m := range req.Messages {
			if strings.Contains(m.Text, word) {
				return model.Reply{Text: text, Finish: model.FinishStop}, nil
			}
		}
		return pixel.Model{}.Chat(ctx, req, until)
	})
}

// dropping loses all pictures of a request but the last.
func dropping(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	for i := range req.Messages {
		if images := req.Messages[i].Images; len(images) > 1 {
			req.Messages[i].Images = images[len(images)-1:]
		}
	}
	return pixel.Model{}.Chat(ctx, req, until)
}

// pondering files every answer to a question without a system prompt as thinking.
func pondering(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	reply, err := pixel.Model{}.Chat(ctx, req, until)
	if len(req.Messages) == 1 {
		reply.Thinking, reply.Text = "Hm, is it "+reply.Text+"?", ""
	}
	return reply, err
}

// blind loses all pictures.
func blind(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	for i := range req.Messages {
		req.Messages[i].Images = nil
	}
	return pixel.Model{}.Chat(ctx, req, until)
}

func TestDoctorSaysNoAndWhatToDo(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		name   string
		config modeltest.Config
		brain  model.Chatter
		args   []string
		wants  []string
	}{
		{"wrong model", modeltest.Config{}, pixel.Model{}, []string{"--model", "other"}, []string{"yes  server", "no   model", "fara-1.5-test", "skip sight"}},
		{"small context", modeltest.Config{}, pixel.Model{}, []string{"--num-ctx", "4096"}, []string{"no   context", "give --num-ctx 9216", "3 frames of 1260"}},
		{"small model", modeltest.Config{Context: 6000, Only: modeltest.OpenAI}, pixel.Model{}, nil, []string{"no   context", "no more than 6000", "--max-model-len", "--max-images"}},
		{"text model", modeltest.Config{Capabilities: []string{"completion"}, Only: modeltest.Ollama}, pixel.Model{}, nil, []string{"no   model", "takes no images", "vision", "skip sight"}},
		{"guessing model", modeltest.Config{}, modeltest.NewEndlessScript(modeltest.Text("red")), nil, []string{"no   sight", "does not see", "no   reading", "no   call"}},
		{"model that says all colours", modeltest.Config{}, modeltest.NewEndlessScript(modeltest.Text(colourNames())), nil, []string{"no   sight"}},
		{"server that refuses pictures", modeltest.Config{Capabilities: []string{"completion"}, Only: modeltest.OpenAI}, pixel.Model{}, nil, []string{"no   sight", "not a multimodal model", "skip images", "skip call"}},
		{"server that drops pictures", modeltest.Config{}, brain(blind), nil, []string{"no   sight", "I see no picture", "does not see"}},
		{"model that only thinks", modeltest.Config{}, brain(pondering), nil, []string{"no   sight", "only thinks", "no   reading", "yes  call"}},
		{"model that cannot read", modeltest.Config{}, saying("Which number", "4711 or 12"), nil, []string{"yes  sight", "no   reading", "4711", "quantised", "yes  call"}},
		{"one picture a request", modeltest.Config{Only: modeltest.OpenAI}, modeltest.LimitImages(pixel.Model{}, 1), nil, []string{"yes  reading", "no   images", `--limit-mm-per-prompt '{"image": 3}'`, "--max-images 1"}},
		{"pictures that get lost", modeltest.Config{}, brain(dropping), nil, []string{"yes  sight", "no   images", "drops some"}},
		{"prose", modeltest.Config{}, saying("<tool_call>", "I would\nclick it."), nil, []string{"yes  images", "no   call", "I would click it.", "--constrain"}},
		{"empty reply", modeltest.Config{}, saying("<tool_call>", ""), nil, []string{"no   call", "(nothing)"}},
		{"unknown family", modeltest.Config{Model: "mystery"}, pixel.Model{}, nil, []string{"yes  model", "no   dialect", "--dialect", "skip sight"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := serveModel(t, c.config, c.brain)
			code := exitModel
			if c.name == "unknown family" {
				code = exitUsage
			}
			examining(t, append([]string{"--endpoint", srv.URL()}, c.args...)...).says(t, code, c.wants...)
		})
	}
}

func TestDoctorHearsTheAnswerBehindTheThoughts(t *testing.T) {
	t.Chdir(t.TempDir())
	srv := serveModel(t, modeltest.Config{}, brain(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
		reply, err := pixel.Model{}.Chat(ctx, req, until)
		reply.Text = "<think>red? green? 1234?</think>\n" + reply.Text
		return reply, err
	}))
	examining(t, "--endpoint", srv.URL()).says(t, exitSuccess, "yes  sight", "yes  reading", "yes  call")
}

func TestDoctorTakesFewerOrMorePictures(t *testing.T) {
	t.Chdir(t.TempDir())
	srv := serveModel(t, modeltest.Config{}, modeltest.LimitImages(pixel.Model{}, 8))
	examining(t, "--endpoint", srv.URL(), "--max-images", "1").says(t, exitSuccess, "yes  images      of 1 in one")
	examining(t, "--endpoint", srv.URL(), "--max-images", "8", "--num-ctx", "32768").says(t, exitSuccess, "yes  images      of 8 in one", "8 frames")
	fara(t, "doctor", "--max-images", "0").oneLine(t, exitUsage, "--max-images")
}

// TestDoctorReadsWhatTheModelIsLoadedWith: the server was asked for 16384 tokens
// and gives each of its slots a part.
func TestDoctorReadsWhatTheModelIsLoadedWith(t *testing.T) {
	t.Chdir(t.TempDir())
	srv := serveModel(t, modeltest.Config{Only: modeltest.Ollama}, pixel.Model{})
	target, err := url.Parse(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	split := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/ps" {
			io.WriteString(w, `{"models":[{"name":"fara-1.5-test:latest","model":"fara-1.5-test:latest","context_length":1024}]}`)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer split.Close()
	examining(t, "--endpoint", split.URL).says(t, exitModel, "yes  sight", "no   context", "loaded with 1024", "16384 were asked for", "OLLAMA_NUM_PARALLEL=1")
	examining(t, "--endpoint", srv.URL()).says(t, exitSuccess, "yes  context", "loaded with 16384")
}

func TestDoctorLooksAtEveryServer(t *testing.T) {
	t.Chdir(t.TempDir())
	good := serveModel(t, modeltest.Config{}, pixel.Model{})
	bad := serveModel(t, modeltest.Config{}, brain(blind))
	got := examining(t, "--endpoint", good.URL(), "--endpoint", "http://127.0.0.1:9", "--endpoint", bad.URL())
	got.says(t, exitModel, "at "+good.URL(), "at "+bad.URL(), "no   server", "127.0.0.1:9", "no   sight")
	if n := strings.Count(got.stdout, "yes  call"); n != 1 {
		t.Errorf("%d servers are well, want 1:\n%s", n, got.stdout)
	}
}

func TestDoctorKnowsCalibrations(t *testing.T) {
	t.Chdir(t.TempDir())
	srv := serveModel(t, modeltest.Config{}, pixel.Model{})
	examining(t, "--endpoint", srv.URL()).says(t, exitSuccess, "skip calibration", "fara calibrate")
	size := env.Size{W: 1440, H: 896}
	file := calibrate.File{
		Model: "fara-1.5-test", Dialect: "fara-1.5", Space: "pixels", Replies: string(agent.FreeText), Median: 1.25,
		Sizes: calibrate.Sizes{Viewport: size, Picture: size}, Created: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
	}
	name := calibrationOf("fara-1.5-test")
	if err := file.Save(name); err != nil {
		t.Fatal(err)
	}
	examining(t, "--endpoint", srv.URL()).says(t, exitSuccess, "yes  calibration", name, "2026-01-02", "--calibration "+name, "dialect     fara-1.5, chosen by")
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	examining(t, "--endpoint", srv.URL(), "--calibration", path).says(t, exitSuccess, "yes  calibration", "space pixels", "dialect     fara-1.5, from --calibration")
}

func TestEveryNumberIsReadAsItIsWritten(t *testing.T) {
	srv := serveModel(t, modeltest.Config{}, pixel.Model{})
	f := modelFlags{endpoint: srv.URL(), api: "openai", model: srv.Model(), numCtx: 16384}
	asked, err := f.connect(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	p := patient{srv: asked}
	for _, number := range []string{"1234", "5678", "9012", "1111", "7007"} {
		if said, err := p.ask(t.Context(), "Which number is in this picture?", written(number)); err != nil || said != number {
			t.Errorf("%s is read as %q, %v", number, said, err)
		}
	}
}

func TestPageWithoutWordsOrGroundIsNoticed(t *testing.T) {
	if c := checkPage(env.Observation{Image: []byte("x")}); c.OK || !strings.Contains(c.Text, "cannot be read") {
		t.Errorf("got %+v", c)
	}
	blank, err := drawnTarget(env.Size{W: 300, H: 200}, env.Size{W: 300, H: 200})
	if err != nil {
		t.Fatal(err)
	}
	if c := checkPage(env.Observation{Image: blank.Image}); c.OK || !strings.Contains(c.Text, "does not show") {
		t.Errorf("got %+v", c)
	}
}
