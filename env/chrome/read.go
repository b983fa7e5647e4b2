package chrome

import (
	"context"
	"fmt"
	"html"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// The most frames of other sites that are read with a page, and the most
// characters of HTML of all documents together; no page that people read has more.
const (
	maxFrames   = 50
	maxReadHTML = 3_000_000
)

// Read is Browser.Read.
func (b *instance) Read(ctx context.Context) (env.Document, error) {
	caller := ctx
	ctx, end, err := b.begin(ctx)
	if err != nil {
		return env.Document{}, err
	}
	defer end()
	doc, err := b.read(ctx)
	if err != nil {
		if caller.Err() != nil {
			return env.Document{}, context.Cause(caller)
		}
		return env.Document{}, fmt.Errorf("read the page: %w", err)
	}
	return doc, nil
}

func (b *instance) read(ctx context.Context) (env.Document, error) {
	p, err := b.usable(ctx)
	if err != nil {
		return env.Document{}, err
	}
	s, cancel := b.bind(ctx, p)
	defer cancel()
	r := reading{b: b, page: p, mark: newSecret()}
	first, err := r.document(s, proto.PageFrameID(p.target), 0)
	if err != nil {
		return env.Document{}, err
	}
	text, err := markdown(first.HTML)
	if err != nil {
		return env.Document{}, err
	}
	return env.Document{URL: shownURL(first.URL), Title: shownTitle(first.Title), Markdown: text}, nil
}

// reading is the reading of one page with its frames.
type reading struct {
	b      *instance
	page   *page
	mark   string // stands in a document's HTML where a frame belongs
	frames int
	size   int
}

// written is a document as readScript gives it.
type written struct {
	URL, Title, Type, HTML string
	Frames                 int // that readScript could not enter
}

// document reads a frame's document and puts the frames of other sites in place.
func (r *reading) document(s session, frame proto.PageFrameID, depth int) (d written, err error) {
	script := strings.ReplaceAll(readScript, "{{mark}}", r.mark)
	if err := s.evaluate(frame, script, &d); err != nil {
		return d, err
	}
	if d.Type == pdfType {
		d.HTML = r.pdf(s, frame, d.URL)
	}
	r.size += len(d.HTML)
	for n := range d.Frames {
		inner := ""
		if depth < maxDepth && r.frames < maxFrames && r.size < maxReadHTML {
			r.frames++
			inner = r.inner(s, frame, n, depth)
		}
		d.HTML = strings.Replace(d.HTML, fmt.Sprintf("%s:%d;", r.mark, n), inner, 1)
	}
	return d, nil
}

// inner reads the document in the n-th frame that readScript left out, which is
// empty when there is none or it cannot be read.
func (r *reading) inner(s session, frame proto.PageFrameID, n, depth int) string {
	w, err := proto.PageCreateIsolatedWorld{FrameID: frame, WorldName: world}.Call(s)
	if err != nil {
		return ""
	}
	el, err := proto.RuntimeEvaluate{Expression: fmt.Sprintf("fara.left[%d]", n), ContextID: w.ExecutionContextID, Silent: true}.Call(s)
	if err != nil || el.Result == nil || el.Result.ObjectID == "" {
		return ""
	}
	node, err := proto.DOMDescribeNode{ObjectID: el.Result.ObjectID}.Call(s)
	if err != nil || node.Node == nil || node.Node.FrameID == "" {
		return ""
	}
	d, err := r.document(r.b.sessionOf(s, r.page, node.Node.FrameID), node.Node.FrameID, depth+1)
	if err != nil {
		return ""
	}
	return "<div>" + d.HTML + "</div>"
}

// pdf gives the text of a PDF that a frame shows, or why there is none.
func (r *reading) pdf(s session, frame proto.PageFrameID, address string) string {
	raw, err := fileShown(s, frame, address)
	if err != nil { // a frame's file is known in the document that shows it only by its address
		raw, err = r.fetched(s.ctx, address)
	}
	text := ""
	if err == nil {
		text, err = pdfHTML(s.ctx, raw)
	}
	if err != nil {
		return "<p>[This is a PDF, which could not be read as text: " + html.EscapeString(err.Error()) + "; look at its picture and scroll in it.]</p>"
	}
	return text
}
