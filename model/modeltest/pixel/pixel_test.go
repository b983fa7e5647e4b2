package pixel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"net/http"
	"strings"
	"testing"

	"fara/model"
	"fara/model/modeltest"
	"fara/model/modeltest/pixel"
)

const task = `Search for "mug", take the glaze "magenta", the size "large", the quantity "3", ` +
	`the name "Jo Field" and the address “1 Quay, Cork”.`

var (
	orange  = color.RGBA{0xff, 0x6a, 0x00, 255}
	blue    = color.RGBA{0x00, 0x57, 0xff, 255}
	violet  = color.RGBA{0x8c, 0x00, 0xff, 255}
	crimson = color.RGBA{0xd0, 0x00, 0x30, 255}
	cyan    = color.RGBA{0x00, 0xc8, 0xff, 255}
	green   = color.RGBA{0x00, 0xb4, 0x3c, 255}
	petrol  = color.RGBA{0x00, 0x6e, 0x96, 255}
	yellow  = color.RGBA{0xff, 0xd2, 0x00, 255}
	lime    = color.RGBA{0x96, 0xdc, 0x00, 255}
	navy    = color.RGBA{0x10, 0x10, 0x60, 255}
	magenta = color.RGBA{0xe6, 0x00, 0x96, 255}
	plum    = color.RGBA{0x6e, 0x3c, 0x5a, 255}
)

func TestClicksTheMiddleAtAnySizeScaleAndFormat(t *testing.T) {
	for _, tt := range []struct{ w, h, scale, x, y int }{
		{1440, 896, 1, 300, 500}, {1440, 896, 1, 1011, 77}, {640, 360, 2, 320, 133},
		{500, 700, 1, 12, 640}, {233, 377, 3, 100, 100},
	} {
		p := blankScaled(tt.w, tt.h, tt.scale).box(orange, tt.x, tt.y, 120, 48)
		size := image.Pt(tt.w, tt.h)
		x, y := float64(tt.x)+60, float64(tt.y)+24
		for format, data := range map[string][]byte{"png": p.png(t), "jpeg": p.jpeg(t)} {
			if got := answers(t, shows(task, data)); !got.hits(size, x, y, 3) {
				t.Errorf("%+v as %s: got %v, want a click at (%v, %v)", tt, format, got, x, y)
			}
		}
	}
}

func TestLooksAtTheNewestPictureOnly(t *testing.T) {
	old, now := blank(800, 600).box(orange, 10, 10, 100, 40), blank(800, 600).box(orange, 600, 500, 100, 40)
	got := answers(t, shows(task, old.png(t)), model.Message{Role: model.Assistant, Text: "hm"}, shows("next", now.png(t)))
	if !got.hits(image.Pt(800, 600), 650, 520, 2) {
		t.Errorf("got %v, want a click on the button where it is now", got)
	}
}

func TestFillsFieldsWithTheTasksValues(t *testing.T) {
	field := func(p page, tab color.RGBA, y int) page { return p.box(tab, 100, y, 50, 50) }
	state := func(p page, c color.RGBA, y int) page { return p.box(c, 500, y+10, 30, 30) }
	form := func() page {
		return field(field(blank(800, 600), violet, 100), crimson, 200).box(orange, 100, 300, 120, 50)
	}
	size := image.Pt(800, 600)

	if got := answers(t, shows(task, form().png(t))); !got.hits(size, 225, 125, 3) {
		t.Errorf("empty: got %v, want a click right of the first tab", got)
	}
	if got := answers(t, shows(task, state(form(), cyan, 100).jpeg(t))); got.Action != "type" || got.Text != "Jo Field" {
		t.Errorf("first has the focus: got %v, want the name typed", got)
	}
	if got := answers(t, shows(task, state(form(), green, 100).png(t))); !got.hits(size, 225, 225, 3) {
		t.Errorf("first filled: got %v, want a click into the second", got)
	}
	p := state(state(form(), green, 100), cyan, 200)
	if got := answers(t, shows(task, p.png(t))); got.Action != "type" || got.Text != "1 Quay, Cork" {
		t.Errorf("second has the focus: got %v, want the address typed", got)
	}
	p = state(state(form(), green, 100), green, 200)
	if got := answers(t, shows(task, p.png(t))); !got.hits(size, 160, 325, 2) {
		t.Errorf("both filled: got %v, want the button", got)
	}
}

func TestSaysWhenTheTaskLacksAValue(t *testing.T) {
	p := blank(800, 600).box(blue, 100, 100, 50, 50)
	got := answers(t, shows("Do something.", p.png(t)))
	if got.Action != "terminate" || got.Status != "failure" || !strings.Contains(got.Answer, "search") {
		t.Errorf("got %v, want an honest failure about the search field", got)
	}
}

