package chrome

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"

	"fara/env"
)

// cloth is what is painted over what a picture must not show.
var cloth = color.RGBA{R: 0x50, G: 0x50, B: 0x58, A: 0xff}

// paintOver paints boxes of the page, width CSS pixels wide, over an encoded
// picture of it and encodes it again. What lies outside of it is left out. Its own
// error holds none of what the picture shows.
func paintOver(encoded []byte, format FrameFormat, width float64, boxes []env.Rect) ([]byte, error) {
	decoded, _, err := image.Decode(bytes.NewReader(encoded))
	if err != nil {
		return nil, fmt.Errorf("%w (%v)", errUnmasked, err)
	}
	canvas, drawable := decoded.(draw.Image)
	if !drawable {
		canvas = image.NewRGBA(decoded.Bounds())
		draw.Draw(canvas, canvas.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	}
	scale := float64(canvas.Bounds().Dx()) / width
	for _, r := range boxes {
		draw.Draw(canvas, inPixels(r, scale).Intersect(canvas.Bounds()), image.NewUniform(cloth), image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	if format == JPEG {
		err = jpeg.Encode(&out, canvas, &jpeg.Options{Quality: 90}) // the second loss is small
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, canvas)
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%v)", errUnmasked, err)
	}
	return out.Bytes(), nil
}

// inPixels are the whole pixels that a box touches at a scale, and one around it
// for edges that are drawn softly. (10,10) of 20x10 at 2 is (19,19)-(61,41).
func inPixels(r env.Rect, scale float64) image.Rectangle {
	near := func(v float64) int { return int(max(-1e6, min(1e6, v))) }
	return image.Rect(
		near(math.Floor(r.X*scale))-1, near(math.Floor(r.Y*scale))-1,
		near(math.Ceil((r.X+r.W)*scale))+1, near(math.Ceil((r.Y+r.H)*scale))+1)
}
