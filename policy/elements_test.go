package policy_test

import "fara/env"

const (
	shop = "https://shop.example/page"
	evil = "https://evil.example/frame"
)

// el makes an element of the shop's page and changes it.
func el(tag, name string, change ...func(*env.Element)) *env.Element {
	e := &env.Element{Tag: tag, Name: name, Text: name, Document: shop}
	switch tag {
	case "button":
		e.Role, e.Type = "button", "button"
	case "a":
		e.Role = "link"
	case "input", "textarea":
		e.Text, e.Editable, e.Role = "", true, "textbox"
	}
	for _, c := range change {
		c(e)
	}
	return e
}

// sends puts an element into a form that it sends, or that Enter in it sends.
func sends(method, action string, fields ...env.Field) func(*env.Element) {
	return func(e *env.Element) {
		if e.Tag == "button" {
			e.Type = "submit"
		}
		e.Form = &env.Form{Method: method, Action: action, Submits: true, Fields: fields}
	}
}

// within puts an element into a form that it does not send.
func within(method string, fields ...env.Field) func(*env.Element) {
	return func(e *env.Element) {
		e.Form = &env.Form{Method: method, Action: "https://shop.example/x", Fields: fields}
	}
}

func kind(t string) func(*env.Element)  { return func(e *env.Element) { e.Type = t } }
func role(r string) func(*env.Element)  { return func(e *env.Element) { e.Role = r } }
func to(link string) func(*env.Element) { return func(e *env.Element) { e.Link = link } }
func auto(a string) func(*env.Element)  { return func(e *env.Element) { e.Autocomplete = a } }
func shows(t string) func(*env.Element) { return func(e *env.Element) { e.Text = t } }
func formNamed(n string) func(*env.Element) {
	return func(e *env.Element) { e.Form.Name = n }
}

// fld is a filled field.
func fld(kind, name string) env.Field { return env.Field{Type: kind, Name: name, Filled: true} }

// blank is an empty one.
func blank(kind, name string) env.Field { return env.Field{Type: kind, Name: name} }

var (
	click = env.Action{Kind: env.LeftClick, Point: &env.Point{X: 5, Y: 5}}
	enter = env.Action{Kind: env.Key, Keys: []string{"Enter"}}
)

func typing(text string) env.Action { return env.Action{Kind: env.Type, Text: text} }

func typingEnter(text string) env.Action {
	return env.Action{Kind: env.Type, Text: text, Enter: true}
}

func keys(names ...string) env.Action { return env.Action{Kind: env.Key, Keys: names} }
