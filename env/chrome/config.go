package chrome

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"fara/env"
)

// Config sets up a browser. The zero value is a headless browser of 1440x896
// with a profile that lives as long as the browser.
type Config struct {
	// Binary is the browser's path; empty means what Find finds. Attach ignores it.
	Binary string
	// ProfileDir keeps the profile (cookies, logins); it is made when it does not
	// exist. Empty means a temporary one, removed by Close.
	ProfileDir string
	// DownloadDir receives the page's downloads; empty refuses them.
	DownloadDir string
	// Uploads are the files that pages may be given, as absolute paths; none means
	// that a page which asks for a file gets none.
	Uploads []string
	// Admit says whether a document may be asked for, by whatever way the browser
	// comes to it, and again at each redirect: nil, or why not. It is asked before
	// anything is sent, from several goroutines. nil admits all. In a browser of
	// somebody else's only our own tabs ask, and a tab that a page opens there asks
	// from its second document on.
	Admit func(Document) error
	// Resume is what State gave of another browser. This one starts where that was:
	// each tab's page is asked for once more, by GET, and scrolled to; what was kept
	// in cookies and storage is there again. Nothing else is asked for. A browser of
	// somebody else's gets the tabs alone. Empty starts with an empty tab.
	Resume []byte
	// Dialogs is how questions of pages are answered; empty means Accept.
	Dialogs Dialogs
	// Confirm says whether a question of the page at an absolute address may be
	// answered as Dialogs has it, although the action that led to it, if one did, is
	// not Sure. Others are answered with Cancel. It is called from one goroutine and
	// must not wait. nil lets all be answered.
	Confirm func(address, question string) bool
	// Viewport is the size of the page in CSS pixels; zero means 1440x896.
	Viewport env.Size
	// Scale is the device scale factor: frames are Viewport×Scale pixels. 0 means
	// 1. Attach takes the browser's own: where another is emulated, clicks in frames
	// of other sites can miss.
	Scale float64
	// Window is whether a window is shown; empty means Headless.
	Window Window
	// Identity is what a headless browser says it is; empty means Ordinary. Attach
	// ignores it.
	Identity Identity
	// Grant names the permissions that pages get, as Permissions lists them; all
	// others are denied at once. Attach ignores it.
	Grant []string
	// Header goes with the requests by which Attach reaches the browser, such as a
	// key for it. Launch ignores it.
	Header http.Header
	// Proxy is the proxy of all connections ("http://host:port", "socks5://…"),
	// those to this machine too; nothing is looked up or sent past it. Empty means
	// the system's, which has no part in connections to this machine.
	Proxy string
	// Explain says why Proxy could not connect to an absolute address: an error of
	// the network, an *env.ActionError when it would not, or nil when that was not
	// the trouble. It is called from several goroutines. nil explains nothing.
	Explain func(address string) error
	// FrameFormat is how frames are encoded; empty means PNG.
	FrameFormat FrameFormat
	// Mask gives values that no frame may show. Where a page shows one, in text, in a
	// field or in a label, in any frame or shadow root, whatever its case and however
	// it is spaced or split, the picture is painted over; the page stays as it is. A
	// frame of the page that cannot be looked at is painted over as a whole. Drawings,
	// pictures and PDFs are not read. It is asked before each picture, from one
	// goroutine at a time; nil, or no values, leaves pictures as the browser gives
	// them, but for fields that Type has filled with Action.Document set: they are
	// painted over as long as they hold something.
	Mask func() []string
	// Watch is what Observation.Widgets tells of where it can be seen, in any frame or
	// shadow root, the more particular ones first: what lies in the box of one of them
	// is not told of again. None costs nothing.
	Watch []Watched
	// Console gets the text of each console message of the page in front. It is
	// called from one goroutine and must not wait. nil leaves the console off,
	// which pages can notice less.
	Console func(text string)
	// SettleLimit is how long a page that keeps changing is waited for after an
	// action; 0 means 5 s.
	SettleLimit time.Duration
	// ActionLimit is how long one action may take in all, waiting and settling
	// aside; 0 means 30 s.
	ActionLimit time.Duration
	// NavigationLimit is how long a server may take to begin its answer; 0 means
	// 30 s.
	NavigationLimit time.Duration
	// Logger is told what happens to the browser; nil means silent.
	Logger *slog.Logger
}

// Document is a document that is about to be asked for.
type Document struct {
	// Method is that of HTTP: POST for a form that sends something, whoever sends it.
	Method string
	// Address is absolute.
	Address string
	// From is the address of the page that it is for, or that opens the tab for it;
	// empty when that is not known.
	From string
}

// Watched is something to look for in pages.
type Watched struct {
	Name string
	// Selector is a CSS selector list of the elements that are it, Solved one of what
	// is there, in any frame of the page, when it is done with; empty when nothing
	// says so. One that is no selector finds nothing.
	Selector, Solved string
}

// Window says whether a browser shows itself on a screen.
type Window string

// The kinds of window.
const (
	Headless Window = "headless"
	Headful  Window = "headful"
)

// FrameFormat names how frames are encoded.
type FrameFormat string

// The formats of a frame.
const (
	PNG  FrameFormat = "png"
	JPEG FrameFormat = "jpeg" // quality 80
)

func (c Config) withDefaults() Config {
	if c.Viewport == (env.Size{}) {
		c.Viewport = env.Size{W: 1440, H: 896}
	}
	if c.Scale == 0 {
		c.Scale = 1
	}
	if c.Dialogs == "" {
		c.Dialogs = Accept
	}
	if c.Window == "" {
		c.Window = Headless
	}
	if c.Identity == "" {
		c.Identity = Ordinary
	}
	if c.FrameFormat == "" {
		c.FrameFormat = PNG
	}
	if c.SettleLimit == 0 {
		c.SettleLimit = 5 * time.Second
	}
	if c.ActionLimit == 0 {
		c.ActionLimit = 30 * time.Second
	}
	if c.NavigationLimit == 0 {
		c.NavigationLimit = 30 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// The limits of a page's size in CSS pixels, of the scale, and of a frame in its
// own pixels: one of maxPixels takes 5 s to draw, one of four times as many 50 s.
const (
	minSide, maxSide   = 200, 8000
	minScale, maxScale = 0.5, 4
	maxPixels          = 64e6
)

// Validate says what is out of range, and what would not be.
func (c Config) Validate() error {
	c = c.withDefaults()
	v := c.Viewport
	switch {
	case min(v.W, v.H) < minSide || max(v.W, v.H) > maxSide:
		return fmt.Errorf("a page of %v is out of range; each side may have %d to %d pixels", v, minSide, maxSide)
	case !(c.Scale >= minScale && c.Scale <= maxScale):
		return fmt.Errorf("a scale of %g is out of range; use %g to %g", c.Scale, minScale, float64(maxScale))
	case float64(v.W)*float64(v.H)*c.Scale*c.Scale > maxPixels:
		return fmt.Errorf("a page of %v at a scale of %g is too large to be drawn; a frame may have %.0f million pixels", v, c.Scale, maxPixels/1e6)
	case c.Identity != Ordinary && c.Identity != AsIs:
		return fmt.Errorf("the identity %q is unknown; use %s or %s", c.Identity, Ordinary, AsIs)
	}
	for _, name := range c.Grant {
		if !slices.Contains(Permissions(), name) {
			return fmt.Errorf("the permission %q is unknown; there are %s", name, strings.Join(Permissions(), ", "))
		}
	}
	return nil
}
