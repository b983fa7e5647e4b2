package modeltest

import (
	"context"
	"fmt"
	"strings"

	"fara/model"
)

// chatFunc lets a function be a model.Chatter.
type chatFunc func(context.Context, model.Request, model.Until) (model.Reply, error)

func (f chatFunc) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	return f(ctx, req, until)
}

// LimitTokens refuses prompts of more than limit tokens by CountPrompt, with a
// model.Error of kind model.ErrContext in vLLM's words. Behind a Server the
// native API says it in Ollama's.
func LimitTokens(brain model.Chatter, limit int) model.Chatter {
	return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
		if got := CountPrompt(req); got > limit {
			return model.Reply{}, contextError(limit, got)
		}
		return brain.Chat(ctx, req, until)
	})
}

func contextError(limit, got int) error {
	return &model.Error{
		Kind:   model.ErrContext,
		Status: 400,
		Message: fmt.Sprintf("This model's maximum context length is %d tokens. However, your request has %d"+
			" input tokens. Please reduce the length of the input messages.", limit, got),
	}
}

// LimitImages refuses requests with more than limit pictures as vLLM does: a
// model.Error of kind model.ErrTooManyImages that names the limit.
func LimitImages(brain model.Chatter, limit int) model.Chatter {
	return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
		count := 0
		for _, message := range req.Messages {
			count += len(message.Images)
		}
		if count > limit {
			return model.Reply{}, &model.Error{
				Kind:      model.ErrTooManyImages,
				Status:    400,
				Message:   fmt.Sprintf("At most %d image(s) may be provided in one prompt.", limit),
				MaxImages: limit,
			}
		}
		return brain.Chat(ctx, req, until)
	})
}

// Reasoning files everything before the first <tool_call> apart as thinking, as
// servers with a reasoning parser do. A reply without a call is all thinking:
// its text is empty.
func Reasoning(brain model.Chatter) model.Chatter {
	return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
		reply, err := brain.Chat(ctx, req, nil)
		if err != nil {
			return reply, err
		}
		at := strings.Index(reply.Text, "<tool_call>")
		if at < 0 {
			at = len(reply.Text)
		}
		reply.Thinking += strings.TrimSpace(reply.Text[:at])
		reply.Text = reply.Text[at:]
		return feed(ctx, reply, until)
	})
}
