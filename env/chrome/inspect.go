package chrome

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// maxInspected bounds the text that Inspect gives, in characters, and maxFound the
// elements of a selector that it describes. A page is asked inspectTries times.
const (
	inspectTries = 10
	maxInspected = 200_000
	maxFound     = 20
)

// Inspect tells what was asked of the tab in front, in all its frames and open
// shadow roots, with the finished downloads and the last requests of all tabs. The
// value of a password field is never in it. Its errors are those of Observe.
func (b *Browser) Inspect(ctx context.Context, q env.Query) (found env.Evidence, err error) {
	err = b.repeat(ctx, func(ctx context.Context, i *instance) (err error) {
		found, err = i.Inspect(ctx, q)
		return err
	})
	return found, err
}

// inspected is what pageScript says of one document.
type inspected struct {
	Text     string        `json:"text"`
	Elements []env.Matches `json:"elements"`
}

// Inspect is Browser.Inspect.
func (b *instance) Inspect(ctx context.Context, q env.Query) (env.Evidence, error) {
	ctx, end, err := b.begin(ctx)
	if err != nil {
		return env.Evidence{}, err
	}
	defer end()
	p, err := b.usable(ctx)
	if err != nil {
		return env.Evidence{}, err
	}
	selectors, err := json.Marshal(append([]string{}, q.Selectors...))
	if err != nil {
		return env.Evidence{}, err
	}
	ask := fmt.Sprintf("inspect(%s, %t)", selectors, q.Text)
	documents, err := everywhere[inspected](ctx, b, p, ask, ask)
	for again := 1; again < inspectTries && err != nil && documents[0].Elements == nil && ctx.Err() == nil; again++ {
		documents, err = everywhere[inspected](ctx, b, p, ask, ask) // the page itself is busy
	}
	if ctx.Err() != nil {
		return env.Evidence{}, context.Cause(ctx)
	}
	if err != nil && documents[0].Elements == nil { // a frame that does not answer is left out
		return env.Evidence{}, fmt.Errorf("inspect the page: %w", err)
	}
	out := merged(q, documents)
	if _, err := b.tabs(ctx); err != nil {
		return out, fmt.Errorf("inspect the page: %w", err)
	}
	b.mu.Lock()
	out.URL, out.Title = p.shownURL(), shownTitle(p.title)
	b.mu.Unlock()
	if q.Cookies {
		if out.Cookies, err = b.cookies(ctx, p); err != nil {
			return out, fmt.Errorf("the page's cookies: %w", err)
		}
	}
	out.Downloads, out.Requests = b.past.happened()
	return out, nil
}

// merged puts the documents of a page together, the page's own first.
func merged(q env.Query, documents []inspected) env.Evidence {
	out := env.Evidence{Elements: make([]env.Matches, len(q.Selectors))}
	var texts []string
	for i, selector := range q.Selectors {
		out.Elements[i].Selector = selector
	}
	for _, d := range documents {
		if d.Text != "" {
			texts = append(texts, d.Text)
		}
		for i, m := range d.Elements {
			if i >= len(out.Elements) {
				break
			}
			all := &out.Elements[i]
			all.Problem, all.Count = m.Problem, all.Count+m.Count
			all.Found = append(all.Found, m.Found[:min(len(m.Found), maxFound-len(all.Found))]...)
		}
	}
	if text := []rune(strings.Join(texts, "\n")); len(text) > maxInspected {
		out.Text = string(text[:maxInspected])
	} else {
		out.Text = string(text)
	}
	return out
}

// cookies are those that the page's address gets.
func (b *instance) cookies(ctx context.Context, p *page) ([]env.Cookie, error) {
	s, release := b.bind(ctx, p)
	defer release()
	res, err := proto.NetworkGetCookies{}.Call(s)
	if err != nil {
		return nil, err
	}
	var out []env.Cookie
	for _, c := range res.Cookies {
		out = append(out, env.Cookie{Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path})
	}
	return out, nil
}

// maxRequests is how many requests are remembered.
const maxRequests = 2000

// journal is what pages have asked for and got. It belongs to past.mu.
type journal struct {
	requests  []env.Request // the newest maxRequests
	dropped   int           // older ones
	at        map[proto.NetworkRequestID]int
	downloads []env.Download
}

// happened gives what there is so far.
func (v *past) happened() ([]env.Download, []env.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.journal.downloads), slices.Clone(v.journal.requests)
}

// log takes a request, or the answer to one.
func (v *past) log(e event) {
	switch e.method {
	case "Network.requestWillBeSent":
		sent := decode[proto.NetworkRequestWillBeSent](e)
		if sent.Request == nil || strings.HasPrefix(sent.Request.URL, "data:") {
			return
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		if sent.RedirectResponse != nil {
			v.journal.status(sent.RequestID, sent.RedirectResponse.Status)
		}
		v.journal.sent(sent.RequestID, env.Request{Method: sent.Request.Method, URL: env.WithoutUser(sent.Request.URL)})
	case "Network.responseReceived":
		if got := decode[proto.NetworkResponseReceived](e); got.Response != nil {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.journal.status(got.RequestID, got.Response.Status)
		}
	}
}

func (j *journal) sent(id proto.NetworkRequestID, r env.Request) {
	if j.at == nil {
		j.at = map[proto.NetworkRequestID]int{}
	}
	j.at[id] = j.dropped + len(j.requests)
	j.requests = append(j.requests, r)
	if len(j.requests) > 2*maxRequests {
		gone := len(j.requests) - maxRequests
		j.requests, j.dropped = slices.Clone(j.requests[gone:]), j.dropped+gone
		for id, at := range j.at {
			if at < j.dropped {
				delete(j.at, id)
			}
		}
	}
}

func (j *journal) status(id proto.NetworkRequestID, status int) {
	if at, ok := j.at[id]; ok && at >= j.dropped {
		j.requests[at-j.dropped].Status = status
	}
}

// got takes a finished download. One that cannot be read has no hash.
func (v *past) got(path, url string) {
	d := env.Download{Name: filepath.Base(path), URL: url}
	if file, err := os.Open(path); err == nil {
		defer file.Close()
		sum := sha256.New()
		if d.Size, err = io.Copy(sum, file); err == nil {
			d.SHA256 = hex.EncodeToString(sum.Sum(nil))
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.journal.downloads = append(v.journal.downloads, d)
}
