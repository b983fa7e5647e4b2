package envtest

import (
	"bytes"
	"image"
	_ "image/png" // frames are looked at
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"fara/env"
)

func pdfCases() []browserCase {
	return []browserCase{
		{"a PDF that is visited is drawn in the first picture and can be read", own, visitedPDF},
		{"a PDF behind a link is drawn and can be read", own, linkedPDF},
		{"a PDF in a page is drawn and read with it", own, embeddedPDF},
		{"the wheel turns a PDF's pages", own, scrolledPDF},
		{"a damaged PDF is told", own, damagedPDF},
		fileCase("a PDF that is an attachment is downloaded", attachedPDF),
	}
}

// paper serves a PDF of two pages.
func (b *Tab) paper(path string) string {
	return b.Site.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write(PDF("First words here", "Second page words"))
	})
}

// ink counts the black pixels of a picture's part, of which large letters have
// thousands and a viewer's grey has none.
func ink(t *testing.T, obs env.Observation, part image.Rectangle) (n int) {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(obs.Image))
	if err != nil {
		t.Fatal(err)
	}
	part = part.Intersect(img.Bounds())
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 0x3000 {
				n++
			}
		}
	}
	return n
}

// sheet is where a visited PDF's first page lies, beside the viewer's own parts.
var sheet = image.Rect(350, 100, 1300, 900)

func (b *Tab) reads(parts ...string) {
	b.T.Helper()
	doc, err := b.Read(b.T.Context())
	if err != nil {
		b.T.Fatal(err)
	}
	Contains(b.T, "read", doc.Markdown, parts...)
}

func visitedPDF(t *testing.T, b *Tab) {
	address := b.paper("/paper.pdf")
	b.Do(env.Action{Kind: env.VisitURL, URL: address})
	obs := b.See()
	if n := ink(t, obs, sheet); n < 1000 || obs.URL != address || len(obs.Notes) != 0 {
		t.Errorf("first picture: %d black pixels at %s, notes %+v; want the letters drawn", n, obs.URL, obs.Notes)
	}
	b.reads("Page 1 of 2", "First words here", "Page 2 of 2", "Second page words")
	b.Open(`<title>after</title>`)
	b.Says("after")
}

func linkedPDF(t *testing.T, b *Tab) {
	b.paper("/paper") // no ending: only the type tells
	for name, link := range map[string]string{"here": `<a href=/paper` + target + `>x</a>`, "new tab": `<a href=/paper target=_blank` + target + `>x</a>`} {
		b.Open(link)
		b.Click(50, 50)
		obs := b.See()
		if n := ink(t, obs, sheet); n < 1000 || obs.URL != b.Site.URL+"/paper" {
			t.Errorf("%s: %d black pixels at %s, want the letters drawn", name, n, obs.URL)
		}
		b.reads("First words here")
	}
}

func embeddedPDF(t *testing.T, b *Tab) {
	b.paper("/paper.pdf")
	for name, html := range map[string]string{
		"iframe": `<iframe src=/paper.pdf width=1000 height=700></iframe>`,
		"embed":  `<embed src=/paper.pdf type=application/pdf width=1000 height=700>`,
		"object": `<object data=/paper.pdf type=application/pdf width=1000 height=700></object>`,
	} {
		b.visitTo(`<h1>Around it</h1>` + html)
		obs := b.See()
		if n := ink(t, obs, image.Rect(100, 200, 1000, 800)); n < 1000 {
			t.Errorf("%s: %d black pixels, want the letters drawn; notes %+v", name, n, obs.Notes)
		}
		b.reads("# Around it", "First words here", "Second page words")
	}
}

func scrolledPDF(t *testing.T, b *Tab) {
	b.Visit(b.paper("/paper.pdf"))
	before := b.See().Image
	out := b.Do(env.Action{Kind: env.Scroll, Point: point(800, 500), DY: 600})
	if out.Tell {
		t.Errorf("outcome: %q is told, want a scroll", out.Text)
	}
	b.until("scrolled", func(obs env.Observation) bool { return !bytes.Equal(obs.Image, before) })
}

func damagedPDF(t *testing.T, b *Tab) {
	address := b.Site.Handle("/bad.pdf", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write([]byte("%PDF-1.7\nthis is none"))
	})
	b.Visit(address)
	b.reads("This is a PDF", "look at its picture")
}

func attachedPDF(t *testing.T, b *Tab, dir string) {
	b.Site.Handle("/paper.pdf", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		w.Header().Set("Content-Disposition", "attachment; filename=paper.pdf")
		_, _ = w.Write(PDF("x"))
	})
	b.Open(`<a href=/paper.pdf` + target + `>x</a>`)
	b.Click(50, 50)
	b.until("downloaded", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteDownload)) == 1 })
	if got, err := os.ReadFile(filepath.Join(dir, "paper.pdf")); err != nil || !bytes.Equal(got, PDF("x")) {
		t.Errorf("the file: %d bytes, %v", len(got), err)
	}
}
