package pixel

import (
	"image"
	"image/color"
	"strconv"
)

// codeLength is how many squares an order number has.
const codeLength = 6

// readCode reads the squares along the middle of a seal, left to right; empty
// when there are not as many as a number has.
func readCode(picture *image.RGBA, box image.Rectangle) string {
	ground := marks()[len(marks())-1].fill
	y := (box.Min.Y + box.Max.Y) / 2
	code := ""
	start := -1
	for x := box.Min.X; x <= box.Max.X; x++ {
		square := x < box.Max.X && distance(picture.RGBAAt(x, y), ground) > tolerance
		switch {
		case square && start < 0:
			start = x
		case !square && start >= 0:
			if x-start >= box.Dy()/4 {
				code += strconv.Itoa(digitOf(picture.RGBAAt((start+x)/2, y)))
			}
			start = -1
		}
	}
	if len(code) != codeLength {
		return ""
	}
	return code
}

func digitOf(c color.RGBA) int {
	best := 0
	fills := digits()
	for i, fill := range fills {
		if distance(c, fill) < distance(c, fills[best]) {
			best = i
		}
	}
	return best
}
