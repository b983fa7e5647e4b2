package main

// Token types, as in tokenizer.ggml.token_type.
const (
	tokenNormal      = int32(1)
	tokenControl     = int32(3)
	tokenUserDefined = int32(4)
)

// vocabulary is a byte-level one: a text has as many tokens as bytes.
type vocabulary struct {
	tokens []string
	types  []int32
	ids    map[string]int // of the special tokens
}

func newVocabulary() *vocabulary {
	v := &vocabulary{ids: map[string]int{}}
	for b := range 256 {
		v.add(tokenNormal, string(byteRune(rune(b))))
	}
	v.addSpecial(tokenControl, "<|endoftext|>", "<|im_start|>", "<|im_end|>",
		"<|vision_start|>", "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>")
	v.addSpecial(tokenUserDefined, "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
	return v
}

// byteRune is the printable stand-in that GPT-2's byte-pair encoding uses for a byte.
func byteRune(b rune) rune {
	switch {
	case b == 0xad:
		return 0x143
	case b <= 0x20:
		return b + 0x100
	case b >= 0x7f && b <= 0xa0:
		return b + 0xa2
	}
	return b
}

func (v *vocabulary) add(kind int32, token string) {
	v.tokens, v.types = append(v.tokens, token), append(v.types, kind)
}

func (v *vocabulary) addSpecial(kind int32, tokens ...string) {
	for _, t := range tokens {
		v.ids[t] = len(v.tokens)
		v.add(kind, t)
	}
}

// sampled reports whether the model may say the token: printable ASCII, newline
// and the end of a turn, which keeps its garbage readable and valid UTF-8.
func (v *vocabulary) sampled(id int) bool {
	return id == '\n' || id >= 0x20 && id < 0x7f || id == v.ids["<|im_end|>"]
}
