package main

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"
)

func float32Bytes(v []float32) []byte {
	out := make([]byte, 0, 4*len(v))
	for _, f := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f))
	}
	return out
}

func float16Bytes(v []float32) []byte {
	out := make([]byte, 0, 2*len(v))
	for _, f := range v {
		out = binary.LittleEndian.AppendUint16(out, float16.Fromfloat32(f).Bits())
	}
	return out
}

// q4Bytes quantises to GGML's Q4_0: blocks of 32 values, each a float16 scale and
// 16 bytes of nibbles, value j low and value j+16 high.
func q4Bytes(v []float32) []byte {
	out := make([]byte, 0, len(v)/32*18)
	for ; len(v) > 0; v = v[32:] {
		block := v[:32]
		scale := largest(block) / -8
		inverse := float32(0)
		if scale != 0 {
			inverse = 1 / scale
		}
		nibble := func(x float32) byte { return byte(min(15, max(0, int(x*inverse+8.5)))) }
		out = binary.LittleEndian.AppendUint16(out, float16.Fromfloat32(scale).Bits())
		for j := range 16 {
			out = append(out, nibble(block[j])|nibble(block[j+16])<<4)
		}
	}
	return out
}

// largest is the value farthest from zero, with its sign.
func largest(v []float32) float32 {
	var m float32
	for _, x := range v {
		if math.Abs(float64(x)) > math.Abs(float64(m)) {
			m = x
		}
	}
	return m
}
