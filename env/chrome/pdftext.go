package chrome

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"
)

// maxPDFPages is how many pages of a PDF are read, pdfTime how long that may take.
const (
	maxPDFPages = 300
	pdfTime     = 10 * time.Second
)

// errPDFSlow is the cause of a PDF that was given up on.
var errPDFSlow = errors.New("reading it took too long")

// pdfSource is a PDF in memory that cannot be read any more when ctx is over, so
// that a file that leads in circles ends.
type pdfSource struct {
	ctx context.Context
	*bytes.Reader
}

func (s pdfSource) ReadAt(p []byte, off int64) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.Reader.ReadAt(p, off)
}

// pdfHTML gives the text of a PDF as HTML, a heading over each page. Files come
// from anywhere and the reader panics on some, which is an error here.
func pdfHTML(ctx context.Context, raw []byte) (out string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, pdfTime, errPDFSlow)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a PDF that cannot be read: %v", r)
		}
	}()
	reader, err := pdf.NewReader(pdfSource{ctx, bytes.NewReader(raw)}, int64(len(raw)))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	words := 0
	for n := 1; n <= min(reader.NumPage(), maxPDFPages) && b.Len() < markdownLimit*2; n++ {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		text := strings.TrimSpace(pdfPage(reader.Page(n)))
		words += len(text)
		fmt.Fprintf(&b, "<h2>Page %d of %d</h2><p>%s</p>", n, reader.NumPage(),
			strings.ReplaceAll(html.EscapeString(text), "\n", "<br>"))
	}
	if words == 0 {
		return "", errors.New("there is no text in it, only pictures")
	}
	return b.String(), nil
}

// pdfPage gives one page's text, empty when it has none or is damaged.
func pdfPage(p pdf.Page) (text string) {
	defer func() { _ = recover() }()
	fonts := map[string]*pdf.Font{}
	for _, name := range p.Fonts() {
		font := p.Font(name)
		fonts[name] = &font
	}
	text, _ = p.GetPlainText(fonts)
	return text
}
