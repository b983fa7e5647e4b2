package main

import (
	"image"
	"image/color"
	"strings"
)

// digits are drawn as squares, 5 by 7 of them.
var digits = [10]string{
	".###. #...# #...# #...# #...# #...# .###.",
	"..#.. .##.. ..#.. ..#.. ..#.. ..#.. .###.",
	".###. #...# ....# ...#. ..#.. .#... #####",
	".###. #...# ....# ..##. ....# #...# .###.",
	"...#. ..##. .#.#. #..#. ##### ...#. ...#.",
	"##### #.... ####. ....# ....# #...# .###.",
	".###. #.... #.... ####. #...# #...# .###.",
	"##### ....# ...#. ..#.. ..#.. ..#.. ..#..",
	".###. #...# #...# .###. #...# #...# .###.",
	".###. #...# #...# .#### ....# ....# .###.",
}

// Sizes of a drawn digit in pixels.
const (
	square  = 14
	advance = 7 * square
)

// written is a number of up to four digits, black on white.
func written(number string) image.Image {
	img := image.NewPaletted(image.Rect(0, 0, sightSide, sightSide), color.Palette{color.White, color.Black})
	left := (sightSide - (len(number)*advance - 2*square)) / 2
	for i, digit := range number {
		for row, line := range strings.Fields(digits[digit-'0']) {
			for column, mark := range line {
				if mark == '#' {
					fill(img, left+i*advance+column*square, sightSide/3+row*square)
				}
			}
		}
	}
	return img
}

func fill(img *image.Paletted, left, top int) {
	for y := range square {
		for x := range square {
			img.SetColorIndex(left+x, top+y, 1)
		}
	}
}
