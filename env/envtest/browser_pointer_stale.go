package envtest

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	"fara/env"
)

func staleCases() []browserCase {
	return []browserCase{
		{name: "ALateBannerNeverMakesAClickHitTheWrongLink", run: lateBanner},
		{name: "WhatHasMovedAwayIsNotActedOn", run: movedAway},
		{name: "WhatHasMovedInFramesIsNotClicked", run: movedFrames},
		{name: "APageThatWasReplacedIsNotClicked", run: replacedPage},
		{name: "TheSamePointIsNotRefusedTwice", run: refusedOnce},
		{name: "OrdinaryChangesRefuseNothing", run: ordinaryChanges},
	}
}

// stacked are two links of 200 pixels each; which was clicked is the title.
const stacked = `<title>-</title><style>body{margin:0}a{display:block;width:400px;height:200px}</style>
<a href="#1" onclick="document.title='first'">First</a><a href="#2" onclick="document.title='second'">Second</a>`

const banner = `const d = document.createElement('div'); d.style.height = '200px'; d.textContent = 'News'; document.body.prepend(d);`

// lately opens a page that makes a change when happen is called. happen returns
// when it has been made, without looking at the page.
func (b *Tab) lately(html, change string) (happen func()) {
	b.T.Helper()
	now := make(chan struct{})
	b.Site.Handle("/when", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-now:
			_, _ = io.WriteString(w, "data: now\n\n")
		case <-r.Context().Done():
		}
	})
	b.Open(html + `<script>{const s = new EventSource('/when'); s.onmessage = () => { s.close(); ` + change + `; document.title += '.' }}</script>`)
	return func() {
		b.T.Helper()
		close(now)
		if !Eventually(func() bool {
			doc, err := b.Read(b.T.Context())
			return err == nil && strings.HasSuffix(doc.Title, ".")
		}) {
			b.T.Fatal("the page did not change")
		}
	}
}

// lateBanner clicks what the picture shows, the second link being green.
func lateBanner(t *testing.T, b *Tab) {
	for _, late := range []int{200, 600, 1500} {
		b.Visit(b.Site.Page("/page", fmt.Sprintf(`%s<style>a{background:red}a+a{background:lime}</style><script>setTimeout(() => {%s}, %d)</script>`, stacked, banner, late)))
		for range 3 {
			shown, err := png.Decode(bytes.NewReader(b.See().Image))
			if err != nil {
				t.Fatal(err)
			}
			red, green, _, _ := shown.At(100, 300).RGBA()
			want := map[bool]string{true: "second", false: "first"}[green > red]
			_, err = b.Perform(t.Context(), env.Action{Kind: env.LeftClick, Point: point(100, 300)})
			if err == nil {
				b.Says(want)
				break
			}
			if got := b.See().Title; got != "-" {
				t.Errorf("banner after %d ms: action %v, but the page says %q", late, err, got)
			}
		}
	}
}

func movedAway(t *testing.T, b *Tab) {
	fields := `<title>-</title><style>body{margin:0}input{display:block;width:400px;height:200px;box-sizing:border-box}</style><input placeholder=First><input placeholder=Second>`
	for _, a := range []env.Action{{Kind: env.LeftClick}, {Kind: env.RightClick}, {Kind: env.DoubleClick}, {Kind: env.TripleClick}, {Kind: env.Type, Text: "x"}} {
		a.Point = point(100, 300)
		page := stacked
		if a.Kind == env.Type {
			page = fields
		}
		happen := b.lately(page, banner)
		happen()
		text := b.Fails(a, env.Moved)
		Contains(t, string(a.Kind), text, `"Second" was at (100, 300)`, `"First" is there`)
		b.Says("-.")
		b.Click(100, 500) // where it is now
		if a.Kind != env.Type {
			b.Says("second")
		}
	}
	happen := b.lately(stacked, banner)
	b.Do(env.Action{Kind: env.MouseMove, Point: point(100, 300)})
	b.See()
	happen()
	b.Fails(env.Action{Kind: env.LeftClickDrag, Point: point(300, 350)}, env.Moved)
	happen = b.lately(stacked, `document.body.style.marginTop = '500px'`)
	happen()
	text := b.Fails(env.Action{Kind: env.LeftClick, Point: point(100, 300)}, env.Moved)
	Contains(t, "onto nothing", text, `"Second" is not at (100, 300) any more`)
}

