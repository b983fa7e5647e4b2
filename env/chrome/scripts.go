package chrome

import (
	"embed"
	"encoding/json"
	"strings"
)

//go:embed js
var scripts embed.FS

// pageScript is our code inside each document, in a world of its own: it sees the
// page's elements and the page does not see it. Its functions hang on one object,
// fara, to which each file adds its own.
var pageScript = source("element", "rest", "focus", "lists", "fields", "scroll", "cover", "stale", "aim", "keep", "inspect", "fill", "closed", "mask", "entered", "watch")

// mainScript runs in each document before the page's own scripts and in their
// world, for what has to be in the way of the page itself.
var mainScript = source("select", "started")

// reportScript runs beside mainScript and tells what a page asks of the browser;
// listenScript hears it in our world. Both hold {{secret}} in place of the name of
// the event between them.
var (
	reportScript = source("report")
	listenScript = source("listen")
)

// readScript gives the page as plain HTML: what is hidden, scripts and styles
// left out, open shadow roots and same-origin frames put in their place, form
// values written down.
var readScript = source("read")

// pickerStyle has the page itself draw its lists, so that clicks reach them, and
// in colours and sizes that can be read whatever the page wants of the list.
var pickerStyle = file("picker.css")

// source joins scripts. PICKER_STYLE in them is the style's text.
func source(names ...string) (text string) {
	for _, name := range names {
		text += strings.ReplaceAll(file(name+".js"), "PICKER_STYLE", quoteJS(pickerStyle))
	}
	return text
}

// quoteJS writes a string, or a map of them, as JavaScript source.
func quoteJS[T string | map[string]string](value T) string {
	quoted, err := json.Marshal(value)
	if err != nil {
		return "null" // neither ever fails
	}
	return string(quoted)
}

func file(name string) string {
	text, err := scripts.ReadFile("js/" + name)
	if err != nil {
		panic(err) // the names are written above
	}
	return string(text)
}
