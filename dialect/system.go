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
	"fara/parse"
	"fara/userfile"
)

// The placeholders of the actions' description.
const (
	toolsMark   = "{{tools}}"   // the function as JSON, between <tools> tags
	actionsMark = "{{actions}}" // one line for each action
)

var placeholder = regexp.MustCompile(`\{\{\s*(\w*)\s*\}\}`)

// System renders the system prompt for pictures of that size.
func (d Dialect) System(picture env.Size) string {
	screen := d.screen(picture)
	if d.mark() == actionsMark {
		return strings.ReplaceAll(sized(d.Prompt, screen), actionsMark, d.list())
	}
	return strings.ReplaceAll(sized(d.Prompt, screen), toolsMark, d.tools(screen))
}

// mark is the placeholder that stands for the actions in this form of reply.
func (d Dialect) mark() string {
	if d.Reply == parse.Text || d.Reply == parse.Object {
		return actionsMark
	}
	return toolsMark
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
// a whole prompt as it was rendered elsewhere. {{tools}}, or {{actions}} in the
// forms without tags, stands for the description of the actions, {{width}} and
// {{height}} for the screen's size. Line ends become those of the models' own
// prompts, and one final line end is not part of the prompt.
//
// It is a *userfile.Fault when the text has placeholders of another name, when nothing
// in it tells the model its actions, or when a model that counts pixels is told
// in our words how many there are and not in these.
func (d Dialect) WithPrompt(text string, picture env.Size) (Dialect, error) {
	text = strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\n")
	if fault := d.checkPrompt(text); fault != nil {
		return d, fault
	}
	own := d
	own.Prompt = text
	rendered := own.System(picture)
	if _, err := own.Allowed(rendered); err != nil {
		return d, err
	}
	size := d.screen(picture).String()
	if d.Space == imagebudget.Pixels && strings.Contains(d.System(picture), size) && !strings.Contains(rendered, size) {
		return d, &userfile.Fault{Text: fmt.Sprintf("the placeholder {{width}}x{{height}} is missing; %s has to be told that the screen is %s", d.Name, size)}
	}
	return own, nil
}

// checkPrompt finds what is wrong in a template before it is rendered.
func (d Dialect) checkPrompt(text string) *userfile.Fault {
	if strings.TrimSpace(text) == "" {
		return &userfile.Fault{Text: "the prompt is empty; it needs at least " + d.mark()}
	}
	for _, at := range placeholder.FindAllStringIndex(text, -1) {
		if found := text[at[0]:at[1]]; !slices.Contains([]string{d.mark(), "{{width}}", "{{height}}"}, found) {
			return &userfile.Fault{Line: 1 + strings.Count(text[:at[0]], "\n"),
				Text: fmt.Sprintf("unknown placeholder %s; there are %s, {{width}} and {{height}}", found, d.mark())}
		}
	}
	if d.mark() == toolsMark && !strings.Contains(text, toolsMark) && !strings.Contains(text, "<tools>") {
		return &userfile.Fault{Text: "the placeholder {{tools}} is missing; put it between lines <tools> and </tools>, where the description of the actions belongs"}
	}
	return nil
}

// IsPublished reports whether a rendered prompt is byte for byte one that the
// models' makers published.
func (d Dialect) IsPublished(system string) bool {
	sum := sha256.Sum256([]byte(system))
	return slices.ContainsFunc(d.Published, func(p Published) bool { return p.SHA256 == hex.EncodeToString(sum[:]) })
}
