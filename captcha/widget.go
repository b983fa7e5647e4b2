package captcha

import (
	"net/url"
	"slices"
	"strings"

	"fara/env"
)

// Kind says what a captcha does to the page it is on.
type Kind int

// The kinds.
const (
	// Box stands among other things, as in a form: it stops only who touches it.
	Box Kind = iota
	// Challenge lies over the page, which cannot be used until it is dealt with.
	Challenge
	// Check is a page of its own that looks at the browser and often lets it pass
	// without anybody.
	Check
)

// Widget is a captcha that is known: how it is found, and how it says that it is
// solved.
type Widget struct {
	// Name is what people call it; no two widgets share one.
	Name string
	// Selector is a CSS selector list of elements that a person can see only while
	// the captcha is there. Those of invisible captchas, such as the badge of a page
	// that only scores its visitors, are not among them.
	Selector string
	// Solved is a CSS selector list of which something is found, in any frame of the
	// page, once it is solved; empty when it then goes away.
	Solved string
	Kind   Kind

	// frames are parts of the addresses of its frames, without scheme.
	frames []string
}

// Widgets lists the captchas that are known. The caller may change what it gets.
func Widgets() []Widget { return slices.Clone(known) }

// kindOf is the kind of a widget by its name; one that is not known is a Box.
func kindOf(name string) Kind {
	i := slices.IndexFunc(known, func(w Widget) bool { return w.Name == name })
	if i < 0 {
		return Box
	}
	return known[i].Kind
}

// Blocking names the unsolved captcha for which nothing else can be done on the
// page; empty when there is none, or only such that can be left alone.
func Blocking(obs env.Observation) string {
	if w := blocking(obs); w != nil {
		return w.Name
	}
	return ""
}

func blocking(obs env.Observation) *env.Widget {
	for i, w := range obs.Widgets {
		if !w.Solved && inView(w.Box, obs.Viewport) && (w.Alone || kindOf(w.Name) != Box) {
			return &obs.Widgets[i]
		}
	}
	return nil
}

// The smallest width and height, in CSS pixels, of something that a person can
// deal with: frames that only talk to their server are smaller.
const least = 16

// inView reports whether a part of a box is in the viewport. Challenges that wait
// for their turn are kept far outside it. A viewport of no size is not known.
func inView(b env.Rect, viewport env.Size) bool {
	known := viewport.W > 0 && viewport.H > 0
	return b.W >= least && b.H >= least && b.X+b.W > 0 && b.Y+b.H > 0 &&
		(!known || b.X < float64(viewport.W) && b.Y < float64(viewport.H))
}

// Touched names the unsolved captcha that an action is about to work on; empty
// when it works on none. hit is the element that it is about to reach, nil when
// that is not known: then the boxes alone decide. Looking at one, scrolling over
// it, or following a link in it works on none.
func Touched(obs env.Observation, act env.Action, hit *env.Element) string {
	if !works(act.Kind) || hit != nil && hit.Link != "" {
		return ""
	}
	for _, p := range []*env.Point{act.Point, act.From} {
		for _, w := range obs.Widgets {
			if p != nil && !w.Solved && within(*p, w.Box) {
				return w.Name
			}
		}
	}
	if hit == nil {
		return ""
	}
	name := frameOf(hit.Document)
	switch {
	case name != "" && solved(obs.Widgets, name):
		return ""
	case name != "":
		return name
	case asksForHuman(*hit):
		return unnamed
	}
	return ""
}

// works reports whether an action can solve anything.
func works(kind env.Kind) bool {
	switch kind {
	case env.LeftClick, env.DoubleClick, env.TripleClick, env.RightClick, env.LeftClickDrag, env.Type, env.Key:
		return true
	}
	return false
}

func within(p env.Point, b env.Rect) bool {
	return p.X >= b.X && p.X < b.X+b.W && p.Y >= b.Y && p.Y < b.Y+b.H
}

// frameOf names the captcha whose frame has this address; empty when it is none's.
func frameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	place := strings.ToLower(u.Hostname() + u.EscapedPath())
	for _, w := range known {
		if slices.ContainsFunc(w.frames, func(part string) bool { return strings.Contains(place, part) }) {
			return w.Name
		}
	}
	return ""
}

// solved reports whether the page shows that captcha, and every one of it solved.
func solved(seen []env.Widget, name string) bool {
	is := func(w env.Widget) bool { return w.Name == name }
	open := func(w env.Widget) bool { return is(w) && !w.Solved }
	return slices.ContainsFunc(seen, is) && !slices.ContainsFunc(seen, open)
}
