package modeltest_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"

	"fara/model"
	"fara/model/modeltest"
)

func picture(t *testing.T, w, h int) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewRGBA(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestLimitTokensRefusesOnlyWhatIsOver(t *testing.T) {
	req := ask("abcd")
	req.Messages[0].Images = []model.Image{{Data: picture(t, 64, 64), MIME: "image/png"}}
	if got := modeltest.CountPrompt(req); got != 1+1+4+2 {
		t.Fatalf("got %d tokens, want 8: the message, four characters, 2x2 cells, their frame", got)
	}
	brain := modeltest.NewEndlessScript(modeltest.Text("ok"))
	if _, err := modeltest.LimitTokens(brain, 8).Chat(t.Context(), req, nil); err != nil {
		t.Errorf("at the limit: got %v, want none", err)
	}
	_, err := modeltest.LimitTokens(brain, 7).Chat(t.Context(), req, nil)
	if !errors.Is(err, model.ErrContext) || !strings.Contains(err.Error(), "7 tokens") {
		t.Errorf("over the limit: got %v, want ErrContext that names it", err)
	}
}

func TestLimitImagesNamesTheLimit(t *testing.T) {
	brain := modeltest.LimitImages(modeltest.NewEndlessScript(modeltest.Text("ok")), 1)
	req := ask("x")
	req.Messages[0].Images = []model.Image{{Data: []byte("a")}}
	if _, err := brain.Chat(t.Context(), req, nil); err != nil {
		t.Errorf("one picture: got %v, want none", err)
	}
	req.Messages = append(req.Messages, req.Messages[0])
	_, err := brain.Chat(t.Context(), req, nil)
	var refusal *model.Error
	if !errors.As(err, &refusal) || refusal.MaxImages != 1 || !errors.Is(err, model.ErrTooManyImages) {
		t.Errorf("two pictures: got %v, want ErrTooManyImages with limit 1", err)
	}
}

func TestReasoningIsFiledApart(t *testing.T) {
	for _, tt := range []struct{ text, thinking, rest string }{
		{"I see.\n<tool_call>\n{}\n</tool_call>", "I see.", "<tool_call>\n{}\n</tool_call>"},
		{"only words", "only words", ""},
	} {
		brain := modeltest.Reasoning(modeltest.NewScript(modeltest.Text(tt.text)))
		reply, err := brain.Chat(t.Context(), ask("x"), nil)
		if err != nil || reply.Thinking != tt.thinking || reply.Text != tt.rest {
			t.Errorf("%q: got %q and %q, %v, want %q and %q", tt.text, reply.Thinking, reply.Text, err, tt.thinking, tt.rest)
		}
	}
}
