package envtest

import (
	"context"
	"net/url"
	"strings"

	"fara/env"
)

// Aim gives what an action is about to hit, and changes nothing: of the elements
// that are there the smallest at the action's point, or for keys and text without
// a point what has the focus; nil when there is none. The elements there are
// Elements, or those of FormElements on a page whose path ends in /form.
func (e *Env) Aim(ctx context.Context, a env.Action) (*env.Element, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable(ctx); err != nil {
		return nil, err
	}
	e.aims++
	if err := e.FailAim[e.aims]; err != nil {
		return nil, err
	}
	if e.OnAim != nil {
		return e.OnAim(e.aims, a)
	}
	at := a.Point
	switch a.Kind {
	case env.VisitURL, env.HistoryBack, env.Wait:
		return nil, nil
	case env.Key, env.Type:
		if at == nil {
			return e.focus, nil
		}
	case env.LeftClickDrag:
		if a.From != nil {
			at = a.From
		}
	}
	return e.at(at), nil
}

// at gives a copy of the smallest element that holds a point; nil when none does.
func (e *Env) at(p *env.Point) *env.Element {
	elements := e.Elements
	if u, err := url.Parse(e.url()); elements == nil && err == nil && strings.HasSuffix(u.Path, "/form") {
		elements = FormElements(e.url())
	}
	var best *env.Element
	for _, el := range elements {
		b := el.Box
		if p == nil || p.X < b.X || p.Y < b.Y || p.X >= b.X+b.W || p.Y >= b.Y+b.H {
			continue
		}
		if best == nil || b.W*b.H <= best.Box.W*best.Box.H {
			best = &el
		}
	}
	return best
}

// Focus gives the focus to an element, or with nil takes it away.
func (e *Env) Focus(el *env.Element) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.focus = el
}

// Inspect gives Evidence, cut to what the query asks for, with the page's address
// and title where Evidence has none. A selector that Evidence does not have finds
// nothing; where Evidence has no elements, those of FormMatches are on a page whose
// path ends in /form.
func (e *Env) Inspect(ctx context.Context, q env.Query) (env.Evidence, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable(ctx); err != nil {
		return env.Evidence{}, err
	}
	e.inspects++
	if err := e.FailInspect[e.inspects]; err != nil {
		return env.Evidence{}, err
	}
	out := e.Evidence
	if out.URL == "" {
		out.URL, out.Title = e.url(), e.title
	}
	if !q.Text {
		out.Text = ""
	} else if out.Text == "" {
		out.Text = e.text()
	}
	if !q.Cookies {
		out.Cookies = nil
	}
	out.Elements = nil
	for _, selector := range q.Selectors {
		out.Elements = append(out.Elements, e.matches(selector))
	}
	return out, nil
}

func (e *Env) matches(selector string) env.Matches {
	elements := e.Evidence.Elements
	if u, err := url.Parse(e.url()); elements == nil && err == nil && strings.HasSuffix(u.Path, "/form") {
		elements = FormMatches()
	}
	for _, m := range elements {
		if m.Selector == selector {
			return m
		}
	}
	return env.Matches{Selector: selector}
}

// Aims is how many times it was asked what an action is about to hit.
func (e *Env) Aims() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.aims
}
