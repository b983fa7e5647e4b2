package pixel_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"fara/model"
	"fara/model/modeltest/pixel"
)

// page is a picture in the making; boxes are in CSS pixels, times scale.
type page struct {
	picture *image.RGBA
	scale   int
}

func blank(w, h int) page { return blankScaled(w, h, 1) }

func blankScaled(w, h, scale int) page {
	p := page{image.NewRGBA(image.Rect(0, 0, w*scale, h*scale)), scale}
	draw.Draw(p.picture, p.picture.Rect, image.NewUniform(color.RGBA{250, 247, 242, 255}), image.Point{}, draw.Src)
	return p
}

func (p page) box(c color.RGBA, x, y, w, h int) page {
	r := image.Rect(x*p.scale, y*p.scale, (x+w)*p.scale, (y+h)*p.scale)
	draw.Draw(p.picture, r, image.NewUniform(c), image.Point{}, draw.Src)
	return p
}

func (p page) png(t *testing.T) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, p.picture); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func (p page) jpeg(t *testing.T) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, p.picture, &jpeg.Options{Quality: 70}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

type reply struct {
	Thought    string
	Action     string
	Coordinate []float64
	Text       string
	Pixels     float64
	Answer     string
	Status     string
}

func (r reply) String() string {
	return fmt.Sprintf("%s %v %q %v %q %s (%s)", r.Action, r.Coordinate, r.Text, r.Pixels, r.Answer, r.Status, r.Thought)
}

func (r reply) hits(size image.Point, x, y float64, slack float64) bool {
	if r.Action != "left_click" || len(r.Coordinate) != 2 {
		return false
	}
	dx := r.Coordinate[0]*float64(size.X)/1000 - x
	dy := r.Coordinate[1]*float64(size.Y)/1000 - y
	return dx*dx+dy*dy <= slack*slack
}

func shows(text string, data []byte) model.Message {
	return model.Message{Role: model.User, Text: text, Images: []model.Image{{Data: data}}}
}

func chat(t *testing.T, messages ...model.Message) string {
	t.Helper()
	got, err := pixel.Model{}.Chat(t.Context(), model.Request{Messages: messages}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got.Text
}

// answers asks and takes the reply's one call apart.
func answers(t *testing.T, messages ...model.Message) reply {
	t.Helper()
	return parse(t, chat(t, messages...))
}

func parse(t *testing.T, text string) reply {
	t.Helper()
	thought, rest, found := strings.Cut(text, "\n<tool_call>\n")
	call, closed := strings.CutSuffix(rest, "\n</tool_call>")
	if !found || !closed {
		t.Fatalf("reply %q has no call in the fara-1.5 format", text)
	}
	var parsed struct {
		Name      string
		Arguments reply
	}
	if err := json.Unmarshal([]byte(call), &parsed); err != nil || parsed.Name != "computer_use" {
		t.Fatalf("call %q: %v", call, err)
	}
	parsed.Arguments.Thought = thought
	return parsed.Arguments
}
