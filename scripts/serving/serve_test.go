// Package serving_test runs scripts/serve-ollama and scripts/serve-vllm.
package serving_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"fara/env/chrome"
	"fara/model/modeltest"
	"fara/model/modeltest/pixel"
)

var update = flag.Bool("update", false, "write the golden files")

// beServer makes the test binary a vLLM that a script starts.
const beServer = "FARA_TEST_BE_VLLM"

func TestMain(m *testing.M) {
	switch os.Getenv(beServer) {
	case "":
		code := m.Run()
		if built.Load() {
			dir, _ := fara()
			os.RemoveAll(dir)
		}
		os.Exit(code)
	case "well":
		serveLikeVLLM()
	case "dies":
		fmt.Fprintln(os.Stderr, "CUDA out of memory, as it were")
		os.Exit(1)
	case "hangs":
		select {}
	}
}

// serveLikeVLLM serves the model of pixels where the arguments say, until it is
// ended.
func serveLikeVLLM() {
	at := func(name string) string { return os.Args[slices.Index(os.Args, name)+1] }
	srv, err := modeltest.Config{Model: at("serve"), Only: modeltest.OpenAI}.Serve(pixel.Model{})
	if err != nil {
		panic(err)
	}
	target, err := url.Parse(srv.URL())
	if err != nil {
		panic(err)
	}
	panic(http.ListenAndServe(net.JoinHostPort(at("--host"), at("--port")), httputil.NewSingleHostReverseProxy(target)))
}

// script is a running script.
type script struct {
	cmd            *exec.Cmd
	stdout, stderr locked
	done           chan struct{}
}

// locked is a buffer that is written and read at the same time.
type locked struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func start(t *testing.T, environment []string, name string, args ...string) *script {
	t.Helper()
	s := &script{done: make(chan struct{})}
	s.cmd = exec.Command("../"+name, args...)
	s.cmd.Env = append(os.Environ(), environment...)
	s.cmd.Stdout, s.cmd.Stderr = &s.stdout, &s.stderr
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.done)
		s.cmd.Wait()
	}()
	t.Cleanup(func() {
		s.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-s.done:
		case <-time.After(20 * time.Second):
			s.cmd.Process.Kill()
			<-s.done
		}
	})
	return s
}

func (s *script) ends(t *testing.T, limit time.Duration) int {
	t.Helper()
	select {
	case <-s.done:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(limit):
		t.Fatalf("it still runs after %v: %s%s", limit, s.stdout.String(), s.stderr.String())
		return 0
	}
}

func run(t *testing.T, environment []string, name string, args ...string) (code int, s *script) {
	t.Helper()
	s = start(t, environment, name, args...)
	return s.ends(t, 3*time.Minute), s
}

func eventually(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, limit)
		}
		<-tick.C
	}
}

func TestCommandLinesAreGolden(t *testing.T) {
	var got strings.Builder
	for _, line := range [][]string{
		{"serve-ollama"},
		{"serve-ollama", "--model", "fara1.5:9b", "--dialect", "fara-1.5", "--port", "9000"},
		{"serve-ollama", "--model=qwen3-vl:8b", "--gpus=0,1", "--max-images=8", "--dialect=qwen3-vl"},
		{"serve-ollama", "--host", "::", "--context", "32768"},
		{"serve-vllm", "--model", "microsoft/Fara-7B"},
		{"serve-vllm", "--model", "/models/my own", "--dialect", "ui-tars-1.5", "--host", "0.0.0.0", "--gpus", "2,0", "--max-images", "6"},
		{"serve-vllm", "--model", "m", "--context", "40000", "--", "--gpu-memory-utilization", "0.95", "--hf-overrides", `{"a": 1}`},
	} {
		code, s := run(t, []string{"FARA_OLLAMA="}, line[0], append([]string{"--print"}, line[1:]...)...)
		if code != 0 || s.stderr.String() != "" {
			t.Errorf("%v: exit code %d: %s", line, code, s.stderr.String())
		}
		fmt.Fprintf(&got, "$ %s\n%s\n", strings.Join(line, " "), s.stdout.String())
	}
	golden := filepath.Join("testdata", "print.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the command lines changed; look at them and run with -update\n%s", got.String())
	}
}

func TestWrongFlagsAreOneLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serve-vllm"}, "--model is missing"},
		{[]string{"serve-ollama", "--frobnicate", "x"}, "--frobnicate"},
		{[]string{"serve-ollama", "model"}, "model is no flag"},
		{[]string{"serve-ollama", "--port"}, "--port needs a value"},
		{[]string{"serve-ollama", "--model="}, "--model needs a value"},
		{[]string{"serve-ollama", "--port", "0"}, "1 to 65535"},
		{[]string{"serve-ollama", "--port", "eighty"}, "eighty"},
		{[]string{"serve-ollama", "--port", "65535", "--gpus", "0,1"}, "no ports for 2"},
		{[]string{"serve-ollama", "--gpus", "0;1"}, "0,1"},
		{[]string{"serve-ollama", "--gpus", "0,0"}, "twice"},
		{[]string{"serve-ollama", "--max-images", "0"}, "--max-images"},
		{[]string{"serve-ollama", "--context", "100"}, "2048"},
		{[]string{"serve-ollama", "--wait", "-1"}, "--wait"},
	} {
		code, s := run(t, nil, c.args[0], append([]string{"--print"}, c.args[1:]...)...)
		if text := s.stderr.String(); code != 2 || strings.Count(text, "\n") != 1 || !strings.Contains(text, c.want) || s.stdout.String() != "" {
			t.Errorf("%v: exit code %d, %q, want 2 and %q", c.args, code, text, c.want)
		}
	}
}

func TestMissingProgramSaysHowToGetIt(t *testing.T) {
	if code, s := run(t, []string{"FARA_OLLAMA=/no/such/ollama"}, "serve-ollama"); code != 5 || !strings.Contains(s.stderr.String(), "ollama.com") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	if code, s := run(t, []string{"PATH=/usr/bin:/bin"}, "serve-vllm", "--model", "m"); code != 5 || !strings.Contains(s.stderr.String(), "pip install vllm") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
}

// built says that fara has built the command.
var built atomic.Bool

// fara builds the command once, in a folder that it gives.
var fara = sync.OnceValues(func() (string, error) {
	built.Store(true)
	dir, err := os.MkdirTemp("", "fara-serving-*")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", dir, "fara/cmd/fara").CombinedOutput()
	if err != nil {
		return dir, fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

// workshop is an environment with fara, and with a vLLM that behaves in that way.
func workshop(t *testing.T, behaviour string) []string {
	t.Helper()
	if _, err := chrome.Find(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	built, err := fara()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "vllm")); err != nil {
		t.Fatal(err)
	}
	temp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	return []string{beServer + "=" + behaviour, "PATH=" + dir + ":" + os.Getenv("PATH"), "FARA_BIN=" + filepath.Join(built, "fara"), "TMPDIR=" + temp}
}

// ports gives two ports that follow each other and are free.
func ports(t *testing.T) (first string, both []string) {
	t.Helper()
	for range 50 {
		a, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := a.Addr().(*net.TCPAddr).Port
		b, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1))
		a.Close()
		if err == nil {
			b.Close()
			return fmt.Sprint(port), []string{fmt.Sprint(port), fmt.Sprint(port + 1)}
		}
	}
	t.Fatal("no two free ports")
	return "", nil
}

// nothingLeft checks that no port answers and that no temporary file is there.
func nothingLeft(t *testing.T, environment []string, ports ...string) {
	t.Helper()
	for _, port := range ports {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			conn.Close()
			t.Errorf("something still listens on %s", port)
		}
	}
	for _, variable := range environment {
		if temp, ok := strings.CutPrefix(variable, "TMPDIR="); ok {
			if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
				t.Errorf("left in %s: %v, %v", temp, left, err)
			}
		}
	}
}

func TestEveryGPUGetsAServerThatTheDoctorLooksAt(t *testing.T) {
	environment := workshop(t, "well")
	first, both := ports(t)
	code, s := run(t, environment, "serve-vllm", "--model", "fara-1.5-test", "--gpus", "0,1", "--port", first, "--check")
	if code != 0 {
		t.Fatalf("exit code %d: %s%s", code, s.stdout.String(), s.stderr.String())
	}
	for _, port := range both {
		if !strings.Contains(s.stdout.String(), "yes  server      vLLM at http://127.0.0.1:"+port) {
			t.Errorf("no doctor looked at %s:\n%s", port, s.stdout.String())
		}
	}
	if n := strings.Count(s.stdout.String(), "yes  call"); n != 2 {
		t.Errorf("%d of 2 servers are well:\n%s", n, s.stdout.String())
	}
	nothingLeft(t, environment, both...)
}

