package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ollama/ollama/fs/ggml"
)

// Ids that Ollama's qwen3vl hard-codes and inserts around every image. They need
// rows in the embedding, but nothing looks them up in the tokenizer, so the token
// list itself can stay short.
const (
	visionStartID = 151652
	visionEndID   = 151653
	imagePadID    = 151655
)

// weights collects random tensors. Shapes are in ggml's order: the fastest
// dimension first.
type weights struct {
	rng     *rand.Rand
	tensors []*ggml.Tensor
}

func newWeights() *weights { return &weights{rng: rand.New(rand.NewPCG(1, 42))} }

func (w *weights) add(name string, kind ggml.TensorType, data []byte, shape ...uint64) {
	w.tensors = append(w.tensors, &ggml.Tensor{Name: name, Kind: uint32(kind), Shape: shape, WriterTo: bytes.NewReader(data)})
}

func (w *weights) normal(n int, deviation float64) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(w.rng.NormFloat64() * deviation)
	}
	return out
}

func (w *weights) half(name string, deviation float64, shape ...uint64) {
	n := uint64(1)
	for _, s := range shape {
		n *= s
	}
	w.add(name, ggml.TensorTypeF16, float16Bytes(w.normal(int(n), deviation)), shape...)
}

func (w *weights) ones(name string, n int) {
	v := make([]float32, n)
	for i := range v {
		v[i] = 1
	}
	w.add(name, ggml.TensorTypeF32, float32Bytes(v), uint64(n))
}

func (w *weights) bias(name string, n int) {
	w.add(name+".bias", ggml.TensorTypeF32, float32Bytes(w.normal(n, 0.02)), uint64(n))
}

func (w *weights) linear(name string, in, out int) {
	w.half(name+".weight", 1/math.Sqrt(float64(in)), uint64(in), uint64(out))
}

func (w *weights) affine(name string, in, out int) {
	w.linear(name, in, out)
	w.bias(name, out)
}

func (w *weights) layerNorm(name string, n int) {
	w.ones(name+".weight", n)
	w.bias(name, n)
}

func (w *weights) text(v *vocabulary, vision bool) {
	w.embedding(v, vision)
	w.output(v)
	for i := range layers {
		p := fmt.Sprintf("blk.%d.", i)
		w.ones(p+"attn_norm.weight", hidden)
		for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			w.linear(p+name, hidden, hidden)
		}
		w.ones(p+"attn_q_norm.weight", headDim)
		w.ones(p+"attn_k_norm.weight", headDim)
		w.ones(p+"ffn_norm.weight", hidden)
		w.linear(p+"ffn_gate", hidden, feedForward)
		w.linear(p+"ffn_up", hidden, feedForward)
		w.linear(p+"ffn_down", feedForward, hidden)
	}
}

// embedding has random rows for the ids in use and zeros between them, which
// are never looked up.
func (w *weights) embedding(v *vocabulary, vision bool) {
	rows := len(v.tokens)
	if vision {
		rows = imagePadID + 1
	}
	table := make([]float32, rows*hidden)
	copy(table, w.normal(len(v.tokens)*hidden, 1))
	if vision {
		for _, id := range []int{visionStartID, visionEndID, imagePadID} {
			copy(table[id*hidden:], w.normal(hidden, 1))
		}
	}
	w.add("token_embd.weight", ggml.TensorTypeQ4_0, q4Bytes(table), hidden, uint64(rows))
}

// output is only as tall as the token list, so that no padding id can be sampled.
func (w *weights) output(v *vocabulary) {
	table := make([]float32, len(v.tokens)*hidden)
	for id := range v.tokens {
		if v.sampled(id) {
			copy(table[id*hidden:], w.normal(hidden, 0.5))
		}
	}
	w.add("output.weight", ggml.TensorTypeF16, float16Bytes(table), hidden, uint64(len(v.tokens)))
	w.ones("output_norm.weight", hidden)
}

func (w *weights) vision() {
	const width = visionHidden
	w.half("v.patch_embed.weight", 0.04, patch, patch, 2, 3*width)
	w.bias("v.patch_embed", width)
	w.half("v.pos_embed.weight", 0.02, width, visionSquares)
	for i := range visionLayers {
		p := fmt.Sprintf("v.blk.%d.", i)
		w.layerNorm(p+"norm1", width)
		for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_out"} {
			w.affine(p+name, width, width)
		}
		w.layerNorm(p+"norm2", width)
		w.affine(p+"mlp.linear_fc1", width, 2*width)
		w.affine(p+"mlp.linear_fc2", 2*width, width)
	}
	w.layerNorm("v.merger.norm", width)
	w.affine("v.merger.linear_fc1", 4*width, 4*width)
	w.affine("v.merger.linear_fc2", 4*width, hidden)
	w.layerNorm("v.deepstack_merger.0.norm", 4*width)
	w.affine("v.deepstack_merger.0.linear_fc1", 4*width, 4*width)
	w.affine("v.deepstack_merger.0.linear_fc2", 4*width, hidden)
}