func TestTypesAnywayWhenFocusNeverShows(t *testing.T) {
	data := blank(800, 600).box(blue, 100, 100, 50, 50).png(t)
	messages := []model.Message{shows(task, data)}
	var actions []string
	for range 3 {
		text := chat(t, messages...)
		actions = append(actions, parse(t, text).Action)
		messages = append(messages, model.Message{Role: model.Assistant, Text: text}, shows("next", data))
	}
	if got, want := strings.Join(actions, " "), "left_click left_click type"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestChoosesSizesByComparingThem(t *testing.T) {
	sizes := func(large color.RGBA) page {
		return blank(800, 600).box(petrol, 100, 135, 26, 26).box(large, 300, 100, 52, 61).box(petrol, 200, 120, 38, 41)
	}
	if got := answers(t, shows(task, sizes(petrol).png(t))); !got.hits(image.Pt(800, 600), 326, 130, 2) {
		t.Errorf("none chosen: got %v, want a click on the largest", got)
	}
	if got := answers(t, shows(task, sizes(green).png(t))); got.Action != "scroll" {
		t.Errorf("large chosen: got %v, want to go on", got)
	}
}

func TestSetsTheQuantityByCountingPips(t *testing.T) {
	for _, tt := range []struct {
		pips int
		x    float64 // of the click; 0 for none
	}{{1, 526}, {2, 526}, {3, 0}, {5, 126}} {
		p := blank(800, 600).box(yellow, 100, 100, 52, 52).box(yellow, 500, 100, 52, 52)
		for i := range tt.pips {
			p.box(lime, 170+28*i, 110, 20, 34)
		}
		got := answers(t, shows(task, p.jpeg(t)))
		if ok := tt.x == 0 && got.Action == "scroll" || got.hits(image.Pt(800, 600), tt.x, 126, 2); !ok {
			t.Errorf("%d pips of 3: got %v, want a click at x %v", tt.pips, got, tt.x)
		}
	}
}

func TestOpensTheWantedGlazeOnly(t *testing.T) {
	p := blank(800, 600).box(plum, 100, 100, 90, 90).box(magenta, 400, 300, 90, 90)
	for glaze, x := range map[string]float64{"magenta": 445, "plum": 145} {
		got := answers(t, shows(strings.Replace(task, "magenta", glaze, 1), p.png(t)))
		if got.Action != "left_click" || !got.hits(image.Pt(800, 600), x, got.Coordinate[1]*0.6, 2) {
			t.Errorf("%s: got %v, want a click at x %v", glaze, got, x)
		}
	}
	if got := answers(t, shows(strings.Replace(task, "magenta", "tartan", 1), p.png(t))); got.Action != "scroll" {
		t.Errorf("a glaze it cannot know: got %v, want to look further", got)
	}
}

func TestLeavesOutWhatIsCutOff(t *testing.T) {
	p := blank(800, 600).box(magenta, 400, 570, 90, 90)
	if got := answers(t, shows(task, p.png(t))); got.Action != "scroll" || got.Pixels >= 0 {
		t.Errorf("got %v, want to scroll down first", got)
	}
}

func TestReadsTheOrderNumber(t *testing.T) {
	fills := []uint32{0xffffff, 0xff1e1e, 0xff9600, 0xffeb00, 0x00d23c, 0x00e6ff, 0x1478ff, 0xff50dc, 0x96643c, 0x969696}
	for _, code := range []string{"012345", "678999", "100000", "550055"} {
		for _, side := range []int{12, 44, 88} {
			p := blank(100+9*side, 100+2*side).box(navy, 50, 50, 9*side, 2*side)
			for i, digit := range code {
				hex := fills[digit-'0']
				p.box(color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}, 50+side/2+i*side*4/3, 50+side/2, side, side)
			}
			for format, data := range map[string][]byte{"png": p.png(t), "jpeg": p.jpeg(t)} {
				if got := answers(t, shows(task, data)); got.Action != "terminate" || got.Answer != code || got.Status != "" {
					t.Errorf("%s at %d px as %s: got %v", code, side, format, got)
				}
			}
		}
	}
}

func TestGivesUpHonestly(t *testing.T) {
	for name, p := range map[string]page{
		"nothing it knows":      blank(300, 200),
		"a button that is dead": blank(300, 200).box(orange, 100, 100, 100, 40),
	} {
		data := p.png(t)
		messages := []model.Message{shows(task, data)}
		var got reply
		for n := 0; n < 20 && got.Action != "terminate"; n++ {
			text := chat(t, messages...)
			got = parse(t, text)
			messages = append(messages, model.Message{Role: model.Assistant, Text: text}, shows("next", data))
		}
		if got.Action != "terminate" || got.Status != "failure" || !strings.HasPrefix(got.Answer, "I could not finish") {
			t.Errorf("%s: got %v, want an honest failure within 20 replies", name, got)
		}
	}
}

