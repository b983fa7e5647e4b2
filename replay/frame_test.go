package replay

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"fara/env"
)

// drawn is a white picture of 100x50 with rectangles of a colour in it.
func drawn(t *testing.T, c color.Color, boxes ...image.Rectangle) picture {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 100, 50))
	for y := range 50 {
		for x := range 100 {
			img.Set(x, y, color.White)
		}
	}
	for _, b := range boxes {
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				img.Set(x, y, c)
			}
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	p, err := decode(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestContrastCountsWhatAPersonWouldSee(t *testing.T) {
	white := drawn(t, color.White)
	block := image.Rect(10, 20, 20, 30)
	for _, c := range []struct {
		what  string
		now   picture
		masks []Box
		exact bool
		share float64
		box   *Box
	}{
		{what: "nothing", now: white},
		{what: "a block", now: drawn(t, color.Black, block), share: 0.02, box: &Box{10, 20, 10, 10}},
		{what: "a faint block", now: drawn(t, color.Gray{Y: 245}, block)},
		{what: "a faint block, exactly", now: drawn(t, color.Gray{Y: 254}, block), exact: true, share: 0.02, box: &Box{10, 20, 10, 10}},
		{what: "a button's grey", now: drawn(t, color.Gray{Y: 239}, block), share: 0.02, box: &Box{10, 20, 10, 10}},
		{what: "a caret", now: drawn(t, color.Black, image.Rect(30, 10, 31, 30))},
		{what: "a caret, exactly", now: drawn(t, color.Black, image.Rect(30, 10, 31, 30)), exact: true, share: 0.004, box: &Box{30, 10, 1, 20}},
		{what: "a pixel", now: drawn(t, color.Black, image.Rect(0, 0, 1, 1))},
		{what: "a masked block", now: drawn(t, color.Black, block), masks: []Box{{10, 20, 10, 10}}},
		{what: "a mask beyond the edges", now: drawn(t, color.Black, block), masks: []Box{{-5, -5, 300, 300}}},
		{what: "half a mask", now: drawn(t, color.Black, block), masks: []Box{{10, 20, 5, 10}}, exact: true, share: 0.01, box: &Box{15, 20, 5, 10}},
	} {
		got := contrast(white, c.now, c.masks, c.exact)
		same := got.Box == nil && c.box == nil || got.Box != nil && c.box != nil && *got.Box == *c.box
		if got.Share != c.share || !same {
			t.Errorf("%s: got %v in %v, want %v in %v", c.what, got.Share, got.Box, c.share, c.box)
		}
	}
}

func TestMaskIsOnTheFrame(t *testing.T) {
	got := scaled(env.Rect{X: 100, Y: 50, W: 200, H: 40}, env.Size{W: 1440, H: 896}, env.Size{W: 720, H: 448})
	if want := (Box{X: 48, Y: 23, W: 105, H: 25}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSameAddressLeavesOutWhatDiffersFromVisitToVisit(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://a.example", "https://A.example/?session=1#x", true},
		{"https://a.example/x", "https://a.example/y", false},
		{"https://a.example/x", "http://a.example/x", false},
		{"https://a.example/x", "https://a.example:8443/x", false},
		{"about:blank", "about:blank", true},
		{"about:blank", "chrome-error://chromewebdata/", false},
		{"data:text/html,a", "data:text/html,b", false},
		{"blob:https://a.example/1", "blob:https://a.example/2", true},
	} {
		if got := sameAddress(c.a, c.b); got != c.same {
			t.Errorf("%s and %s: got %v, want %v", c.a, c.b, got, c.same)
		}
	}
}
