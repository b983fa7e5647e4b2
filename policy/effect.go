package policy

import (
	"strings"

	"fara/env"
)

// effect is what an action does to the world, as far as its element tells.
type effect struct {
	classes []Class
	posts   bool   // it sends a form by POST, whatever is in it
	bound   bool   // it types nothing but secrets that are for its site
	hit     string // the address of the element's document
	target  string // the address that it sends to or opens
}

// places are the sites that the action touches.
func (e effect) places(page string) []place { return placesOf(page, e.hit, e.target) }

// classify says what an action does.
func classify(act env.Action, hit *env.Element) effect {
	if act.Kind == env.VisitURL {
		return effect{classes: linkClasses(act.URL), target: act.URL}
	}
	g := gestureOf(act, hit)
	if hit == nil {
		return effect{classes: g.blind().list()}
	}
	found := set{}
	if g.types {
		found.add(typed(hit)...)
	}
	does := effect{hit: hit.Document}
	switch {
	case g.blindly:
		found.add(Submit)
	case g.enters && field(hit):
		does = enter(hit, g, found, does)
	case g.presses || g.enters:
		does = press(hit, found, does)
	}
	does.classes = found.list()
	return does
}

// gesture is what an action does with its element.
type gesture struct {
	presses bool // it is clicked, or pressed by a key
	types   bool // it gets text
	enters  bool // Enter is pressed in it
	chord   bool // with Control, as some fields of several lines want it
	blindly bool // the focus moves before Enter, so that nobody knows what gets it
}

func gestureOf(act env.Action, hit *env.Element) gesture {
	switch act.Kind {
	case env.LeftClick, env.DoubleClick, env.TripleClick, env.LeftClickDrag:
		return gesture{presses: true}
	case env.Type:
		line := hit != nil && hit.Tag == "input"
		return gesture{
			presses: act.Point != nil && hit != nil && !hit.Editable,
			types:   act.Text != "",
			enters:  act.Enter || line && strings.ContainsAny(act.Text, "\r\n"),
		}
	case env.Key:
		k := keysOf(act.Keys)
		return gesture{
			presses: k.space && hit != nil && !hit.Editable,
			types:   k.text, enters: k.enter, chord: k.control, blindly: k.enter && k.tab,
		}
	}
	return gesture{}
}

// blind is what an action without an element does.
func (g gesture) blind() set {
	if g.blindly {
		return set{Submit: true}
	}
	return set{}
}

// typed is what typing into an element does.
func typed(hit *env.Element) []Class {
	switch {
	case hit.Type == "file":
		return []Class{Upload}
	case secretField(hit.Type, hit.Autocomplete, hit.Name):
		return []Class{Credentials}
	}
	return nil
}

// field reports whether keys go into the element rather than press it.
func field(hit *env.Element) bool {
	switch hit.Tag {
	case "input", "select":
		return !pressed[hit.Type]
	case "textarea":
		return true
	}
	return hit.Editable
}

// pressed are the types of inputs that are buttons.
var pressed = map[string]bool{"submit": true, "image": true, "button": true, "reset": true}

// enter is what Enter does in a field.
func enter(hit *env.Element, g gesture, found set, does effect) effect {
	several := hit.Tag == "textarea" || hit.Tag != "input" && hit.Editable
	switch form := hit.Form; {
	case form != nil && (form.Submits || g.chord && several):
		return sendForm(hit, form, g.types || hit.Editable && found[Credentials], found, does)
	case hit.Tag == "textarea" && form != nil && !g.chord:
	case several || hit.Editable:
		if says("message", false, hit.Name) {
			found.add(Send)
		}
		if form == nil && personal(hit.Type, hit.Autocomplete) && !several {
			found.add(Submit)
		}
		if form == nil && secretField(hit.Type, hit.Autocomplete, hit.Name) {
			found.add(Submit, Credentials)
		}
	}
	return does
}

// passive are roles of elements that are chosen among, turned over or looked at:
// their words name a state and no deed.
var passive = map[string]bool{
	"checkbox": true, "radio": true, "switch": true, "tab": true, "option": true, "combobox": true, "spinbutton": true,
	"menuitemcheckbox": true, "menuitemradio": true, "treeitem": true, "gridcell": true, "scrollbar": true, "textbox": true,
	"searchbox": true, "navigation": true, "dialog": true, "frame": true,
}

// silent are tags that hold words and do nothing.
var silent = map[string]bool{
	"html": true, "body": true, "main": true, "article": true, "section": true, "header": true, "footer": true, "nav": true, "aside": true,
	"h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "p": true, "pre": true, "code": true, "blockquote": true,
	"table": true, "tbody": true, "thead": true, "tr": true, "td": true, "th": true, "dl": true, "dt": true, "dd": true, "ul": true, "ol": true,
	"form": true, "fieldset": true, "legend": true, "summary": true, "details": true, "select": true, "option": true, "textarea": true,
	"iframe": true, "frame": true, "object": true, "embed": true, "video": true, "audio": true, "em": true, "strong": true,
}

// press is what a click on an element does.
func press(hit *env.Element, found set, does effect) effect {
	switch {
	case hit.Type == "file":
		found.add(Upload)
	case hit.Form != nil && hit.Form.Submits && (pressed[hit.Type] || hit.Tag == "button" || hit.Role == "button"):
		return sendForm(hit, hit.Form, false, found, does)
	case hit.Type == "reset", field(hit), hit.Tag == "label" && passive[hit.Role]:
	case opens(hit):
		does.target = hit.Link
		found.add(followClasses(hit)...)
	case passive[hit.Role] || silent[hit.Tag] && hit.Role != "button" && hit.Role != "menuitem" && hit.Role != "link":
	case bare(hit):
		found.add(wholly(hit)...)
	default:
		found.add(wordClasses(hit, false)...)
		pressForm(hit, found)
	}
	return does
}

// bare reports whether nothing but its words says that an element can be pressed.
func bare(hit *env.Element) bool {
	switch hit.Role {
	case "button", "menuitem", "link":
		return false
	}
	switch hit.Tag {
	case "button", "input", "a", "area":
		return false
	}
	return true
}

// wholly is what an element does that may take a click or not: only short names
// count, since a whole paragraph is no button.
func wholly(hit *env.Element) []Class {
	const most = 40
	if len([]rune(hit.Name)) > most || len([]rune(hit.Text)) > most {
		return nil
	}
	return wordClasses(hit, false)
}

// deeds are the classes that words can tell.
var deeds = []Class{Submit, Buy, Pay, Send, Delete, Sign, Upload, Download}

// wordClasses is what an element's words say that it does. formed says that it
// sends a form.
func wordClasses(hit *env.Element, formed bool) []Class {
	var out []Class
	for _, c := range deeds {
		if says(string(c), formed, hit.Name, hit.Text) {
			out = append(out, c)
		}
	}
	return out
}
