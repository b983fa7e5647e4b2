package env

// Query says what to find out about the page in front.
type Query struct {
	// Selectors are CSS selectors of elements whose state is wanted.
	Selectors []string
	// Text asks for the page's whole text, cut at 200,000 characters.
	Text bool
	// Cookies asks for the cookies that the page's address gets.
	Cookies bool
}

// Evidence is what an environment knows of its page and of what happened so far.
// All words in it come from pages and are untrusted.
type Evidence struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	// Text is what a person can read on the page, frames included.
	Text string `json:"text,omitempty"`
	// Elements are the states of the selectors that were asked for, in that order.
	Elements []Matches `json:"elements,omitempty"`
	Cookies  []Cookie  `json:"cookies,omitempty"`
	// Downloads are the finished ones, Requests the last 2,000 that pages made, both
	// oldest first.
	Downloads []Download `json:"downloads,omitempty"`
	Requests  []Request  `json:"requests,omitempty"`
}

// Matches are the elements that a selector finds, in all frames.
type Matches struct {
	Selector string `json:"selector"`
	// Problem says why the selector cannot be used; empty when it can.
	Problem string `json:"problem,omitempty"`
	// Count is how many there are, Found the first 20.
	Count int     `json:"count"`
	Found []State `json:"found,omitempty"`
}

// State is how an element stands.
type State struct {
	Text    string `json:"text,omitempty"`
	Value   string `json:"value,omitempty"`
	Visible bool   `json:"visible,omitempty"`
	Enabled bool   `json:"enabled,omitempty"`
	Checked bool   `json:"checked,omitempty"`
}

// Cookie is a cookie.
type Cookie struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Domain string `json:"domain"`
	Path   string `json:"path"`
}

// Download is a file that a page gave.
type Download struct {
	// Name is the file's name in the folder for downloads, URL where it came from.
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
	// Size is in bytes, SHA256 the hash of its bytes in hex.
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Request is a request that a page made.
type Request struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	// Status is the answer's HTTP status; 0 when there was none.
	Status int `json:"status,omitempty"`
}
