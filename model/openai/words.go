package openai

import (
	"encoding/json"
	"regexp"
	"strings"
)

// maxWords bounds an error page that is shown as a message, in bytes.
const maxWords = 400

var tag = regexp.MustCompile(`(?s)<(style|script).*?</(style|script)>|<[^>]*>`)

// words finds the server's message in the body of a refusal. Servers agree on no
// shape: an object or a text under "error", a message at the top, FastAPI's
// "detail", plain text, or a proxy's web page.
func words(body []byte) string {
	var shape struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &shape) != nil {
		text := strings.Join(strings.Fields(tag.ReplaceAllString(string(body), " ")), " ")
		return strings.ToValidUTF8(text[:min(len(text), maxWords)], "")
	}
	for _, found := range []string{inside(shape.Error), shape.Message, inside(shape.Detail)} {
		if found != "" {
			return found
		}
	}
	return ""
}

// inside reads a text, an object with a message, or a list of such objects.
func inside(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	type object struct {
		Message string `json:"message"`
		Msg     string `json:"msg"`
	}
	var one object
	if json.Unmarshal(raw, &one) == nil {
		return one.Message + one.Msg
	}
	var many []object
	if json.Unmarshal(raw, &many) != nil {
		return ""
	}
	var all []string
	for _, o := range many {
		all = append(all, o.Message+o.Msg)
	}
	return strings.Join(all, "; ")
}
