package envtest

import (
	"strings"

	"fara/env"
)

// formPage is Site's page /form.
const formPage = `<title>Form</title><style>body{margin:0}input,button{position:absolute;left:100px;width:200px;height:40px;box-sizing:border-box}</style>
<form name=order method=post action="/ordered">
<input name=who aria-label="Your name" autocomplete=name style="top:100px">
<button style="top:200px">Order</button></form>`

// FormElements are what can be operated on Site's page /form when it was just
// opened at an address: the field at (100,100) and the button at (100,200), of
// 200×40 pixels each.
func FormElements(address string) []env.Element {
	base := address[:strings.LastIndex(address, "/")]
	form := env.Form{Method: "post", Action: base + "/ordered", Name: "order", Submits: true,
		Fields: []env.Field{{Type: "text", Name: "Your name", Autocomplete: "name"}}}
	field, button := form, form
	return []env.Element{
		{Tag: "input", Role: "textbox", Name: "Your name", Type: "text", Autocomplete: "name", Editable: true,
			Document: address, Form: &field, Box: env.Rect{X: 100, Y: 100, W: 200, H: 40}},
		{Tag: "button", Role: "button", Name: "Order", Text: "Order", Type: "submit",
			Document: address, Form: &button, Box: env.Rect{X: 100, Y: 200, W: 200, H: 40}},
	}
}

// FormMatches are how the elements of Site's page /form stand when it was just
// opened.
func FormMatches() []env.Matches {
	return []env.Matches{
		{Selector: "input", Count: 1, Found: []env.State{{Visible: true, Enabled: true}}},
		{Selector: "form > button", Count: 1, Found: []env.State{{Text: "Order", Visible: true, Enabled: true}}},
	}
}
