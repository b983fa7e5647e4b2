package serving_test

import (
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
	"fara/env/envtest"
	"fara/model/modeltest"
	"fara/model/modeltest/pixel"
	"fara/scripts/commandtest"
)

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

// start runs a script until the test ends at the latest.
func start(t *testing.T, environment []string, name string, args ...string) *commandtest.Command {
	t.Helper()
	cmd := exec.Command("../"+name, args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return commandtest.Start(t, cmd, syscall.SIGTERM)
}

func run(t *testing.T, environment []string, name string, args ...string) (code int, s *commandtest.Command) {
	t.Helper()
	s = start(t, environment, name, args...)
	return s.Ends(t, 3*time.Minute), s
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
	envtest.NeedBrowser(t, chrome.Find)
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
