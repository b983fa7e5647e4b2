package retry_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"testing"

	"fara/model"
	"fara/model/modeltest"
	"fara/model/retry"
)

// withPicture is a request with a picture that servers accept.
func withPicture(t *testing.T) model.Request {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	return model.Request{Messages: []model.Message{{Role: model.User, Text: "look", Images: []model.Image{{Data: buf.Bytes(), MIME: "image/png"}}}}}
}

func TestPictureThatCrashesTheServerIsToldApart(t *testing.T) {
	for api, client := range clients(t, serve(t, modeltest.Config{}, modeltest.LimitPixels(hello(), 63*64)), patient{}) {
		chat := retry.Wrap(client, quick)
		if _, err := chat.Chat(t.Context(), withPicture(t), nil); !errors.Is(err, model.ErrPicture) {
			t.Errorf("%s: got %v, want ErrPicture", api, err)
		}
		if _, err := chat.Chat(t.Context(), request, nil); err != nil {
			t.Errorf("%s: a request without it: %v", api, err)
		}
	}
}
