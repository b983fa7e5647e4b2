package imagebudget_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"fara/env"
	"fara/imagebudget"
)

// picture draws a white picture with a black square whose centre is at a
// quarter of each side.
func picture(s env.Size) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, s.W, s.H))
	for y := range s.H {
		for x := range s.W {
			c := color.RGBA{255, 255, 255, 255}
			if x >= s.W/8 && x < s.W*3/8 && y >= s.H/8 && y < s.H*3/8 {
				c = color.RGBA{0, 0, 0, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

func observation(t *testing.T, s env.Size, mime string) env.Observation {
	t.Helper()
	var buf bytes.Buffer
	var err error
	if mime == "image/png" {
		err = png.Encode(&buf, picture(s))
	} else {
		err = jpeg.Encode(&buf, picture(s), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return env.Observation{Image: buf.Bytes(), MIME: mime, ImageSize: s, Viewport: s}
}

func TestPrepareKeepsFittingPicturesByteForByte(t *testing.T) {
	// Not even a picture: nothing may look inside.
	obs := env.Observation{Image: []byte("opaque"), MIME: "image/png", ImageSize: env.Size{W: 64, H: 32}, Viewport: env.Size{W: 64, H: 32}}
	f, err := imagebudget.Prepare(obs, env.Size{W: 64, H: 32}, imagebudget.Pixels)
	if err != nil || !bytes.Equal(f.Image, obs.Image) {
		t.Errorf("got %q, %v, want the same bytes", f.Image, err)
	}
}

func TestPrepareResamplesOtherSizes(t *testing.T) {
	target := env.Size{W: 320, H: 192}
	for _, mime := range []string{"image/png", "image/jpeg"} {
		obs := observation(t, env.Size{W: 640, H: 400}, mime)
		f, err := imagebudget.Prepare(obs, target, imagebudget.Pixels)
		if err != nil {
			t.Fatalf("%s: %v", mime, err)
		}
		img, format, err := image.Decode(bytes.NewReader(f.Image))
		if err != nil || "image/"+format != mime {
			t.Fatalf("%s: got format %s, %v", mime, format, err)
		}
		if got := (env.Size{W: img.Bounds().Dx(), H: img.Bounds().Dy()}); got != target || f.Size != target {
			t.Errorf("%s: got a picture of %v, want %v", mime, got, target)
		}
		if r, _, _, _ := img.At(80, 48).RGBA(); r > 0x1000 {
			t.Errorf("%s: the square's centre is not black: %v", mime, img.At(80, 48))
		}
		if r, _, _, _ := img.At(240, 144).RGBA(); r < 0xf000 {
			t.Errorf("%s: the background is not white: %v", mime, img.At(240, 144))
		}
	}
}

func TestPrepareNamesWhatItCannotRead(t *testing.T) {
	obs := env.Observation{Image: []byte("GIF89a"), MIME: "image/gif", ImageSize: env.Size{W: 10, H: 10}, Viewport: env.Size{W: 10, H: 10}}
	if _, err := imagebudget.Prepare(obs, env.Size{W: 32, H: 32}, imagebudget.Pixels); err == nil {
		t.Error("a GIF was taken")
	}
}

func BenchmarkPrepare(b *testing.B) {
	big := env.Size{W: 1440, H: 900}
	var buf bytes.Buffer
	if err := png.Encode(&buf, picture(big)); err != nil {
		b.Fatal(err)
	}
	obs := env.Observation{Image: buf.Bytes(), MIME: "image/png", ImageSize: big, Viewport: big}
	for _, c := range []struct {
		name   string
		target env.Size
	}{{"untouched", big}, {"resampled", env.Size{W: 1428, H: 896}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := imagebudget.Prepare(obs, c.target, imagebudget.Pixels); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
