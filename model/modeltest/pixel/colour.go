package pixel

import (
	"image"
	"image/color"
	"regexp"
	"strings"

	"fara/model"
)

var colourWord = regexp.MustCompile(`(?i)\bcolou?rs?\b`)

// asksForColour reports whether the request is one question about colours and no
// task: a single user message that gives no values.
func asksForColour(messages []model.Message) bool {
	text, ok := onlyQuestion(messages)
	return ok && colourWord.MatchString(text)
}

// onlyQuestion gives the text of the only user message of a request that is no
// task; false when there are several, or it gives values.
func onlyQuestion(messages []model.Message) (text string, ok bool) {
	for _, message := range messages {
		switch message.Role {
		case model.System:
		case model.User:
			if ok {
				return "", false
			}
			text, ok = message.Text, true
		default:
			return "", false
		}
	}
	g := readGoal(messages)
	return text, ok && g.search == "" && g.glaze == ""
}

// nameColours names the colour of each of a request's pictures, in order.
func nameColours(messages []model.Message) (string, error) {
	var names []string
	for _, message := range messages {
		for _, img := range message.Images {
			picture, err := decode(img.Data)
			if err != nil {
				return "", err
			}
			names = append(names, nameColour(picture))
		}
	}
	return strings.Join(names, ", "), nil
}

// nameColour names the colour that most of the picture has.
func nameColour(picture *image.RGBA) string {
	counts := map[string]int{}
	size := picture.Rect.Size()
	step := max(1, min(size.X, size.Y)/64)
	for y := step / 2; y < size.Y; y += step {
		for x := step / 2; x < size.X; x += step {
			counts[colourName(picture.RGBAAt(x, y))]++
		}
	}
	best := ""
	for _, name := range colourNames() {
		if counts[name] > counts[best] {
			best = name
		}
	}
	return best
}

func colourNames() []string {
	return []string{"black", "white", "grey", "red", "orange", "yellow", "green", "cyan", "blue", "magenta"}
}

// colourName goes by lightness for what is nearly grey, else by hue.
func colourName(c color.RGBA) string {
	high, low := int(max(c.R, c.G, c.B)), int(min(c.R, c.G, c.B))
	switch {
	case high < 50:
		return "black"
	case (high-low)*5 < high && high > 215:
		return "white"
	case (high-low)*5 < high:
		return "grey"
	}
	return hueName(hue(c, high, high-low))
}

// hue is the angle on the colour circle, in degrees: red 0, green 120, blue 240.
func hue(c color.RGBA, high, spread int) int {
	r, g, b := int(c.R), int(c.G), int(c.B)
	switch high {
	case r:
		return (60*(g-b)/spread + 360) % 360
	case g:
		return 60*(b-r)/spread + 120
	}
	return 60*(r-g)/spread + 240
}

func hueName(degrees int) string {
	for _, arc := range []struct {
		end  int
		name string
	}{{18, "red"}, {42, "orange"}, {70, "yellow"}, {165, "green"}, {195, "cyan"}, {270, "blue"}, {340, "magenta"}} {
		if degrees < arc.end {
			return arc.name
		}
	}
	return "red"
}
