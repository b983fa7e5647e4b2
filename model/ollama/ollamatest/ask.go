package ollamatest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"fara/model"
)

// Picture is a w×h PNG of one colour.
func Picture(t testing.TB, w, h int, fill color.Color) model.Image {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, fill)
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return model.Image{Data: buf.Bytes(), MIME: "image/png"}
}

// Ask is a short question with images.
func Ask(text string, images ...model.Image) model.Request {
	return model.Request{
		Messages:  []model.Message{{Role: model.User, Text: text, Images: images}},
		MaxTokens: 8,
	}
}
