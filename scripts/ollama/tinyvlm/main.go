// Command tinyvlm writes a tiny, randomly initialised GGUF file that a real
// Ollama server can load: a complete vision-language model of architecture
// qwen3vl, or a text-only qwen3, with a byte-level tokenizer and the Qwen special
// tokens. The same flags always give the same bytes.
//
// The weights are random, so its replies are garbage. Everything around the model
// is the real thing: HTTP API, image decoding and resizing, token counts, JSON
// constrained by a grammar, context overflow, streaming, errors.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/ollama/ollama/fs/ggml"
)

func main() {
	log.SetFlags(0)
	arch := flag.String("arch", "qwen3vl", "qwen3vl, or qwen3 for a model without vision")
	out := flag.String("o", "tiny.gguf", "file to write")
	flag.Parse()
	if err := run(*arch, *out); err != nil {
		log.Fatalf("tinyvlm: %v", err)
	}
}

func run(arch, out string) error {
	vision, ok := map[string]bool{"qwen3vl": true, "qwen3": false}[arch]
	if !ok {
		return fmt.Errorf("unknown architecture %q; use qwen3vl or qwen3", arch)
	}
	vocab := newVocabulary()
	kv := textKeys(arch, vocab)
	w := newWeights()
	w.text(vocab, vision)
	if vision {
		addVisionKeys(kv)
		w.vision()
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	return errors.Join(ggml.WriteGGUF(f, kv, w.tensors), f.Close())
}
