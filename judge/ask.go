package judge

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"fara/model"
)

//go:embed rules.txt
var rules string

//go:embed ask.txt
var askText string

//go:embed again.txt
var againText string

var (
	askForm   = template.Must(template.New("ask").Parse(askText))
	againForm = template.Must(template.New("again").Parse(againText))
)

// question is what ask.txt is filled with.
type question struct {
	// Mark is the request's ID: computed from all that stands between its labels, so
	// that nothing in there can hold it.
	Mark                                          string
	Task, Page, Thoughts, Answer, Claim, Pictures string
	Replies, Steps                                []string
}

// request asks about a case, with its pictures.
func request(c Case, s story, pictures []model.Image) (model.Request, error) {
	q := question{
		Task: defuse.Replace(strings.TrimSpace(c.Task)), Replies: s.replies, Steps: s.steps, Page: s.page,
		Thoughts: orNone(plainText(s.thoughts, textLimitTold/2)), Answer: orNone(plainText(c.Answer, textLimitTold)),
		Claim: c.Claim, Pictures: counting(len(pictures)),
	}
	content, err := json.Marshal(q)
	if err != nil {
		return model.Request{}, err
	}
	sum := sha256.Sum256(content)
	q.Mark = hex.EncodeToString(sum[:4])
	var text strings.Builder
	if err := askForm.Execute(&text, q); err != nil {
		return model.Request{}, err
	}
	return model.Request{
		Messages: []model.Message{
			{Role: model.System, Text: strings.TrimSpace(rules)},
			{Role: model.User, Images: pictures, Text: strings.TrimSpace(text.String())},
		},
		MaxTokens: replyTokens, Schema: replySchema,
	}, nil
}

// replyTokens bounds a judge's reply, with what it thinks before it.
const replyTokens = 2048

// replySchema is what servers hold the reply to, where they can.
var replySchema = json.RawMessage(`{"type":"object","properties":{"reason":{"type":"string"},"verdict":{"type":"string","enum":["accept","reject","unsure"]},"class":{"type":"string","enum":["none","` + strings.Join(Classes(), `","`) + `"]}},"required":["reason","verdict","class"],"additionalProperties":false}`)

func counting(pictures int) string {
	if pictures == 1 {
		return "The picture shows the browser as it stands now."
	}
	return fmt.Sprintf("The %d pictures show the browser, oldest first; the last one is how it stands now.", pictures)
}

func orNone(text string) string {
	if text == "" {
		return "(none)"
	}
	return text
}

// onceMore asks again after a reply that could not be used.
func onceMore(req model.Request, reply, why string) (model.Request, error) {
	var text strings.Builder
	if err := againForm.Execute(&text, why); err != nil {
		return req, err
	}
	said := model.Message{Role: model.Assistant, Text: orNone(plainText(reply, textLimitTold))}
	again := model.Message{Role: model.User, Text: strings.TrimSpace(text.String())}
	req.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)], said, again)
	return req, nil
}
