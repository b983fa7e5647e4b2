package imagebudget

import (
	"bytes"
	"hash/maphash"
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

// pixels are those of an encoded picture, nil when it cannot be read. What browsers
// encode needs no drawing, which would take longer than decoding it.
func pixels(data []byte) *image.RGBA {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	switch img := img.(type) {
	case *image.RGBA:
		return img
	case *image.NRGBA:
		if img.Opaque() { // then both forms are the same
			return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
		}
	case *image.Paletted:
		return unfold(img)
	}
	out := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

func unfold(img *image.Paletted) *image.RGBA {
	colors := make([][4]byte, 256)
	for i, c := range img.Palette {
		r, g, b, a := c.RGBA()
		colors[i] = [4]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8), byte(a >> 8)}
	}
	out := image.NewRGBA(img.Rect)
	for row := range img.Rect.Dy() {
		to := out.Pix[row*out.Stride:]
		for i, c := range img.Pix[row*img.Stride : row*img.Stride+img.Rect.Dx()] {
			copy(to[4*i:], colors[c][:])
		}
	}
	return out
}

// Rows are checksums of a picture's rows, good within one program.
type Rows []uint64

// RowsOf gives those of an encoded picture; none when it cannot be read.
func RowsOf(data []byte) Rows {
	img := pixels(data)
	if img == nil {
		return nil
	}
	rows := make(Rows, img.Rect.Dy())
	for i := range rows {
		from := i * img.Stride
		rows[i] = maphash.Bytes(seed, img.Pix[from:from+4*img.Rect.Dx()])
	}
	return rows
}

var seed = maphash.MakeSeed()

// Differ reports whether two pictures differ in more rows than Alike lets pass, which
// most pictures do that are not alike.
func (r Rows) Differ(from Rows) bool {
	if len(r) != len(from) {
		return true
	}
	first, last := -1, 0
	for i := range r {
		if r[i] != from[i] {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first >= 0 && last-first >= caret.Y
}
