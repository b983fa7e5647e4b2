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
	var one complaint
	if json.Unmarshal(raw, &one) == nil {
		return one.text()
	}
	var many []complaint
	if json.Unmarshal(raw, &many) != nil {
		return ""
	}
	var all []string
	for _, c := range many {
		all = append(all, c.text())
	}
	return strings.Join(all, "; ")
}

// complaint is a message, with FastAPI about a place in the request.
type complaint struct {
	Message string            `json:"message"`
	Msg     string            `json:"msg"`
	Loc     []json.RawMessage `json:"loc"`
}

func (c complaint) text() string {
	var place []string
	for _, raw := range c.Loc {
		if name := strings.Trim(string(raw), `"`); name != "body" {
			place = append(place, name)
		}
	}
	if len(place) == 0 {
		return c.Message + c.Msg
	}
	return strings.Join(place, ".") + ": " + c.Message + c.Msg
}
