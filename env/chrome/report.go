package chrome

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// teller is the function of our world that hands words over to this process.
const teller = "faraTell"

// newSecret names the event by which a page's own world speaks to ours.
func newSecret() string {
	raw := make([]byte, 12)
	_, _ = rand.Read(raw) // never fails
	return "_" + hex.EncodeToString(raw)
}

// ears have a page's own world tell ours what the page asks of the browser, and
// ours tell us.
func (b *instance) ears() []proto.Request {
	return []proto.Request{
		proto.PageAddScriptToEvaluateOnNewDocument{Source: b.secretly(listenScript), WorldName: world, RunImmediately: true},
		proto.PageAddScriptToEvaluateOnNewDocument{Source: b.secretly(reportScript), RunImmediately: true},
	}
}

// secretly fills the name of the event in.
func (b *instance) secretly(script string) string {
	return strings.ReplaceAll(script, "{{secret}}", b.secret)
}

// lendEar gives the documents of a session what listenScript needs to tell us.
// The browser forgets to do so for new ones as long as the page is not being
// debugged, which pages could notice.
func (b *instance) lendEar(id string) {
	b.background(func(ctx context.Context) {
		_ = proto.RuntimeAddBinding{Name: teller, ExecutionContextName: world}.Call(session{ctx, b.conn, proto.TargetSessionID(id)})
	})
}

// permissions names what reportScript reports in words.
var permissions = map[string]string{
	"location": "your location", "camera": "the camera or microphone", "screen": "a picture of the screen",
	"clipboard": "the clipboard", "device": "a Bluetooth device", "usb": "a USB device", "serial": "a serial device",
	"hid": "an input device", "midi": "music devices", "fonts": "the fonts of this machine", "screens": "the screens of this machine",
	"notifications": "leave to show notifications", "idle": "leave to see whether someone is there",
}

// reported takes in what a page asked for. A page can say anything here, so what
// is not known is not repeated.
func (b *instance) reported(p *page, what string) {
	switch {
	case what == "print":
		b.noteOnce(env.Note{Kind: env.NoteAsked, Text: "the page wanted to print itself, which does nothing here"})
	case what == "popup":
		b.noteOnce(env.Note{Kind: env.NoteAsked, Text: "the page wanted to open a window that no click had asked for; it was blocked"})
	case strings.HasPrefix(what, "program ") && forProgram(what[len("program "):]):
		b.noteProgram(what[len("program "):])
	case strings.HasPrefix(what, "barred "):
		b.barred(p, what[len("barred "):])
	case permissions[what] != "":
		b.askedFor(p, what)
	}
}

// askedFor notes a permission that a page asks for, once for each page.
func (b *instance) askedFor(p *page, what string) {
	if b.granted(what) {
		return
	}
	text := "the page asked for " + permissions[what] + "; it was denied"
	if b.process == nil {
		text = "the page asked for " + permissions[what] + ", which is left to the browser"
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(p.wishes, what) {
		p.wishes = append(p.wishes, what)
		b.noteLocked(env.Note{Kind: env.NoteAsked, Text: text})
	}
}

// noteOnce notes what has not been noted since the last observation.
func (b *instance) noteOnce(n env.Note) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.noteOnceLocked(n)
}

// opens are the schemes of addresses that a browser opens by itself.
var opens = []string{"http", "https", "file", "data", "blob", "about", "javascript", "filesystem", "view-source", "chrome", "chrome-error", "chrome-extension", "devtools"}

// forProgram reports whether only another program could open an address.
func forProgram(address string) bool {
	scheme, _, ok := strings.Cut(address, ":")
	return ok && !slices.Contains(opens, strings.ToLower(scheme))
}

// noteProgram tells of a page that wanted another program.
func (b *instance) noteProgram(address string) {
	b.noteOnce(env.Note{Kind: env.NoteAsked, Text: "the page wanted to open another program, which is not done here; the page stays", Quote: cut(address, noteLimit)})
}

// requested closes a new tab that was opened for another program only.
func (b *instance) requested(p *page, e *proto.PageFrameRequestedNavigation) {
	if !forProgram(e.URL) {
		return
	}
	b.noteProgram(e.URL)
	b.mu.Lock()
	vain := p.opener != "" && !p.been && e.FrameID == proto.PageFrameID(p.target)
	b.mu.Unlock()
	if vain {
		b.background(func(ctx context.Context) {
			_, _ = proto.TargetCloseTarget{TargetID: p.target}.Call(b.root(ctx))
		})
	}
}
