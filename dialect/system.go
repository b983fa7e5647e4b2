package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fara/env"
	"fara/imagebudget"
)

var placeholder = regexp.MustCompile(`\{\{\s*(\w*)\s*\}\}`)

// System renders the system prompt for pictures of that size.
func (d Dialect) System(picture env.Size) string {
	screen := d.screen(picture)
	return strings.ReplaceAll(sized(d.Prompt, screen), "{{tools}}", d.tools(screen))
}

func (d Dialect) screen(picture env.Size) env.Size {
	if d.Screen != (env.Size{}) {
		return d.Screen
	}
	return picture
}

func sized(text string, screen env.Size) string {
	return strings.NewReplacer(
		"{{width}}", strconv.Itoa(screen.W), "{{height}}", strconv.Itoa(screen.H)).Replace(text)
}

// WithPrompt gives the dialect with a prompt of the user's own: a template, or
// a whole prompt as it was rendered elsewhere. {{tools}} stands for the
// description of the actions, {{width}} and {{height}} for the screen's size.
//
// It is an error when the text has placeholders of another name, when nothing
// in it tells the model its actions, or when a model that counts pixels is not
// told how many there are.
func (d Dialect) WithPrompt(text string, picture env.Size) (Dialect, error) {
	text = strings.TrimSuffix(text, "\n")
	if strings.TrimSpace(text) == "" {
		return d, fmt.Errorf("the prompt is empty; it needs at least {{tools}}")
	}
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if !slices.Contains([]string{"{{tools}}", "{{width}}", "{{height}}"}, m[0]) {
			return d, fmt.Errorf("unknown placeholder %s; there are {{tools}}, {{width}} and {{height}}", m[0])
		}
	}
	d.Prompt = text
	if !strings.Contains(text, "{{tools}}") && !strings.Contains(text, "<tools>") {
		return d, fmt.Errorf("the placeholder {{tools}} is missing; put it between lines <tools> and </tools>, where the description of the actions belongs")
	}
	rendered := d.System(picture)
	if _, err := Allowed(rendered); err != nil {
		return d, err
	}
	if d.Space == imagebudget.Pixels && !strings.Contains(rendered, d.screen(picture).String()) {
		return d, fmt.Errorf("the placeholder {{width}}x{{height}} is missing; %s counts pixels and has to be told that the screen is %v", d.Name, picture)
	}
	return d, nil
}

// IsPublished reports whether a rendered prompt is byte for byte one that the
// models' makers published.
func (d Dialect) IsPublished(system string) bool {
	sum := sha256.Sum256([]byte(system))
	return slices.ContainsFunc(d.Published, func(p Published) bool { return p.SHA256 == hex.EncodeToString(sum[:]) })
}