func TestNamesTheColourOfAPicture(t *testing.T) {
	for want, c := range map[string]color.RGBA{
		"red": {255, 0, 0, 255}, "green": {0, 128, 0, 255}, "blue": {0, 0, 255, 255},
		"yellow": {255, 255, 0, 255}, "black": {0, 0, 0, 255}, "white": {255, 255, 255, 255},
	} {
		p := blank(448, 448).box(c, 0, 0, 448, 448)
		system := model.Message{Role: model.System, Text: "rules"}
		if got := chat(t, system, shows("Which colour fills this picture? One word.", p.png(t))); got != want {
			t.Errorf("png: got %q, want %q", got, want)
		}
		if got := chat(t, shows("Name the color. Answer in one word.", p.jpeg(t))); got != want {
			t.Errorf("jpeg: got %q, want %q", got, want)
		}
	}
}

func TestSeveralColoursAreNamedInOrder(t *testing.T) {
	all := shows("Name the colours of all pictures.", nil)
	all.Images = nil
	for _, c := range []color.RGBA{{255, 0, 0, 255}, {0, 0, 255, 255}, {255, 0, 0, 255}} {
		one := shows("", blank(224, 224).box(c, 0, 0, 224, 224).png(t))
		all.Images = append(all.Images, one.Images...)
	}
	if got := chat(t, all); got != "red, blue, red" {
		t.Errorf("got %q", got)
	}
}

func TestReadsANumberInSquares(t *testing.T) {
	black := color.RGBA{0, 0, 0, 255}
	p := blank(448, 448)
	for _, left := range []int{100, 200} { // a seven, twice
		p = p.box(black, left, 150, 50, 10).box(black, left+40, 160, 10, 10).box(black, left+30, 170, 10, 10)
		p = p.box(black, left+20, 180, 10, 40)
	}
	question := "Which number is in this picture?"
	if got := chat(t, shows(question, p.png(t))); got != "77" {
		t.Errorf("got %q", got)
	}
	if got := chat(t, shows(question, blank(448, 448).box(black, 100, 100, 70, 70).png(t))); got != "I cannot read it." {
		t.Errorf("got %q of a square", got)
	}
	if got := answers(t, shows("Mind the number. "+task, p.png(t))); got.Action == "" {
		t.Errorf("a task that speaks of a number is no task: %v", got)
	}
}

func TestTaskThatMentionsAColourIsStillATask(t *testing.T) {
	p := blank(800, 600).box(orange, 100, 100, 100, 40)
	if got := answers(t, shows("Mind the colour. "+task, p.png(t))); got.Action != "left_click" {
		t.Errorf("got %v, want a step of the task", got)
	}
}

func TestPictureProblemsAreSaid(t *testing.T) {
	_, err := pixel.Model{}.Chat(t.Context(), model.Request{Messages: []model.Message{shows(task, []byte("GIF89a"))}}, nil)
	if !errors.Is(err, model.ErrBadRequest) {
		t.Errorf("no picture format: got %v, want ErrBadRequest", err)
	}
	if got := chat(t, model.Message{Role: model.User, Text: task}); got != "I see no picture." {
		t.Errorf("no picture: got %q", got)
	}
}

func TestSeesThroughARealServer(t *testing.T) {
	server, err := modeltest.Serve(pixel.Model{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	body, err := json.Marshal(map[string]any{
		"model": server.Model(), "stream": false,
		"messages": []any{map[string]any{
			"role": "user", "content": task, "images": [][]byte{blank(640, 480).box(orange, 200, 300, 100, 40).png(t)},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(server.URL()+"/api/chat", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct{ Message struct{ Content string } }
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if call := parse(t, got.Message.Content); !call.hits(image.Pt(640, 480), 250, 320, 2) {
		t.Errorf("got %v, want a click on the button", call)
	}
}

func TestHonoursContextAndUntil(t *testing.T) {
	req := model.Request{Messages: []model.Message{shows(task, blank(64, 64).png(t))}}
	got, err := pixel.Model{}.Chat(t.Context(), req, func(text string) bool { return strings.HasSuffix(text, "</tool_call>") })
	if err != nil || got.Finish != model.FinishUntil {
		t.Errorf("got finish %q, %v, want until", got.Finish, err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := (pixel.Model{}).Chat(ctx, req, nil); !errors.Is(err, cause) {
		t.Errorf("got %v, want the context's cause", err)
	}
}
