package aim

import (
	"bytes"
	"image"
	_ "image/jpeg" // screenshots come as JPEG
	_ "image/png"  // or as PNG
	"math/rand/v2"
)

func decode(data []byte) (image.Image, error) {
	picture, _, err := image.Decode(bytes.NewReader(data))
	return picture, err
}

// area is a part of the picture in its pixels.
type area struct{ left, top, right, bottom float64 }

func (a area) moved(dx, dy float64) area {
	return area{a.left + dx, a.top + dy, a.right + dx, a.bottom + dy}
}

// where is what the model takes for the target.
func (m Model) where(picture image.Image, rng *rand.Rand) area {
	size := picture.Bounds().Size()
	w, h := float64(size.X), float64(size.Y)
	spot := func(x, y float64) area { return area{x - 10, y - 10, x + 10, y + 10} }
	switch m.Sight {
	case Guesses:
		return spot(10+rng.Float64()*(w-20), 10+rng.Float64()*(h-20))
	case Constant:
		return spot(w/2, h/2)
	}
	found, ok := disc(picture)
	if !ok {
		return spot(w/2, h/2)
	}
	return found.moved(m.Offset.X+rng.NormFloat64()*m.Noise, m.Offset.Y+rng.NormFloat64()*m.Noise)
}

// disc is the box around everything red; false when nothing is.
func disc(picture image.Image) (area, bool) {
	var box image.Rectangle
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, bl, _ := picture.At(x, y).RGBA(); r>>8 > 180 && g>>8 < 90 && bl>>8 < 90 {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	box = box.Sub(b.Min)
	return area{float64(box.Min.X), float64(box.Min.Y), float64(box.Max.X), float64(box.Max.Y)}, !box.Empty()
}
