package openai_test

import (
	"os"
	"testing"
)

// TestMain sets a proxy that nothing listens on: every test here shows that
// loopback addresses are never asked for through one.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy"} {
		if err := os.Setenv(name, "http://127.0.0.1:9"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
