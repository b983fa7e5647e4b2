package env

import (
	"fmt"
	"time"
)

// Kind names an action with the word the models use for it.
type Kind string

// The actions, in the order in which prompts list them.
const (
	Key           Kind = "key"
	Type          Kind = "type"
	MouseMove     Kind = "mouse_move"
	LeftClick     Kind = "left_click"
	LeftClickDrag Kind = "left_click_drag"
	RightClick    Kind = "right_click"
	DoubleClick   Kind = "double_click"
	TripleClick   Kind = "triple_click"
	Scroll        Kind = "scroll"
	HScroll       Kind = "hscroll"
	VisitURL      Kind = "visit_url"
	HistoryBack   Kind = "history_back"
	WebSearch     Kind = "web_search"
	ReadPage      Kind = "read_page_answer_question"
	Memorize      Kind = "pause_and_memorize_fact"
	AskUser       Kind = "ask_user_question"
	Wait          Kind = "wait"
	Terminate     Kind = "terminate"
)

// Kinds lists every action, in prompt order.
func Kinds() []Kind {
	return []Kind{
		Key, Type, MouseMove, LeftClick, LeftClickDrag, RightClick, DoubleClick, TripleClick,
		Scroll, HScroll, VisitURL, HistoryBack, WebSearch, ReadPage, Memorize, AskUser, Wait, Terminate,
	}
}

// InBrowser reports whether an environment performs the action. The others
// belong to the runtime: it reads, remembers, asks and ends.
func (k Kind) InBrowser() bool {
	switch k {
	case WebSearch, ReadPage, Memorize, AskUser, Terminate:
		return false
	}
	return true
}

// Action is one thing for an environment to do. Every position and distance in
// it is in CSS pixels of the viewport; model coordinates never get this far.
type Action struct {
	Kind Kind `json:"kind"`
	// Point is where a pointer action happens, (0,0) being the top left pixel.
	// For Type it is where to click first; nil types into what has the focus.
	// For LeftClickDrag it is the end.
	Point *Point `json:"point,omitempty"`
	// From is where a LeftClickDrag begins; nil is where the pointer is.
	From *Point `json:"from,omitempty"`
	// Keys are pressed in order and released in reverse.
	Keys []string `json:"keys,omitempty"`
	// Text is what Type types, exactly.
	Text string `json:"text,omitempty"`
	// Document, when it is set, is the address of the only document that Type may
	// type into; with another one it fails with Moved.
	Document string `json:"-"`
	// Sure: a person or a rule has allowed what the action does, and with it to say
	// yes when the page asks whether that shall be done.
	Sure bool `json:"-"`
	// Clear makes Type empty the field first.
	Clear bool `json:"clear,omitempty"`
	// Enter makes Type press Enter at the end.
	Enter bool `json:"enter,omitempty"`
	// DX and DY are the distance to scroll: right and down are positive.
	DX float64 `json:"dx,omitempty"`
	DY float64 `json:"dy,omitempty"`
	// URL is the absolute address VisitURL opens.
	URL string `json:"url,omitempty"`
	// For is how long Wait waits.
	For time.Duration `json:"for_ns,omitempty"`
}

// Outcome is what an action did, when it did not fail.
type Outcome struct {
	// Text says it in one line of our own words, for people and logs.
	Text string `json:"text"`
	// Tell marks an outcome that the next frame cannot show, so that the model
	// has to be told in words.
	Tell bool `json:"tell,omitempty"`
	// Hit is the element that was under the point just before the action; nil
	// when the action has no point or the element could not be found.
	Hit *Element `json:"hit,omitempty"`
}

// Element describes a page element. Its words come from the page and are
// untrusted.
type Element struct {
	Tag  string `json:"tag"`
	Role string `json:"role,omitempty"`
	Name string `json:"name,omitempty"`
	// Box is the element's border box in viewport CSS pixels.
	Box Rect `json:"box"`

	// Text is what it shows, its white space folded, cut at 200 characters.
	Text string `json:"text,omitempty"`
	// Type is a field's or a button's type, such as "password" or "submit".
	Type string `json:"type,omitempty"`
	// Autocomplete says what a field is for, such as "one-time-code".
	Autocomplete string `json:"autocomplete,omitempty"`
	// Link is the absolute address of the link that it is or stands in.
	Link string `json:"link,omitempty"`
	// Document is the address of the document that it belongs to, which in a
	// frame is not the page's.
	Document string `json:"document,omitempty"`
	// Editable: text can be typed into it.
	Editable bool `json:"editable,omitempty"`
	// Form is the form that it belongs to; nil when there is none.
	Form *Form `json:"form,omitempty"`
}

// Form describes a form of a page. Its words are untrusted.
type Form struct {
	// Method is "get", "post" or "dialog"; Action is the absolute address it is
	// sent to.
	Method string `json:"method"`
	Action string `json:"action,omitempty"`
	// Name is its accessible name, or else its id or name attribute.
	Name string `json:"name,omitempty"`
	// Submits: the element sends the form when it is pressed; for a field, when
	// Enter is pressed in it.
	Submits bool `json:"submits,omitempty"`
	// Fields are the first 40 that a person can see and fill, in their order.
	Fields []Field `json:"fields,omitempty"`
}

// Field is a part of a form.
type Field struct {
	// Type is the field's type, or its tag where it has none: "password",
	// "textarea", "select".
	Type string `json:"type"`
	// Name is its label, or else its name attribute; Autocomplete is what it says
	// it is for, such as "cc-number".
	Name         string `json:"name,omitempty"`
	Autocomplete string `json:"autocomplete,omitempty"`
	// Filled: it is not empty.
	Filled bool `json:"filled,omitempty"`
}

// Point is a position in viewport CSS pixels.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// String gives the point rounded to whole pixels: "(720, 450)".
func (p Point) String() string { return fmt.Sprintf("(%.0f, %.0f)", p.X, p.Y) }

// Rect is a box in viewport CSS pixels.
type Rect struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Size is a width and a height in pixels; the field that holds it says which
// pixels.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

// String gives W×H as in "1440x896".
func (s Size) String() string { return fmt.Sprintf("%dx%d", s.W, s.H) }
