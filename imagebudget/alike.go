package imagebudget

import (
	"bytes"
	"image"
	"image/draw"
	_ "image/jpeg" // frames come as either
	_ "image/png"
)

// caret is the largest part of a picture that a blinking text caret takes, in
// pixels: it is thin, even at twice the scale, and no digit is.
var caret = image.Pt(4, 80)

// Alike reports whether two encoded pictures show the same, but for one thin
// upright line such as a text caret that was drawn in only one of them. Pictures
// of different sizes, or that cannot be read, are not alike.
func Alike(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := pixels(a), pixels(b)
	if x == nil || y == nil || x.Rect != y.Rect {
		return false
	}
	var changed image.Rectangle
	for row := x.Rect.Min.Y; row < x.Rect.Max.Y; row++ {
		from, to := x.PixOffset(x.Rect.Min.X, row), x.PixOffset(x.Rect.Max.X, row)
		changed = changed.Union(difference(x.Pix[from:to], y.Pix[from:to], row))
		if changed.Dx() > caret.X || changed.Dy() > caret.Y {
			return false
		}
	}
	return true
}

// difference is the part of a row, four bytes a pixel, in which two rows differ.
func difference(a, b []byte, row int) image.Rectangle {
	if bytes.Equal(a, b) {
		return image.Rectangle{}
	}
	first, last := -1, 0
	for i := range a {
		if a[i] != b[i] {
			if first < 0 {
				first = i / 4
			}
			last = i / 4
		}
	}
	return image.Rect(first, row, last+1, row+1)
}

func pixels(data []byte) *image.RGBA {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	out := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}
