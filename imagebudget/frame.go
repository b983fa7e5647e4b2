package imagebudget

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"

	"github.com/disintegration/imaging"

	"fara/env"
)

// jpegQuality keeps small text readable at a fifth of a PNG's size.
const jpegQuality = 80

// Frame is a picture as the model gets it, with what is needed to find the
// model's numbers again on the page.
type Frame struct {
	// Image is the encoded picture, MIME its format.
	Image []byte
	MIME  string
	Geometry
}

// Prepare makes the frame for a target size. A picture that already has it goes
// through untouched, byte for byte and undecoded; any other is decoded,
// resampled once with Catmull-Rom, the counterpart of the bicubic filter the
// models were trained with, and encoded in its own format again.
func Prepare(obs env.Observation, target env.Size, space Space) (Frame, error) {
	f := Frame{Image: obs.Image, MIME: obs.MIME, Geometry: Geometry{Size: target, Viewport: obs.Viewport, Space: space}}
	if obs.ImageSize == target {
		return f, nil
	}
	img, err := decode(obs.Image, obs.MIME)
	if err != nil {
		return Frame{}, fmt.Errorf("frame of %v: %w", obs.ImageSize, err)
	}
	small := imaging.Resize(img, target.W, target.H, imaging.CatmullRom)
	f.Image, err = encode(small, obs.MIME)
	if err != nil {
		return Frame{}, fmt.Errorf("frame of %v: %w", target, err)
	}
	return f, nil
}

func decode(data []byte, mime string) (image.Image, error) {
	switch mime {
	case "image/png":
		return png.Decode(bytes.NewReader(data))
	case "image/jpeg":
		return jpeg.Decode(bytes.NewReader(data))
	}
	return nil, fmt.Errorf("pictures of type %q cannot be read; use PNG or JPEG", mime)
}

func encode(img *image.NRGBA, mime string) ([]byte, error) {
	var buf bytes.Buffer
	if mime == "image/png" {
		enc := png.Encoder{CompressionLevel: png.BestSpeed}
		err := enc.Encode(&buf, img)
		return buf.Bytes(), err
	}
	// The JPEG encoder has a fast path for RGBA only.
	rgba := image.NewRGBA(img.Bounds())
	draw.Draw(rgba, rgba.Bounds(), img, image.Point{}, draw.Src)
	err := jpeg.Encode(&buf, rgba, &jpeg.Options{Quality: jpegQuality})
	return buf.Bytes(), err
}
