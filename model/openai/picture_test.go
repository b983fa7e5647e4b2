package openai_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"fara/model"
)

// picture is a w×h PNG of one colour.
func picture(t *testing.T, w, h int, fill color.Color) model.Image {
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

func ask(text string, images ...model.Image) model.Request {
	return model.Request{
		Messages:  []model.Message{{Role: model.User, Text: text, Images: images}},
		MaxTokens: 8,
	}
}
