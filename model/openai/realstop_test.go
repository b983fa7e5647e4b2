package openai_test

import (
	"testing"
	"time"

	"fara/model"
	"fara/model/ollama/ollamatest"
	"fara/model/openai"
)

func TestLeavingFreesTheServer(t *testing.T) {
	ollamatest.Leaving(t, func(endpoint string) model.Chatter {
		return connect(t, openai.Config{Endpoint: endpoint, Model: ollamatest.Vision, Timeout: 10 * time.Second})
	})
}
