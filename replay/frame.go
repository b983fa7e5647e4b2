package replay

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg" // how frames may be encoded
	_ "image/png"

	"fara/env"
)

// The constants of comparing pictures.
const (
	// faint is the most that a channel of a pixel may differ by, of 255, and be the same
	// for a person: less than a button's grey from the white around it.
	faint = 10
	// company is how many of the eight pixels around one have to differ too, so that it
	// counts: an upright line of one pixel, as of a text caret, has two.
	company = 3
)

// Box is a rectangle in frame pixels.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// String gives "80x21 at (100, 200)".
func (b Box) String() string { return fmt.Sprintf("%dx%d at (%d, %d)", b.W, b.H, b.X, b.Y) }

func (b Box) rectangle() image.Rectangle { return image.Rect(b.X, b.Y, b.X+b.W, b.Y+b.H) }

func boxOf(r image.Rectangle) *Box {
	if r.Empty() {
		return nil
	}
	return &Box{X: r.Min.X, Y: r.Min.Y, W: r.Dx(), H: r.Dy()}
}

// Contrast is how far two frames differ.
type Contrast struct {
	// Share is the part of the frame's pixels that differ, 0 to 1.
	Share float64 `json:"share"`
	// Box holds all of them; nil when there are none.
	Box *Box `json:"box,omitempty"`
}

// picture is a frame that was decoded.
type picture struct {
	data   []byte
	pixels *image.NRGBA
}

// decode reads an encoded frame.
func decode(data []byte) (picture, error) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return picture{}, fmt.Errorf("a frame cannot be read: %w", err)
	}
	size := img.Bounds().Size()
	pixels := image.NewNRGBA(image.Rectangle{Max: size})
	draw.Draw(pixels, pixels.Bounds(), img, img.Bounds().Min, draw.Src)
	return picture{data, pixels}, nil
}

func (p picture) size() env.Size {
	return env.Size{W: p.pixels.Rect.Dx(), H: p.pixels.Rect.Dy()}
}

// contrast compares two frames of one size outside masks. An exact one counts every
// pixel that is not the very same; else faint differences and single pixels and lines do
// not count.
func contrast(a, b picture, masks []Box, exact bool) Contrast {
	if bytes.Equal(a.data, b.data) {
		return Contrast{}
	}
	m := differing(a.pixels, b.pixels, exact)
	for _, mask := range masks {
		m.clear(mask.rectangle())
	}
	least := company
	if exact {
		least = 0
	}
	count, box := m.count(least)
	return Contrast{Share: float64(count) / float64(m.w*m.h), Box: boxOf(box)}
}

// marks has a byte for each pixel of a frame, 1 where it differs.
type marks struct {
	w, h int
	at   []byte
}

func differing(a, b *image.NRGBA, exact bool) marks {
	m := marks{w: a.Rect.Dx(), h: a.Rect.Dy()}
	m.at = make([]byte, m.w*m.h)
	most := faint
	if exact {
		most = 0
	}
	for y := range m.h {
		rowA, rowB := a.Pix[y*a.Stride:y*a.Stride+4*m.w], b.Pix[y*b.Stride:y*b.Stride+4*m.w]
		if bytes.Equal(rowA, rowB) {
			continue
		}
		for x := range m.w {
			if apart(rowA[4*x:4*x+4], rowB[4*x:4*x+4]) > most {
				m.at[y*m.w+x] = 1
			}
		}
	}
	return m
}

// apart is the largest difference of any channel.
func apart(a, b []byte) int {
	worst := 0
	for i := range a {
		d := int(a[i]) - int(b[i])
		worst = max(worst, d, -d)
	}
	return worst
}

func (m marks) clear(r image.Rectangle) {
	r = r.Intersect(image.Rect(0, 0, m.w, m.h))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		clear(m.at[y*m.w+r.Min.X : y*m.w+r.Max.X])
	}
}

// count counts the marks that have at least so many others around them, and gives the
// rectangle that holds these.
func (m marks) count(least int) (int, image.Rectangle) {
	n := 0
	var box image.Rectangle
	for y := range m.h {
		for x := range m.w {
			if m.at[y*m.w+x] == 0 || m.around(x, y) < least {
				continue
			}
			n++
			box = box.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	return n, box
}

func (m marks) around(x, y int) int {
	n := 0
	for ny := max(0, y-1); ny <= min(m.h-1, y+1); ny++ {
		for nx := max(0, x-1); nx <= min(m.w-1, x+1); nx++ {
			n += int(m.at[ny*m.w+nx])
		}
	}
	return n - 1 // itself
}

// scaled is a rectangle of the viewport, in CSS pixels, on a frame, with room around it
// for the outline of what has the focus.
func scaled(r env.Rect, viewport, frame env.Size) Box {
	if viewport.W == 0 || viewport.H == 0 {
		return Box{}
	}
	const room = 4 // CSS pixels
	sx, sy := float64(frame.W)/float64(viewport.W), float64(frame.H)/float64(viewport.H)
	x, y := int((r.X-room)*sx), int((r.Y-room)*sy)
	return Box{X: x, Y: y, W: int((r.X+r.W+room)*sx+1) - x, H: int((r.Y+r.H+room)*sy+1) - y}
}
