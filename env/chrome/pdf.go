package chrome

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// The browser shows a PDF by a page of its own in a frame, which takes a while to
// draw and tells nobody outside.
const (
	pdfType  = "application/pdf"
	pdfLimit = 6 * time.Second // for a viewer to have drawn its file
	pdfPoll  = 50 * time.Millisecond
)

// viewerState tells how far a PDF viewer is, and is empty in every other document.
const viewerState = `(v => !v ? '' : v.loadState_ || (document.readyState === 'complete' ? 'success' : 'loading'))(document.querySelector('pdf-viewer'))`

// sees takes in the type of a document that a tab, or a frame in it, has gone to.
func (b *instance) sees(p *page, f *proto.PageFrame) {
	if f == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case f.MIMEType == pdfType:
		p.pdf = true
	case f.ID == proto.PageFrameID(p.target):
		p.pdf = false
	}
}

// awaitPDF waits until the PDFs of a tab have been drawn, once for each document.
// What is not drawn in time is told.
func (b *instance) awaitPDF(ctx context.Context, p *page) {
	b.mu.Lock()
	due := p.pdf
	p.pdf = false
	b.mu.Unlock()
	if !due {
		return
	}
	limited, cancel := context.WithTimeout(ctx, pdfLimit)
	defer cancel()
	err := poll(limited, pdfPoll, func() (bool, error) { return b.viewersDone(limited, p), nil })
	if err == nil {
		err = b.stands(limited, p)
	}
	if err != nil && ctx.Err() == nil {
		b.note(env.Note{Kind: env.NoteSlow, Text: "a PDF was still being drawn when this picture was taken; reading the page gives its text"})
	}
}

// viewersDone reports whether there is a viewer and all of them have loaded.
func (b *instance) viewersDone(ctx context.Context, p *page) bool {
	found := false
	for _, s := range b.frameSessions(ctx, p) {
		res, err := proto.RuntimeEvaluate{Expression: viewerState, ReturnByValue: true, Silent: true}.Call(s)
		if err != nil || res.Result == nil {
			continue
		}
		switch res.Result.Value.Str() {
		case "":
		case "loading":
			return false
		default:
			found = true
		}
	}
	return found
}

// frameSessions are those of a tab's frames that run in processes of their own.
func (b *instance) frameSessions(ctx context.Context, p *page) (sessions []session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, owner := range b.sessions {
		if owner == p && id != p.session {
			sessions = append(sessions, session{ctx, b.conn, id})
		}
	}
	return sessions
}

// stands waits until two pictures in a row are the same: a viewer that has loaded
// its file draws it a moment later.
func (b *instance) stands(ctx context.Context, p *page) error {
	var last []byte
	return poll(ctx, pdfPoll, func() (bool, error) {
		image, err := b.capture(ctx, p)
		same := err == nil && bytes.Equal(image, last)
		last = image
		return same, err
	})
}

// fileShown gives the bytes of the file that a frame shows.
func fileShown(s session, frame proto.PageFrameID, address string) ([]byte, error) {
	content, err := proto.PageGetResourceContent{FrameID: frame, URL: address}.Call(s)
	if err != nil {
		return nil, err
	}
	if !content.Base64Encoded {
		return []byte(content.Content), nil
	}
	return base64.StdEncoding.DecodeString(content.Content)
}

// maxFetched is how many bytes of a file are fetched to be read.
const maxFetched = 64 << 20

// fetched loads a file as the page would, most often from the browser's cache.
func (r *reading) fetched(ctx context.Context, address string) ([]byte, error) {
	s, cancel := r.b.bind(ctx, r.page)
	defer cancel()
	res, err := proto.NetworkLoadNetworkResource{
		FrameID: proto.PageFrameID(r.page.target), URL: address,
		Options: &proto.NetworkLoadNetworkResourceOptions{IncludeCredentials: true},
	}.Call(s)
	if err != nil {
		return nil, err
	}
	if !res.Resource.Success || res.Resource.Stream == "" {
		return nil, errors.New(plainFailure(res.Resource.NetErrorName))
	}
	defer func() { _ = proto.IOClose{Handle: res.Resource.Stream}.Call(s) }()
	var all []byte
	for {
		part, err := proto.IORead{Handle: res.Resource.Stream}.Call(s)
		if err != nil {
			return nil, err
		}
		data := []byte(part.Data)
		if part.Base64Encoded {
			if data, err = base64.StdEncoding.DecodeString(part.Data); err != nil {
				return nil, err
			}
		}
		if all = append(all, data...); len(all) > maxFetched {
			return nil, errors.New("it is too large")
		}
		if part.EOF {
			return all, nil
		}
	}
}
