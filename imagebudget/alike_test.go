package imagebudget_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"

	"fara/imagebudget"
)

// drawn gives a picture of W×H with black boxes on white.
func drawn(t *testing.T, size image.Point, boxes ...image.Rectangle) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for _, b := range boxes {
		draw.Draw(img, b, image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestOnlyACaretMakesNoDifference(t *testing.T) {
	size := image.Pt(200, 120)
	plain := drawn(t, size)
	for name, c := range map[string]struct {
		other []byte
		want  bool
	}{
		"the very same":           {plain, true},
		"a caret":                 {drawn(t, size, image.Rect(50, 20, 52, 40)), true},
		"a tall caret":            {drawn(t, size, image.Rect(50, 20, 54, 100)), true},
		"a box that was ticked":   {drawn(t, size, image.Rect(50, 20, 56, 26)), false},
		"a line that is too tall": {drawn(t, size, image.Rect(50, 20, 52, 102)), false},
		"a flat line":             {drawn(t, size, image.Rect(50, 20, 70, 22)), false},
		"two carets far apart":    {drawn(t, size, image.Rect(50, 20, 52, 40), image.Rect(150, 20, 152, 40)), false},
		"another size":            {drawn(t, image.Pt(201, 120)), false},
		"no picture":              {[]byte("no picture"), false},
	} {
		if got := imagebudget.Alike(plain, c.other); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
		if got := imagebudget.Alike(c.other, plain); got != c.want {
			t.Errorf("%s, the other way round: got %t, want %t", name, got, c.want)
		}
	}
}
