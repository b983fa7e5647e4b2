package batch_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// readJSONL reads a file of JSON lines.
func readJSONL[T any](t testing.TB, path string) (all []T) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n, text := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		var one T
		if text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			t.Fatalf("%s:%d: %v in %q", path, n+1, err, text)
		}
		all = append(all, one)
	}
	return all
}
