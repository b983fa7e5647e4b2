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
		if c.want && imagebudget.RowsOf(plain).Differ(imagebudget.RowsOf(c.other)) {
			t.Errorf("%s: their rows differ too much for what is alike", name)
		}
		if got := imagebudget.Alike(c.other, plain); got != c.want {
			t.Errorf("%s, the other way round: got %t, want %t", name, got, c.want)
		}
	}
}

func TestMostPicturesDifferByTheirRows(t *testing.T) {
	size := image.Pt(200, 300)
	plain := imagebudget.RowsOf(drawn(t, size))
	for name, other := range map[string][]byte{
		"a page":       drawn(t, size, image.Rect(0, 0, 200, 300)),
		"two places":   drawn(t, size, image.Rect(10, 10, 20, 20), image.Rect(10, 200, 20, 210)),
		"another size": drawn(t, image.Pt(200, 301)),
	} {
		if !plain.Differ(imagebudget.RowsOf(other)) {
			t.Errorf("%s: the rows do not differ", name)
		}
	}
	small := drawn(t, size, image.Rect(10, 10, 20, 20))
	if plain.Differ(imagebudget.RowsOf(small)) {
		t.Error("a small difference has to be looked at")
	}
}

// The same picture is the same however its colours are stored.
func TestEveryEncodingOfAPictureIsAlike(t *testing.T) {
	size := image.Pt(64, 48)
	plain := image.NewRGBA(image.Rectangle{Max: size})
	folded := image.NewPaletted(plain.Rect, color.Palette{color.White, color.Black})
	for _, img := range []draw.Image{plain, folded} {
		draw.Draw(img, plain.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(5, 5, 30, 30), image.Black, image.Point{}, draw.Src)
	}
	var a, b bytes.Buffer
	if err := png.Encode(&a, plain); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&b, folded); err != nil {
		t.Fatal(err)
	}
	if !imagebudget.Alike(a.Bytes(), b.Bytes()) || imagebudget.RowsOf(a.Bytes()).Differ(imagebudget.RowsOf(b.Bytes())) {
		t.Error("got two pictures of one")
	}
}
