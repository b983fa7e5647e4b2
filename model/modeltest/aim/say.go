package aim

import (
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"fara/model"
)

// numbers writes an area in the model's space: a point, or a box of four.
func (m Model) numbers(at area, size image.Point) []string {
	corners := []float64{(at.left + at.right) / 2, (at.top + at.bottom) / 2}
	if m.Shape == Box {
		corners = []float64{at.left, at.top, at.right, at.bottom}
	}
	var out []string
	for i, v := range corners {
		side, scale := float64(size.X), m.Scale.X
		if i%2 == 1 {
			side, scale = float64(size.Y), m.Scale.Y
		}
		out = append(out, m.number(v, side, scale))
	}
	if m.Order == YFirst {
		for i := 0; i < len(out); i += 2 {
			out[i], out[i+1] = out[i+1], out[i]
		}
	}
	return out
}

func (m Model) number(v, side, scale float64) string {
	switch {
	case m.Space == Fractions:
		return strconv.FormatFloat(v/side, 'f', 4, 64)
	case m.Space == Pixels && scale != 0:
		v *= scale
	case m.Space != Pixels:
		v *= 1000 / side
	}
	return strconv.Itoa(int(math.Round(v)))
}

// reply puts the numbers into the model's form.
func (m Model) reply(numbers []string, held bool) string {
	list := strings.Join(numbers, ", ")
	form := m.Form
	if held && m.calls() {
		form = Object
	}
	switch form {
	case Text:
		return fmt.Sprintf("Thought: I see the red disc.\nAction: click(start_box='(%s)')", strings.Join(numbers, ","))
	case Object:
		return fmt.Sprintf(`{"thoughts": "I see the red disc.", "action": "left_click", "coordinate": [%s]}`, list)
	case Prose, Held:
		return "There is a red disc on an empty page, and I would click it."
	case Refusal:
		return "I'm sorry, but I can't help with that."
	}
	return fmt.Sprintf("I see the red disc.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [%s]}}\n</tool_call>", list)
}

func nativeCall(numbers []string) []model.ToolCall {
	return []model.ToolCall{{
		ID: "call-1", Name: "computer_use", Arguments: fmt.Sprintf(`{"action": "left_click", "coordinate": [%s]}`, strings.Join(numbers, ", ")),
	}}
}
