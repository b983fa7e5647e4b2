package ollamatest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ollama/ollama/api"
)

// textTemplate is for the model that has no renderer of its own.
const textTemplate = `{{ range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
`

// oneThread keeps the runner from waiting for its own second thread on a machine
// that is busy; the models are far too small to gain from one.
func oneThread() map[string]any { return map[string]any{"num_thread": 1} }

// create puts both models of folder into the server.
func create(ctx context.Context, t testing.TB, client *api.Client, folder string) {
	t.Helper()
	upload(ctx, t, client, filepath.Join(folder, "tiny-qwen3vl.gguf"), &api.CreateRequest{
		Model: Vision, Renderer: "qwen3-vl-instruct", Parser: "qwen3-vl-instruct", Parameters: oneThread(),
	})
	upload(ctx, t, client, filepath.Join(folder, "tiny-qwen3.gguf"), &api.CreateRequest{
		Model: Text, Template: textTemplate, Parameters: oneThread(),
	})
}

func upload(ctx context.Context, t testing.TB, client *api.Client, file string, req *api.CreateRequest) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; scripts/ollama/build writes it", err)
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(data))
	if err := client.CreateBlob(ctx, digest, bytes.NewReader(data)); err != nil {
		t.Fatalf("upload %s: %v", file, err)
	}
	req.Files = map[string]string{filepath.Base(file): digest}
	if err := client.Create(ctx, req, func(api.ProgressResponse) error { return nil }); err != nil {
		t.Fatalf("create %s: %v", req.Model, err)
	}
}
