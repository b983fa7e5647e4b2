package modeltest

import (
	"bytes"
	"image"
	_ "image/jpeg" // pictures arrive as JPEG
	_ "image/png"  // or as PNG
	"unicode/utf8"

	"fara/model"
)

const (
	charsPerToken = 4
	// imageGrid is the side in pixels of the square that costs one token.
	imageGrid = 32
	// imageFrame is what a picture's start and end marks cost.
	imageFrame = 2
)

// Law is what a picture of a width and height in pixels costs in tokens. One
// that is no PNG or JPEG has neither.
type Law func(width, height int) int

// Grid is the law of Qwen's kin: a token for each square of side pixels, sides
// rounded to whole squares, and two for the start and end marks. 1440x896 is
// 45*28+2 = 1262 tokens by Grid(32), 51*32+2 = 1634 by Grid(28).
func Grid(side int) Law {
	return func(width, height int) int {
		if width == 0 || height == 0 {
			return imageFrame
		}
		return max(1, (width+side/2)/side)*max(1, (height+side/2)/side) + imageFrame
	}
}

// Flat is the law of models that make every picture the same size, such as
// Flat(256) for Gemma.
func Flat(tokens int) Law { return func(int, int) int { return tokens } }

// Prompt counts a request: one token for every four characters of each message,
// rounded up, one for the message itself, and the law's for each picture.
func (l Law) Prompt(req model.Request) int {
	total := 0
	for _, message := range req.Messages {
		total += 1 + CountText(message.Text)
		for _, picture := range message.Images {
			total += l.image(picture.Data)
		}
	}
	return total
}

func (l Law) image(data []byte) int {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return l(0, 0)
	}
	return l(config.Width, config.Height)
}

// CountPrompt counts a request as Server and LimitTokens do unless they are told
// of another law: by Grid(32).
func CountPrompt(req model.Request) int { return Grid(imageGrid).Prompt(req) }

// CountText counts a text: one token for every four characters, rounded up.
func CountText(text string) int {
	return (utf8.RuneCountInString(text) + charsPerToken - 1) / charsPerToken
}

// CountImage counts an encoded picture by Grid(32); something that is no PNG or
// JPEG is 2.
func CountImage(data []byte) int { return Grid(imageGrid).image(data) }
