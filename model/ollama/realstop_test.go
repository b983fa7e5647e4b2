package ollama_test

import (
	"testing"
	"time"

	"fara/model"
	"fara/model/ollama"
	"fara/model/ollama/ollamatest"
)

func TestLeavingFreesTheServer(t *testing.T) {
	ollamatest.Leaving(t, func(endpoint string) model.Chatter {
		return connect(t, ollama.Config{Endpoint: endpoint, Model: ollamatest.Vision, Timeout: 10 * time.Second})
	})
}
