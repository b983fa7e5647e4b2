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

// CountPrompt counts a request as Server and LimitTokens do: one token for every
// four characters of each message, rounded up, one for the message itself, and
// CountImage for each picture.
func CountPrompt(req model.Request) int {
	total := 0
	for _, message := range req.Messages {
		total += 1 + CountText(message.Text)
		for _, picture := range message.Images {
			total += CountImage(picture.Data)
		}
	}
	return total
}

// CountText counts a text: one token for every four characters, rounded up.
func CountText(text string) int {
	return (utf8.RuneCountInString(text) + charsPerToken - 1) / charsPerToken
}

// CountImage counts an encoded picture: a 1440x896 one is 45*28+2 = 1262 tokens,
// something that is no PNG or JPEG is 2.
func CountImage(data []byte) int {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return imageFrame
	}
	return cells(config.Width)*cells(config.Height) + imageFrame
}

func cells(side int) int { return max(1, (side+imageGrid/2)/imageGrid) }
