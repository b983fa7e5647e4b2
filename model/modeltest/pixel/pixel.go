// Package pixel is a model that really looks at its picture: it decodes the
// newest screenshot, finds what it knows by colour and shape, and answers in
// the format of the fara-1.5 dialect. With it the whole way from browser to
// model and back can be run and tested without a GPU.
//
// It gets nothing but the request, as any model does: no page, no address, no
// layout. Values to choose and type are read from the task, where they stand in
// quotes. It knows the marks of one family of pages only and says so when it
// sees none of them; it is no measure of what a real model can do.
package pixel

import (
	"context"
	"errors"
	"fmt"
	"image"
	"unicode/utf8"

	"fara/model"
)

// Model is the model that looks at pixels. The zero value is ready; it keeps
// nothing between calls and may be used by several goroutines.
type Model struct{}

// Chat answers with a thought and one call, or with plain words when the only
// message asks for colours or a number. It fails with the context's cause, or with a
// model.Error of kind model.ErrBadRequest for a picture that is no PNG or JPEG.
func (Model) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	if err := context.Cause(ctx); err != nil {
		return model.Reply{}, err
	}
	text, err := answer(req.Messages)
	if err != nil {
		return model.Reply{}, &model.Error{Kind: model.ErrBadRequest, Message: err.Error()}
	}
	reply := model.Reply{Text: text, Finish: model.FinishStop, Model: "pixel"}
	if until != nil && until(text) {
		reply.Finish = model.FinishUntil
		return reply, nil
	}
	reply.Usage = model.Usage{
		PromptTokens:     countTokens(req.Messages),
		CompletionTokens: utf8.RuneCountInString(text)/4 + 1,
	}
	return reply, nil
}

// countTokens is a rough count: four characters a token, 1260 for a picture.
func countTokens(messages []model.Message) int {
	n := 0
	for _, message := range messages {
		n += utf8.RuneCountInString(message.Text)/4 + 1 + 1260*len(message.Images)
	}
	return n
}

func answer(messages []model.Message) (string, error) {
	picture, err := newestPicture(messages)
	if err != nil {
		return "", err
	}
	if picture == nil {
		return "I see no picture.", nil
	}
	switch {
	case asksForColour(messages):
		return nameColours(messages)
	case asksForNumber(messages):
		return readNumber(picture), nil
	}
	goal := readGoal(messages)
	past := remember(messages)
	seen := look(picture, goal.glaze)
	return past.checked(decide(seen, goal, past)).text(seen.size), nil
}

// newestPicture decodes the last image of the last message that has one; nil
// when there is none.
func newestPicture(messages []model.Message) (*image.RGBA, error) {
	for i := len(messages) - 1; i >= 0; i-- {
		images := messages[i].Images
		if len(images) == 0 {
			continue
		}
		picture, err := decode(images[len(images)-1].Data)
		if err != nil {
			return nil, fmt.Errorf("the newest picture: %w", err)
		}
		if picture.Bounds().Empty() {
			return nil, errors.New("the newest picture is empty")
		}
		return picture, nil
	}
	return nil, nil
}
