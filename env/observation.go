package env

import "time"

// Observation is what an environment shows at one moment.
type Observation struct {
	// Image is the encoded picture of the viewport, in the format MIME names
	// ("image/png" or "image/jpeg").
	Image []byte
	MIME  string
	// ImageSize is the picture's size in its own pixels. It equals Viewport at
	// a device scale factor of 1.
	ImageSize Size
	// Viewport is the page's visible area in CSS pixels.
	Viewport Size
	// URL and Title belong to the page in front. Untrusted.
	URL   string
	Title string
	// Tabs are all open pages, the one in front marked.
	Tabs []Tab
	// Notes tell what happened since the last observation that the picture does
	// not show, oldest first.
	Notes []Note
	// Widgets are what the environment was told to look for and can be seen.
	Widgets []Widget
}

// Widget is something in a page that the environment was told to look for.
type Widget struct {
	// Name is the one it was looked for by.
	Name string `json:"name"`
	// Box is where it is, in viewport CSS pixels.
	Box Rect `json:"box"`
	// Solved: it says itself that it is done with.
	Solved bool `json:"solved,omitempty"`
	// Alone: the page is there for nothing else.
	Alone bool `json:"alone,omitempty"`
}

// Tab is one open page. Its words are untrusted.
type Tab struct {
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	Active bool   `json:"active,omitempty"`
}

// NoteKind classes what happened around the page.
type NoteKind string

// The kinds of note.
const (
	NoteDialog    NoteKind = "dialog"     // a JavaScript dialog opened and was answered
	NoteDeclined  NoteKind = "declined"   // one was answered with no, because a person has to say yes
	NoteDownload  NoteKind = "download"   // a download finished or failed
	NoteTab       NoteKind = "tab"        // a tab opened or closed
	NoteRecovered NoteKind = "recovered"  // the page crashed and was brought back
	NoteError     NoteKind = "page_error" // the page shows a network error
	NoteSlow      NoteKind = "slow"       // the page was still loading at the limit
	NoteLeft      NoteKind = "left"       // the page could not be shown and was left
	NoteRefused   NoteKind = "refused"    // a page or a frame was not let go where it wanted
	NoteAsked     NoteKind = "asked"      // the page asked the browser for something that is not done
	NoteBusy      NoteKind = "busy"       // the site gets too many requests and asks to be left alone
	NoteCaptcha   NoteKind = "captcha"    // a captcha was being solved and is not any more
)

// Note is one thing that happened around the page.
type Note struct {
	Kind NoteKind `json:"kind"`
	// Text is one line of our own words.
	Text string `json:"text"`
	// Quote holds the page's own words, such as a dialog's message; untrusted,
	// empty when there are none.
	Quote string `json:"quote,omitempty"`
	// Wait is how long the site of a NoteBusy asks to be left alone; 0 when it does not
	// say.
	Wait time.Duration `json:"wait_ns,omitempty"`
}

// Document is a page as text.
type Document struct {
	URL   string
	Title string
	// Markdown is the page's content; untrusted.
	Markdown string
}
