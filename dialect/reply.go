package dialect

import (
	"fara/env"
	"fara/imagebudget"
	"fara/model"
	"fara/parse"
)

// Parse reads a reply: its native calls when it has some, else its text and what
// the server filed apart as thinking. The error is a *parse.Error. allowed are
// the actions the prompt named.
func (d Dialect) Parse(reply model.Reply, allowed []env.Kind) (parse.Result, error) {
	return parse.Native(reply.Calls, reply.Text, reply.Thinking, parse.Schema{Form: d.Reply, Actions: allowed, Finish: reply.Finish})
}

// Complete reports whether a reply that is still growing already holds its call.
func (d Dialect) Complete(text string) bool { return parse.CompleteForm(text, d.Reply) }

// Fill adds to a call what the family leaves out when it means the default.
func (d Dialect) Fill(call model.Call) model.Call {
	if call.Action == string(env.Type) && call.PressEnter == nil {
		press := d.PressesEnter
		call.PressEnter = &press
	}
	return call
}

// Geometry connects a picture of that size with a page of that viewport in this
// dialect's space.
func (d Dialect) Geometry(picture, viewport env.Size) imagebudget.Geometry {
	return imagebudget.Geometry{Size: picture, Viewport: viewport, Space: d.Space, ScrollStep: d.ScrollStep}
}
