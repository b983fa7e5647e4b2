package ollamatest

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
)

// version is what scripts/ollama/build builds.
const version = "0.17.4"

// binary gives the path of the server, or skips the test: the tests must also run
// where nobody has spent ten minutes on building it. In CI a missing server is a
// failure.
func binary(t testing.TB) string {
	t.Helper()
	path := cmp.Or(os.Getenv("FARA_OLLAMA"), filepath.Join(cache(), "ollama-"+version, "ollama"))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	const missing = "NOT TESTED AGAINST A REAL OLLAMA: there is none at %s; scripts/ollama/build makes one, FARA_OLLAMA names another"
	if os.Getenv("CI") != "" || os.Getenv("FARA_REQUIRE_OLLAMA") != "" {
		t.Fatalf(missing, path)
	}
	t.Skipf(missing, path)
	return ""
}

// cache follows the rule of scripts/ollama/build.
func cache() string {
	if dir := os.Getenv("FARA_CACHE"); dir != "" {
		return dir
	}
	base := cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(os.Getenv("HOME"), ".cache"))
	return filepath.Join(base, "fara")
}
