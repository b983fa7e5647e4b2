// Package serving_test runs scripts/serve-ollama and scripts/serve-vllm.
package serving_test

import (
	"errors"
	"fara/scripts/commandtest"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

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
		if code != 0 || s.Complained.String() != "" {
			t.Errorf("%v: exit code %d: %s", line, code, s.Complained.String())
		}
		fmt.Fprintf(&got, "$ %s\n%s\n", strings.Join(line, " "), s.Printed.String())
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
		if text := s.Complained.String(); code != 2 || strings.Count(text, "\n") != 1 || !strings.Contains(text, c.want) || s.Printed.String() != "" {
			t.Errorf("%v: exit code %d, %q, want 2 and %q", c.args, code, text, c.want)
		}
	}
}

func TestMissingProgramSaysHowToGetIt(t *testing.T) {
	if code, s := run(t, []string{"FARA_OLLAMA=/no/such/ollama"}, "serve-ollama"); code != 5 || !strings.Contains(s.Complained.String(), "ollama.com") {
		t.Errorf("exit code %d: %s", code, s.Complained.String())
	}
	if code, s := run(t, []string{"PATH=/usr/bin:/bin"}, "serve-vllm", "--model", "m"); code != 5 || !strings.Contains(s.Complained.String(), "pip install vllm") {
		t.Errorf("exit code %d: %s", code, s.Complained.String())
	}
}

func TestEveryGPUGetsAServerThatTheDoctorLooksAt(t *testing.T) {
	environment := workshop(t, "well")
	first, both := ports(t)
	code, s := run(t, environment, "serve-vllm", "--model", "fara-1.5-test", "--gpus", "0,1", "--port", first, "--check")
	if code != 0 {
		t.Fatalf("exit code %d: %s%s", code, s.Printed.String(), s.Complained.String())
	}
	for _, port := range both {
		if !strings.Contains(s.Printed.String(), "yes  server      vLLM at http://127.0.0.1:"+port) {
			t.Errorf("no doctor looked at %s:\n%s", port, s.Printed.String())
		}
	}
	if n := strings.Count(s.Printed.String(), "yes  call"); n != 2 {
		t.Errorf("%d of 2 servers are well:\n%s", n, s.Printed.String())
	}
	nothingLeft(t, environment, both...)
}

func TestCtrlCEndsTheServers(t *testing.T) {
	environment := workshop(t, "well")
	first, both := ports(t)
	for name, wait := range map[string]string{"while it serves": "serving;", "while the doctor looks": "fara doctor"} {
		s := start(t, environment, "serve-vllm", "--model", "fara-1.5-test", "--gpus", "0,1", "--port", first)
		commandtest.Eventually(t, time.Minute, wait, func() bool { return strings.Contains(s.Complained.String(), wait) })
		if err := s.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := s.Ends(t, 20*time.Second); code != 130 {
			t.Errorf("%s: exit code %d: %s", name, code, s.Complained.String())
		}
		nothingLeft(t, environment, both...)
	}
}

func TestServersThatFailAreToldWithTheirLastWords(t *testing.T) {
	first, both := ports(t)
	environment := workshop(t, "dies")
	if code, s := run(t, environment, "serve-vllm", "--model", "m", "--port", first); code != 5 || !strings.Contains(s.Complained.String(), "CUDA out of memory") {
		t.Errorf("exit code %d: %s", code, s.Complained.String())
	}
	nothingLeft(t, environment, both...)
	environment = workshop(t, "hangs")
	if code, s := run(t, environment, "serve-vllm", "--model", "m", "--port", first, "--wait", "1"); code != 5 || !strings.Contains(s.Complained.String(), "not ready within 1 seconds") {
		t.Errorf("exit code %d: %s", code, s.Complained.String())
	}
	nothingLeft(t, environment, both...)
	environment = workshop(t, "well")
	if code, s := run(t, environment, "serve-vllm", "--model", "m", "--dialect", "klingon", "--port", first); code != 2 || !strings.Contains(s.Complained.String(), "fara-1.5") {
		t.Errorf("exit code %d: %s", code, s.Complained.String())
	}
	busy, err := net.Listen("tcp", "127.0.0.1:"+both[1])
	if err != nil {
		t.Fatal(err)
	}
	server := http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go server.Serve(busy)
	defer server.Close()
	if code, s := run(t, environment, "serve-vllm", "--model", "m", "--port", first, "--gpus", "0,1"); code != 5 || !strings.Contains(s.Complained.String(), "answers") {
		t.Errorf("exit code %d: %s", code, s.Complained.String())
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
	commandtest.Eventually(t, time.Minute, "it serves", func() bool { return strings.Contains(s.Complained.String(), "serving;") })
	for _, w := range []string{"yes  server      Ollama 0.17.4", "has no models"} {
		if !strings.Contains(s.Printed.String(), w) {
			t.Errorf("stdout lacks %q:\n%s", w, s.Printed.String())
		}
	}
	create(t, program, home, "127.0.0.1:"+first)
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.Ends(t, 30*time.Second); code != 130 {
		t.Errorf("exit code %d: %s", code, s.Complained.String())
	}
	nothingLeft(t, environment, both...)

	code, s := run(t, environment, "serve-ollama", "--port", first, "--model", "tiny-vl", "--dialect", "fara-1.5", "--check")
	for _, w := range []string{"yes  model       tiny-vl is there", "no   sight", "loaded with 16384"} { // its weights are random
		if !strings.Contains(s.Printed.String(), w) {
			t.Errorf("stdout lacks %q:\n%s%s", w, s.Printed.String(), s.Complained.String())
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
