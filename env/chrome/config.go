package chrome

import (
	"log/slog"
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
	// Admit says whether a document of this absolute address may be asked for, by
	// whatever way the browser comes to it: nil, or why not. It is asked before
	// anything is sent, from several goroutines. nil admits all. In a browser of
	// somebody else's only our own tabs ask, and a tab that a page opens there asks
	// from its second document on.
	Admit func(address string) error
	// Dialogs is how questions of pages are answered; empty means Accept.
	Dialogs Dialogs
	// Viewport is the size of the page in CSS pixels; zero means 1440x896.
	Viewport env.Size
	// Scale is the device scale factor: frames are Viewport×Scale pixels.
	// 0 means 1.
	Scale float64
	// Window is whether a window is shown; empty means Headless.
	Window Window
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
