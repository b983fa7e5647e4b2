package aim_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"fara/model"
	"fara/model/modeltest/aim"
)

// shown is a request with a picture of 1400x900 whose red box has its middle at
// (350, 630).
func shown(t *testing.T, encode func(*bytes.Buffer, image.Image) error) model.Request {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 1400, 900))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for y := 612; y < 648; y++ {
		for x := 332; x < 368; x++ {
			img.Set(x, y, color.RGBA{R: 220, G: 20, B: 20, A: 255})
		}
	}
	var buf bytes.Buffer
	if err := encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return model.Request{Messages: []model.Message{{Role: model.User, Text: "Click the red disc.", Images: []model.Image{{Data: buf.Bytes()}}}}}
}

func asPNG(b *bytes.Buffer, img image.Image) error  { return png.Encode(b, img) }
func asJPEG(b *bytes.Buffer, img image.Image) error { return jpeg.Encode(b, img, nil) }

func ask(t *testing.T, m aim.Model, req model.Request) string {
	t.Helper()
	reply, err := m.Chat(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	return reply.Text
}

func TestAnswersAreInTheSpaceAndFormAskedFor(t *testing.T) {
	req := shown(t, asPNG)
	for _, c := range []struct {
		m    aim.Model
		want string
	}{
		{aim.Model{}, `"coordinate": [250, 700]}}`},
		{aim.Model{Space: aim.Pixels}, `[350, 630]`},
		{aim.Model{Space: aim.Fractions}, `[0.2500, 0.7000]`},
		{aim.Model{Space: aim.Pixels, Scale: aim.Pair{X: 0.5, Y: 2}}, `[175, 1260]`},
		{aim.Model{Space: aim.Pixels, Offset: aim.Pair{X: 40, Y: -30}}, `[390, 600]`},
		{aim.Model{Order: aim.YFirst}, `[700, 250]`},
		{aim.Model{Space: aim.Pixels, Shape: aim.Box}, `[332, 612, 368, 648]`},
		{aim.Model{Sight: aim.Constant}, `[500, 500]`},
		{aim.Model{Form: aim.Text, Space: aim.Pixels}, `click(start_box='(350,630)')`},
		{aim.Model{Form: aim.Object}, `"action": "left_click", "coordinate": [250, 700]}`},
	} {
		if got := ask(t, c.m, req); !strings.Contains(got, c.want) {
			t.Errorf("%+v: got %q, want %q in it", c.m, got, c.want)
		}
	}
}

func TestJPEGIsSeenToo(t *testing.T) {
	if got := ask(t, aim.Model{}, shown(t, asJPEG)); !strings.Contains(got, "[250, 700]") {
		t.Errorf("got %q", got)
	}
}

func TestSchemaHoldsReplies(t *testing.T) {
	req := shown(t, asPNG)
	free := req
	req.Schema = json.RawMessage(`{}`)
	for form, want := range map[aim.Form]string{aim.Tagged: `{"thoughts"`, aim.Held: `{"thoughts"`, aim.Prose: "There is", aim.Refusal: "I'm sorry"} {
		if got := ask(t, aim.Model{Form: form}, req); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q first", form, got, want)
		}
	}
	if got := ask(t, aim.Model{Form: aim.Held}, free); strings.Contains(got, "{") {
		t.Errorf("without a schema: got %q", got)
	}
}

func TestToolsAreCalled(t *testing.T) {
	req := shown(t, asPNG)
	req.Tools = json.RawMessage(`[{}]`)
	reply, err := aim.Model{}.Chat(t.Context(), req, nil)
	if err != nil || len(reply.Calls) != 1 || !strings.Contains(reply.Calls[0].Arguments, `"coordinate": [250, 700]`) || strings.Contains(reply.Text, "{") {
		t.Errorf("got %+v, %v", reply, err)
	}
	if got := ask(t, aim.Model{Form: aim.Prose}, req); !strings.HasPrefix(got, "There is") {
		t.Errorf("got %q", got)
	}
}

func TestNoiseAndGuessesAreTheSameForAPicture(t *testing.T) {
	req := shown(t, asPNG)
	for _, m := range []aim.Model{{Noise: 20}, {Sight: aim.Guesses}} {
		first := ask(t, m, req)
		if first != ask(t, m, req) || first == ask(t, aim.Model{}, req) {
			t.Errorf("%+v: got %q", m, first)
		}
		if !regexp.MustCompile(`\[\d+, \d+\]`).MatchString(first) {
			t.Errorf("%+v: got no point in %q", m, first)
		}
	}
}

func TestWhatIsNoPictureIsRefused(t *testing.T) {
	req := model.Request{Messages: []model.Message{{Images: []model.Image{{Data: []byte("x")}}}}}
	if _, err := (aim.Model{}).Chat(t.Context(), req, nil); !errors.Is(err, model.ErrBadRequest) {
		t.Errorf("got %v", err)
	}
	if got := ask(t, aim.Model{}, model.Request{}); got != "I see no picture." {
		t.Errorf("got %q", got)
	}
}
