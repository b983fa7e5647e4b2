package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"fara/model"
)

// colours are what a model that sees can be expected to tell apart.
var colours = []struct {
	name string
	rgb  color.RGBA
}{
	{"red", color.RGBA{220, 20, 20, 255}},
	{"green", color.RGBA{20, 160, 40, 255}},
	{"blue", color.RGBA{20, 60, 220, 255}},
	{"yellow", color.RGBA{250, 220, 20, 255}},
	{"black", color.RGBA{0, 0, 0, 255}},
	{"white", color.RGBA{255, 255, 255, 255}},
}

// sightSide is the side of the shown picture in pixels: a size that grids of 28
// and of 32 leave as it is.
const sightSide = 448

// checkSight shows the model two pictures of one random colour each and asks for
// its name. One alone could be guessed.
func checkSight(ctx context.Context, srv *server) check {
	c := check{Name: "sight", code: exitModel}
	order := rand.Perm(len(colours))[:2]
	for _, i := range order {
		said, err := askColour(ctx, srv.chat, colours[i].rgb)
		if err != nil {
			c.Text = fmt.Sprintf("the model could not be asked: %v", err)
			return c
		}
		if !names(said, colours[i].name) {
			c.Text = fmt.Sprintf("shown a picture that is all %s the model answers %q; it does not see, or its server drops images: try another model or build of it", colours[i].name, cut(said, 80))
			return c
		}
	}
	c.OK, c.Text = true, fmt.Sprintf("shown %s and %s, the model names both", colours[order[0]].name, colours[order[1]].name)
	return c
}

func askColour(ctx context.Context, chat model.Chatter, rgb color.RGBA) (string, error) {
	img := image.NewPaletted(image.Rect(0, 0, sightSide, sightSide), color.Palette{rgb})
	var picture bytes.Buffer
	if err := png.Encode(&picture, img); err != nil {
		return "", err
	}
	words := make([]string, len(colours))
	for i, c := range colours {
		words[i] = c.name
	}
	reply, err := chat.Chat(ctx, model.Request{
		Messages: []model.Message{{
			Role:   model.User,
			Images: []model.Image{{Data: picture.Bytes(), MIME: "image/png"}},
			Text:   "Which colour fills this picture? Answer with one word out of: " + strings.Join(words, ", ") + ".",
		}},
		MaxTokens: 512, // a model that thinks needs room for it
	}, nil)
	return reply.Text, err
}

// names reports whether an answer names this colour and no other.
func names(answer, colour string) bool {
	words := strings.FieldsFunc(strings.ToLower(answer), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, c := range colours {
		if slices.Contains(words, c.name) != (c.name == colour) {
			return false
		}
	}
	return true
}
