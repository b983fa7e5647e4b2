package pixel

import (
	"encoding/json"
	"image"
	"strings"
)

// step is one reply in the making. Only the fields of its action are set.
type step struct {
	thought string
	action  string
	at      image.Point // left_click: in pixels of the picture
	typed   string      // type
	pixels  int         // scroll: thousandths of the picture's height, up is positive
	answer  string      // terminate
	failed  bool        // terminate
}

func click(thought string, at image.Point) step {
	return step{thought: thought, action: "left_click", at: at}
}

func typing(thought, text string) step { return step{thought: thought, action: "type", typed: text} }

func scrollDown(thought string) step {
	return step{thought: thought, action: "scroll", pixels: -700}
}

func giveUp(why string) step {
	return step{
		thought: why, action: "terminate", failed: true,
		answer: "I could not finish the task. " + why,
	}
}

// arguments is the call as fara-1.5 writes it.
type arguments struct {
	Action     string  `json:"action"`
	Coordinate []int   `json:"coordinate,omitempty"`
	Text       *string `json:"text,omitempty"`
	Pixels     int     `json:"pixels,omitempty"`
	Answer     *string `json:"answer,omitempty"`
	// Status is only given with a failure.
	Status string `json:"status,omitempty"`
}

type call struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

// text writes the reply for a picture of the given size.
func (s step) text(size image.Point) string {
	args := arguments{Action: s.action, Pixels: s.pixels}
	switch s.action {
	case "left_click":
		args.Coordinate = []int{thousandths(s.at.X, size.X), thousandths(s.at.Y, size.Y)}
	case "type":
		args.Text = &s.typed
	case "terminate":
		args.Answer = &s.answer
		if s.failed {
			args.Status = "failure"
		}
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(call{"computer_use", args}) // plain values always encode
	return s.thought + "\n<tool_call>\n" + b.String() + "</tool_call>"
}

// thousandths turns a pixel into 0–1000 of a side: the middle of pixel 720 of
// 1440 is 500.
func thousandths(at, side int) int { return min(1000, (at*2+1)*1000/(side*2)) }
