// Package fara_test holds the shape of the whole program: which package may
// know which, and which module belongs to which package.
package fara_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows says what of this program each package may import. Arrows point down
// only: commands, behaviour, prompt and policy, dialect, tools, words.
// Behaviour never imports behaviour and a tool never imports a tool.
var arrows = map[string]string{
	"env":                     "",
	"model":                   "",
	"parse":                   "env model",
	"imagebudget":             "env model",
	"captcha":                 "env",
	"trajectory":              "env model",
	"env/chrome":              "env",
	"env/envtest":             "env env/envtest/matrix env/envtest/waits",
	"env/envtest/matrix":      "env",
	"env/envtest/shop":        "",
	"env/envtest/waits":       "env",
	"model/wire":              "model",
	"model/ollama":            "model model/wire",
	"model/openai":            "model model/wire",
	"model/retry":             "model",
	"model/pool":              "model",
	"model/probe":             "model model/wire",
	"model/modeltest":         "model",
	"model/modeltest/pixel":   "model",
	"model/modeltest/aim":     "model",
	"model/ollama/ollamatest": "model",
	"userfile":                "",
	"dialect":                 "env model parse imagebudget userfile",
	"prompt":                  "model parse dialect imagebudget trajectory",
	"policy":                  "env userfile",
	"secret":                  "env",
	"judge":                   "env model trajectory prompt userfile",
	"replay":                  "env captcha imagebudget policy trajectory",
	"ingest":                  "env model parse dialect imagebudget trajectory",
	"telemetry":               "env model trajectory",
	"control":                 "trajectory",
	"calibrate":               "env model imagebudget",
	"batch":                   "env model trajectory",
	"batch/queue":             "",
	"batch/queue/natsd":       "",
	"export":                  "env model dialect prompt trajectory",
	"export/exporttest":       "env model dialect parse prompt trajectory",
	"export/layout":           "env export model prompt trajectory",
	"export/parquet":          "export model",
	"batch/taskfile":          "batch userfile",
	"wall":                    "",
	"wall/walltest":           "",
	"agent":                   "env model parse imagebudget captcha trajectory dialect prompt policy",
}

// modules says which package a third-party module belongs to; Unicode's tables are
// needed by more than one. The command may
// use what wires flags and terminals.
var modules = map[string]string{
	"github.com/nats-io/nats.go":        "batch/queue",
	"github.com/nats-io/nats-server/":   "batch/queue/natsd",
	"github.com/go-rod/rod":             "env/chrome",
	"github.com/ysmood/gson":            "env/chrome",
	"github.com/coder/websocket":        "env/chrome",
	"github.com/JohannesKaufmann/":      "env/chrome",
	"github.com/ledongthuc/pdf":         "env/chrome",
	"github.com/ollama/ollama/api":      "model/ollama",
	"github.com/openai/openai-go":       "model/openai",
	"github.com/cenkalti/backoff/v4":    "model/retry",
	"github.com/parquet-go/parquet-go":  "export/parquet",
	"github.com/disintegration/imaging": "imagebudget",
	"github.com/goccy/go-yaml":          "userfile",
	"github.com/pquerna/otp":            "secret",
	"github.com/santhosh-tekuri/":       "judge",
	"golang.org/x/text/":                "judge policy",
	"github.com/spf13/":                 "cmd/fara",
	"go.opentelemetry.io/":              "telemetry",
	"google.golang.org/protobuf":        "telemetry",
	"github.com/prometheus/":            "telemetry",
	"golang.org/x/net/idna":             "policy",
	"golang.org/x/net/proxy":            "wall",
	"golang.org/x/net/dns/dnsmessage":   "wall",
	"golang.org/x/net/http/httpproxy":   "cmd/fara",
	"golang.org/x/sys/unix":             "cmd/fara",
	"golang.org/x/term":                 "cmd/fara",
}

type pkg struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Module     *struct{ Path string }
}

func packages(t *testing.T) []pkg {
	t.Helper()
	look(t)
	cmd := exec.Command("go", "list", "-json=ImportPath,Standard,Imports,Module", "./...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath != "fara" { // this test's own folder
			pkgs = append(pkgs, p)
		}
	}
}

// look reads the names of all source files and asks for each: only so does a
// cached result of these tests end when one of them changes, since go cannot
// know what go list reads.
func look(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestArrowsPointDownOnly(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "fara/")
		seen[name] = true
		if strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "scripts/") {
			continue
		}
		allowed, known := arrows[name]
		if !known {
			t.Errorf("%s has no place in the table of arrows; give it one", name)
		}
		for _, imp := range p.Imports {
			target, ours := strings.CutPrefix(imp, "fara/")
			if ours && !slices.Contains(strings.Fields(allowed), target) {
				t.Errorf("%s imports %s; it may import: %s", name, target, allowed)
			}
		}
	}
	for name := range arrows {
		if !seen[name] {
			t.Errorf("the table of arrows names %s, which does not exist", name)
		}
	}
}

func TestModulesStayInsideTheirPackage(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "fara/")
		if strings.HasPrefix(name, "scripts/") { // measures against bare libraries
			continue
		}
		for _, imp := range p.Imports {
			first, _, _ := strings.Cut(imp, "/")
			if !strings.Contains(first, ".") { // the standard library, or ours
				continue
			}
			owners := strings.Fields(ownerOf(imp))
			if !slices.ContainsFunc(owners, func(o string) bool { return name == o || strings.HasPrefix(name, o+"/") }) {
				t.Errorf("%s imports %s, which belongs to %q", name, imp, owners)
			}
		}
	}
}

// ownerOf gives the packages a third-party import belongs to; nobody's is "none".
func ownerOf(imp string) string {
	for prefix, owner := range modules {
		if strings.HasPrefix(imp, prefix) {
			return owner
		}
	}
	return "none"
}