func TestCtrlCEndsTheServers(t *testing.T) {
	environment := workshop(t, "well")
	first, both := ports(t)
	for name, wait := range map[string]string{"while it serves": "serving;", "while the doctor looks": "fara doctor"} {
		s := start(t, environment, "serve-vllm", "--model", "fara-1.5-test", "--gpus", "0,1", "--port", first)
		eventually(t, time.Minute, wait, func() bool { return strings.Contains(s.stderr.String(), wait) })
		if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := s.ends(t, 20*time.Second); code != 130 {
			t.Errorf("%s: exit code %d: %s", name, code, s.stderr.String())
		}
		nothingLeft(t, environment, both...)
	}
}

func TestServersThatFailAreToldWithTheirLastWords(t *testing.T) {
	first, both := ports(t)
	environment := workshop(t, "dies")
	if code, s := run(t, environment, "serve-vllm", "--model", "m", "--port", first); code != 5 || !strings.Contains(s.stderr.String(), "CUDA out of memory") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	nothingLeft(t, environment, both...)
	environment = workshop(t, "hangs")
	if code, s := run(t, environment, "serve-vllm", "--model", "m", "--port", first, "--wait", "1"); code != 5 || !strings.Contains(s.stderr.String(), "not ready within 1 seconds") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	nothingLeft(t, environment, both...)
	environment = workshop(t, "well")
	if code, s := run(t, environment, "serve-vllm", "--model", "m", "--dialect", "klingon", "--port", first); code != 2 || !strings.Contains(s.stderr.String(), "fara-1.5") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	busy, err := net.Listen("tcp", "127.0.0.1:"+both[1])
	if err != nil {
		t.Fatal(err)
	}
	server := http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go server.Serve(busy)
	defer server.Close()
	if code, s := run(t, environment, "serve-vllm", "--model", "m", "--port", first, "--gpus", "0,1"); code != 5 || !strings.Contains(s.stderr.String(), "answers") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	nothingLeft(t, environment, first)
}

// TestRealOllamaServesUntilCtrlC also makes a model there, as a user would, and
// has a second start find it.
func TestRealOllamaServesUntilCtrlC(t *testing.T) {
	program := os.Getenv("FARA_OLLAMA")
	if program == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		program = filepath.Join(cache, "fara", "ollama-0.17.4", "ollama")
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") != "" || os.Getenv("FARA_REQUIRE_OLLAMA") != "" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED AGAINST A REAL OLLAMA; scripts/ollama/build makes one: ", err)
	}
	first, both := ports(t)
	home := t.TempDir()
	environment := append(workshop(t, "well"), "FARA_OLLAMA="+program, "HOME="+home, "OLLAMA_MODELS="+filepath.Join(home, "models"))
	s := start(t, environment, "serve-ollama", "--port", first)
	eventually(t, time.Minute, "it serves", func() bool { return strings.Contains(s.stderr.String(), "serving;") })
	for _, w := range []string{"yes  server      Ollama 0.17.4", "has no models"} {
		if !strings.Contains(s.stdout.String(), w) {
			t.Errorf("stdout lacks %q:\n%s", w, s.stdout.String())
		}
	}
	create(t, program, home, "127.0.0.1:"+first)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.ends(t, 30*time.Second); code != 130 {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	nothingLeft(t, environment, both...)

	code, s := run(t, environment, "serve-ollama", "--port", first, "--model", "tiny-vl", "--dialect", "fara-1.5", "--check")
	for _, w := range []string{"yes  model       tiny-vl is there", "no   sight", "loaded with 16384"} { // its weights are random
		if !strings.Contains(s.stdout.String(), w) {
			t.Errorf("stdout lacks %q:\n%s%s", w, s.stdout.String(), s.stderr.String())
		}
	}
	if code != 5 {
		t.Errorf("exit code %d, want the doctor's", code)
	}
	nothingLeft(t, environment, both...)
}

// create makes the tiny model that lies beside the program.
func create(t *testing.T, program, home, address string) {
	t.Helper()
	file := filepath.Join(home, "Modelfile")
	text := "FROM " + filepath.Join(filepath.Dir(program), "tiny-qwen3vl.gguf") + "\nRENDERER qwen3-vl-instruct\nPARSER qwen3-vl-instruct\nPARAMETER num_thread 1\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "create", "tiny-vl", "-f", file)
	cmd.Env = append(os.Environ(), "OLLAMA_HOST="+address, "HOME="+home)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ollama create: %v: %s", errors.Unwrap(err), out)
	}
}
