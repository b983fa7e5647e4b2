package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"fara/model"
)

// patient is a model that is examined.
type patient struct {
	srv         *server
	temperature float64
	images      int // the most in one request
}

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

// Sides of the shown pictures in pixels: sizes that grids of 28 and of 32 leave as
// they are.
const (
	sightSide = 448
	smallSide = 224
)

// thinking is room for the reply of a model that thinks, in tokens.
const thinking = 1024

// checkSight shows the model two pictures of one random colour each and asks for
// its name. One alone could be guessed. asked is false when the model could not
// be asked at all.
func (p patient) checkSight(ctx context.Context) (c check, asked bool) {
	c = check{Name: "sight", code: exitModel}
	order := rand.Perm(len(colours))[:2]
	for _, i := range order {
		said, err := p.ask(ctx, "Which colour fills this picture? Answer with one word out of: "+colourNames()+".", filled(sightSide, i))
		if err != nil {
			c.Text = fmt.Sprintf("the model could not be asked: %v", err)
			return c, errors.Is(err, errOnlyThinks)
		}
		if !slices.Equal(unique(named(said)), []string{colours[i].name}) {
			c.Text = fmt.Sprintf("shown a picture that is all %s the model answers %q; it does not see, or its server drops images: try another model or build of it", colours[i].name, cut(said, 80))
			return c, true
		}
	}
	c.OK, c.Text = true, fmt.Sprintf("shown %s and %s, the model names both", colours[order[0]].name, colours[order[1]].name)
	return c, true
}

// checkReading shows the model a random number, which nobody can guess.
func (p patient) checkReading(ctx context.Context) check {
	c := check{Name: "reading", code: exitModel}
	number := fmt.Sprint(1000 + rand.IntN(9000))
	said, err := p.ask(ctx, "Which number is in this picture? Answer with its four digits only.", written(number))
	switch {
	case err != nil:
		c.Text = fmt.Sprintf("the model could not be asked: %v", err)
	case !slices.Contains(numbers.FindAllString(said, -1), number):
		c.Text = fmt.Sprintf("shown the number %s the model reads %q, so it will misread pages too; use a larger model, one that is less quantised, or another build of it", number, cut(said, 80))
	default:
		c.OK, c.Text = true, fmt.Sprintf("the model reads the number %s in a picture", number)
	}
	return c
}

var numbers = regexp.MustCompile(`\d+`)

// checkImages sends as many pictures in one request as a run may.
func (p patient) checkImages(ctx context.Context) check {
	c := check{Name: "images", code: exitModel}
	var pictures []image.Image
	var want []string
	for _, i := range rotate(rand.Perm(len(colours)), p.images) {
		pictures, want = append(pictures, filled(smallSide, i)), append(want, colours[i].name)
	}
	said, err := p.ask(ctx, fmt.Sprintf("Here are pictures of one colour each. Name the colours of all %d in order, with words out of: %s.", p.images, colourNames()), pictures...)
	var refused *model.Error
	switch {
	case errors.Is(err, model.ErrTooManyImages) && errors.As(err, &refused):
		c.Text = fmt.Sprintf("the server does not take %d pictures in one request: %s; %s", p.images, cut(refused.Message, 120), moreImages(p.images, refused.MaxImages))
	case err != nil:
		c.Text = fmt.Sprintf("%d pictures in one request are not answered: %v; give a smaller --max-images", p.images, err)
	case !slices.Equal(unique(named(said)), unique(want)):
		c.Text = fmt.Sprintf("of %d pictures in one request (%s) the model names %q, so its server drops some, or it mixes them up; give a smaller --max-images", p.images, strings.Join(want, ", "), cut(said, 80))
	default:
		c.OK, c.Text = true, fmt.Sprintf("of %d in one request the model names all", p.images)
	}
	return c
}

func moreImages(want, takes int) string {
	advice := fmt.Sprintf(`start vLLM with --limit-mm-per-prompt '{"image": %d}'`, want)
	if takes > 0 {
		advice += fmt.Sprintf(", or give --max-images %d", takes)
	}
	return advice
}

// rotate gives n of the values, from the beginning again where there are fewer.
func rotate(values []int, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = values[i%len(values)]
	}
	return out
}

func unique(words []string) []string {
	out := slices.Sorted(slices.Values(words))
	return slices.Compact(out)
}

// errOnlyThinks is a model's way of answering nothing.
var errOnlyThinks = fmt.Errorf("it only thinks and has no answer within %d tokens; switch its thinking off where it is served, or use a model that thinks less", thinking)

// ask shows pictures with a question and gives the answer's text, without what the
// model thought.
func (p patient) ask(ctx context.Context, question string, pictures ...image.Image) (string, error) {
	message := model.Message{Role: model.User, Text: question}
	for _, img := range pictures {
		var buf bytes.Buffer
		if err := png.Encode(&buf, img); err != nil {
			return "", err
		}
		message.Images = append(message.Images, model.Image{Data: buf.Bytes(), MIME: "image/png"})
	}
	reply, err := p.srv.chat.Chat(ctx, model.Request{Messages: []model.Message{message}, MaxTokens: thinking, Temperature: p.temperature}, nil)
	text := reply.Text
	if at := strings.LastIndex(text, "</think>"); at >= 0 {
		text = text[at+len("</think>"):]
	}
	if err == nil && strings.TrimSpace(text) == "" && strings.TrimSpace(reply.Text+reply.Thinking) != "" {
		err = errOnlyThinks
	}
	return text, err
}

func filled(side, colour int) image.Image {
	return image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{colours[colour].rgb})
}

func colourNames() string {
	words := make([]string, len(colours))
	for i, c := range colours {
		words[i] = c.name
	}
	return strings.Join(words, ", ")
}

// named are the colours that an answer names, in its order.
func named(answer string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(strings.ToLower(answer), func(r rune) bool { return !unicode.IsLetter(r) }) {
		for _, c := range colours {
			if word == c.name {
				out = append(out, word)
			}
		}
	}
	return out
}
