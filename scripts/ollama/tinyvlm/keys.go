package main

import "github.com/ollama/ollama/fs/ggml"

// Sizes of the network: the smallest that every part of the server accepts.
const (
	hidden       = 32 // a multiple of the quantisation's block
	layers       = 2
	heads        = 2
	headDim      = hidden / heads
	feedForward  = 2 * hidden
	visionHidden = 32
	visionLayers = 1
	contextLen   = 32768

	patch         = 16
	visionSquares = 64 // positional embeddings of the vision tower
)

// Ollama ignores a value whose Go type is not exactly the expected one and uses
// its default, hence the conversions in both tables.

func textKeys(arch string, v *vocabulary) ggml.KV {
	end, imEnd := v.ids["<|endoftext|>"], v.ids["<|im_end|>"]
	return ggml.KV{
		"general.architecture":             arch,
		"general.name":                     "tiny-" + arch,
		"general.file_type":                ggml.FileTypeF16,
		"block_count":                      uint32(layers),
		"context_length":                   uint32(contextLen),
		"embedding_length":                 uint32(hidden),
		"feed_forward_length":              uint32(feedForward),
		"attention.head_count":             uint32(heads),
		"attention.head_count_kv":          uint32(heads),
		"attention.key_length":             uint32(headDim),
		"attention.value_length":           uint32(headDim),
		"attention.layer_norm_rms_epsilon": float32(1e-6),
		"rope.freq_base":                   float32(1e6),
		"rope.dimension_count":             uint32(headDim),
		"tokenizer.ggml.model":             "gpt2",
		"tokenizer.ggml.pre":               "qwen2",
		"tokenizer.ggml.tokens":            v.tokens,
		"tokenizer.ggml.token_type":        v.types,
		"tokenizer.ggml.merges":            []string{"Ġ t"}, // required, never used: "Ġt" is no token
		"tokenizer.ggml.add_bos_token":     false,
		"tokenizer.ggml.bos_token_id":      uint32(end),
		"tokenizer.ggml.eos_token_id":      uint32(imEnd),
		"tokenizer.ggml.eos_token_ids":     []int32{int32(imEnd), int32(end)},
		"tokenizer.ggml.padding_token_id":  uint32(end),
	}
}

func addVisionKeys(kv ggml.KV) {
	kv["mrope_sections"] = []int32{2, 3, 3} // add up to headDim/2
	kv["vision.block_count"] = uint32(visionLayers)
	kv["vision.embedding_length"] = uint32(visionHidden)
	kv["vision.attention.head_count"] = uint32(heads)
	kv["vision.attention.layer_norm_epsilon"] = float32(1e-6)
	kv["vision.num_channels"] = uint32(3)
	kv["vision.patch_size"] = uint32(patch)
	kv["vision.spatial_merge_size"] = uint32(2)
	kv["vision.temporal_patch_size"] = uint32(2)
	kv["vision.rope.freq_base"] = float32(1e4)
	kv["vision.num_positional_embeddings"] = uint32(visionSquares)
	kv["vision.deepstack_visual_indexes"] = []int32{0}
	kv["vision.shortest_edge"] = uint32(65536)   // pixels, as Qwen3-VL's own configuration has it
	kv["vision.longest_edge"] = uint32(16777216) // the same; Ollama ignores it and uses 2<<20
	kv["vision.image_mean"] = []float32{0.5, 0.5, 0.5}
	kv["vision.image_std"] = []float32{0.5, 0.5, 0.5}
}
