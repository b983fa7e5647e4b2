package modeltest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"net/http"

	"fara/model"
)

// LimitPixels fails on every request with a picture of more than limit pixels,
// each time, as Ollama does when a picture crashes its runner: status 500 and
// words that do not speak of pictures.
func LimitPixels(brain model.Chatter, limit int) model.Chatter {
	return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
		for _, message := range req.Messages {
			for _, picture := range message.Images {
				if config, _, err := image.DecodeConfig(bytes.NewReader(picture.Data)); err == nil && config.Width*config.Height > limit {
					return model.Reply{}, &model.Error{Kind: model.ErrServer, Status: http.StatusInternalServerError, Message: runnerStopped}
				}
			}
		}
		return brain.Chat(ctx, req, until)
	})
}

// CutPrompts cuts prompts of more than limit tokens by CountPrompt without a
// word, as Ollama does on its OpenAI-compatible API: the oldest turns go first,
// then the pictures. The only sign is that the reply counts exactly limit tokens.
func CutPrompts(brain model.Chatter, limit int) model.Chatter {
	return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
		cut := CountPrompt(req) > limit
		if cut {
			req = squeeze(cloneRequest(req), Grid(imageGrid), limit)
		}
		reply, err := brain.Chat(ctx, req, until)
		if cut && err == nil && reply.Usage != (model.Usage{}) {
			reply.Usage.PromptTokens = limit
		}
		return reply, err
	})
}

// CountBy reports what a law makes of the prompt. Server takes its law from
// Config; this is for a model without one.
func CountBy(brain model.Chatter, law Law) model.Chatter {
	return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
		reply, err := brain.Chat(ctx, req, until)
		if err == nil && reply.Usage != (model.Usage{}) {
			reply.Usage.PromptTokens = law.Prompt(req)
		}
		return reply, err
	})
}

// Alternating refuses a conversation in which, after the system's message, user
// and assistant do not take turns, beginning and ending with the user, as the
// strict chat templates do. A tool's turn counts as the user's.
func Alternating(brain model.Chatter) model.Chatter {
	return chatFunc(func(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
		if err := alternate(req.Messages); err != nil {
			return model.Reply{}, err
		}
		return brain.Chat(ctx, req, until)
	})
}

func alternate(messages []model.Message) error {
	want := model.User
	for i, message := range messages {
		role := message.Role
		if role == model.Tool {
			role = model.User
		}
		switch {
		case i == 0 && role == model.System:
			continue
		case role != want:
			return rolesError(i, message.Role)
		case role == model.User:
			want = model.Assistant
		default:
			want = model.User
		}
	}
	if want == model.User {
		return rolesError(len(messages), "nobody")
	}
	return nil
}

func rolesError(i int, role model.Role) error {
	return &model.Error{
		Kind: model.ErrBadRequest, Status: http.StatusBadRequest,
		Message: fmt.Sprintf("Conversation roles must alternate user/assistant/user/assistant/...; message %d is %s's", i, role),
	}
}