func movedFrames(t *testing.T, b *Tab) {
	b.Site.Page("/links", stacked+`<script>onmessage = () => {`+banner+`}</script>`)
	frame := `<title>-</title><body style="margin:0"><iframe src="/links" style="display:block;border:0;width:500px;height:600px"></iframe>`
	for _, change := range []string{banner, `frames[0].postMessage('go', '*')`} {
		happen := b.lately(frame, change)
		happen()
		text := b.Fails(env.Action{Kind: env.LeftClick, Point: point(100, 300)}, env.Moved)
		Contains(t, change, text, "Second", "First")
	}
}

func replacedPage(t *testing.T, b *Tab) {
	b.Site.Page("/other", `<title>.</title><body style="margin:0"><a href="#" onclick="document.title='wrong.'" style="display:block;height:600px">Other</a>`)
	happen := b.lately(stacked, `location.href = '/other'`)
	happen()
	text := b.Fails(env.Action{Kind: env.LeftClick, Point: point(100, 300)}, env.Moved)
	Contains(t, "replaced", text, "another page")
	b.Says(".")
}

func refusedOnce(_ *testing.T, b *Tab) {
	happen := b.lately(stacked, `
const [one, two] = document.querySelectorAll('a'); setInterval(() => { if (!window.held) one.before(document.body.querySelectorAll('a')[1]) }, 50)`)
	happen()
	b.See()
	for range 6 { // a page that never rests refuses some, but never two in a row
		if _, err := b.Perform(b.T.Context(), env.Action{Kind: env.LeftClick, Point: point(100, 300)}); err != nil {
			b.See()
			b.Click(100, 300)
		}
		b.See()
	}
}

func ordinaryChanges(t *testing.T, b *Tab) {
	const button = `<title>-</title><style>body{margin:0}button{position:absolute;left:100px;top:100px;width:200px;height:60px}</style><button id=x onclick="document.title='pressed'">Buy</button>`
	for name, c := range map[string]struct{ html, change string }{
		"rendered again": {button, `x.outerHTML = x.outerHTML`},
		"another word":   {button, `x.textContent = 'Buy (2)'`},
		"styled":         {button, `x.style.transform = 'scale(1.1)'; x.className = 'hover'`},
		"a hint over it": {button, `document.body.insertAdjacentHTML('beforeend', '<div role=tooltip style="position:absolute;left:90px;top:90px;width:100px;height:40px;pointer-events:none">Cheap</div>')`},
		"a live region":  {button, `document.body.insertAdjacentHTML('afterbegin', '<div role=status aria-live=polite>3 left</div>')`},
		"wrapped":        {button, `const w = document.createElement('div'); x.before(w); w.append(x)`},
		"a new icon":     {button, `x.innerHTML = '<svg width=180 height=50><rect width=180 height=50 /></svg>'`},
		"a canvas":       {`<title>-</title><body style="margin:0"><canvas width=600 height=400 onclick="document.title='pressed'"></canvas>`, `document.querySelector('canvas').getContext('2d').fillRect(0, 0, 600, 400)`},
		"plain parts":    {`<title>-</title><body style="margin:0" onclick="document.title='pressed'"><div style="height:100px">a</div><div style="height:300px">b</div>`, banner},
	} {
		happen := b.lately(c.html, c.change)
		happen()
		out, err := b.Perform(t.Context(), env.Action{Kind: env.LeftClick, Point: point(180, 130)})
		if err != nil || out.Tell {
			t.Errorf("%s: got %+v, %v, want an ordinary click", name, out, err)
		}
		b.Says("pressed")
	}
}
