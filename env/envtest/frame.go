package envtest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strconv"

	"fara/env"
)

// digits are 3×5 pictures of the ten digits, a row of three bits at a time.
var digits = [10][5]uint8{
	{7, 5, 5, 5, 7}, {2, 6, 2, 2, 7}, {7, 1, 7, 4, 7}, {7, 1, 7, 1, 7}, {5, 5, 7, 1, 1},
	{7, 4, 7, 1, 7}, {7, 4, 7, 5, 7}, {7, 1, 1, 1, 1}, {7, 5, 7, 5, 7}, {7, 5, 7, 1, 7},
}

// Frame is the PNG of a plain page of a given size in pixels that shows a
// number. Frames of different numbers differ, frames of one number are equal.
func Frame(size env.Size, number int) []byte {
	tint := uint8(200 + number*7%50)
	img := image.NewPaletted(image.Rect(0, 0, size.W, size.H), color.Palette{
		color.RGBA{tint, 220, 255 - tint/2, 255}, color.RGBA{20, 20, 20, 255},
	})
	dot := max(1, size.H/40)
	for i, digit := range strconv.Itoa(number) {
		if digit < '0' || digit > '9' {
			continue
		}
		for y, row := range digits[digit-'0'] {
			for x := range 3 {
				if row&(4>>x) != 0 {
					square(img, dot*(2+4*i+x), dot*(2+y), dot)
				}
			}
		}
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	_ = encoder.Encode(&out, img) // a buffer takes everything
	return out.Bytes()
}

func square(img *image.Paletted, left, top, side int) {
	for y := top; y < top+side; y++ {
		for x := left; x < left+side; x++ {
			if image.Pt(x, y).In(img.Rect) {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
}
