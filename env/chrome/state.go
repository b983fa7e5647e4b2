package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// stateVersion is the version of saved.
const stateVersion = 1

// saved is what State gives and Config.Resume takes.
type saved struct {
	Version int                    `json:"version"`
	Tabs    []savedTab             `json:"tabs"` // in the order in which they opened
	Cookies []*proto.NetworkCookie `json:"cookies,omitempty"`
	Stores  []store                `json:"stores,omitempty"` // each origin's localStorage
}

// savedTab is a tab as it was.
type savedTab struct {
	URL    string  `json:"url"`
	X      float64 `json:"x,omitempty"` // scrolled by, in CSS pixels
	Y      float64 `json:"y,omitempty"`
	Active bool    `json:"active,omitempty"`
	// Opener is the number of the tab that opened it, counted from 1; 0 is none.
	Opener int `json:"opener,omitempty"`
	// Posted: what it shows is the answer to a form.
	Posted bool    `json:"posted,omitempty"`
	Stores []store `json:"stores,omitempty"` // each origin's sessionStorage
	// Entered is what was put into fields and not sent, of each document of the tab.
	Entered []entered `json:"entered,omitempty"`
}

// store is what an origin keeps, in pages of its own or in frames of pages of
// another one.
type store struct {
	Origin string            `json:"origin"`
	Top    string            `json:"top"` // the page's origin
	Items  map[string]string `json:"items"`
}

// entered is what was put into the fields of a document.
type entered struct {
	URL    string         `json:"url"`
	Fields []enteredField `json:"fields"`
}

// enteredField is one field: the number that it has among all of them, what it is,
// and what is in it.
type enteredField struct {
	At      int    `json:"at"`
	Sign    string `json:"sign"`
	Value   string `json:"value"`
	Checked bool   `json:"checked"`
	Picked  []int  `json:"picked"`
}

// kept is what pageScript's kept reports of a document.
type kept struct {
	URL     string            `json:"url"`
	X       float64           `json:"x"`
	Y       float64           `json:"y"`
	Origin  string            `json:"origin"`
	Top     string            `json:"top"`
	Local   map[string]string `json:"local"`
	Session map[string]string `json:"session"`
	Fields  []enteredField    `json:"fields"`
}

// errState is the cause when a state cannot be gone on with.
var errState = errors.New("the browser's state cannot be read")

// readState reads what State gave; empty gives nil.
func readState(raw []byte) (*saved, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var s saved
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("%w: %v", errState, err)
	}
	if s.Version != stateVersion {
		return nil, fmt.Errorf("%w: it is of version %d and this program knows version %d", errState, s.Version, stateVersion)
	}
	return &s, nil
}

// stores are the items of each keeper, as they were seen last.
type stores map[keeper]map[string]string

// keeper is an origin in pages of an origin, which is its own or another one.
type keeper struct{ origin, top string }

// keep takes in a store; an empty one takes the place of what was there.
func (s stores) keep(of keeper, items map[string]string) {
	switch {
	case of.origin == "null" || of.top == "null" || items == nil:
	case len(items) == 0:
		delete(s, of)
	default:
		s[of] = items
	}
}

// list gives them in a fixed order.
func (s stores) list() (out []store) {
	for _, at := range slices.SortedFunc(maps.Keys(s), func(a, b keeper) int {
		return strings.Compare(a.top+" "+a.origin, b.top+" "+b.origin)
	}) {
		out = append(out, store{at.origin, at.top, s[at]})
	}
	return out
}

func storesOf(list []store) stores {
	s := stores{}
	for _, one := range list {
		s.keep(keeper{one.Origin, one.Top}, one.Items)
	}
	return s
}

// State is Browser.State.
func (b *instance) State(ctx context.Context) ([]byte, error) {
	ctx, end, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	collect := b.keepCookies(ctx)
	b.mu.Lock()
	pages := slices.Clone(b.pages)
	b.mu.Unlock()
	s := saved{Version: stateVersion}
	for _, p := range pages {
		s.Tabs = append(s.Tabs, b.savedTab(ctx, p, pages))
	}
	collect()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	b.past.mu.Lock()
	defer b.past.mu.Unlock()
	s.Cookies, s.Stores = b.past.cookies, b.past.stores.list()
	b.past.saved, err = json.Marshal(s)
	return b.past.saved, err
}

// savedTab asks a tab where it is. One that does not answer is where it was last.
func (b *instance) savedTab(ctx context.Context, p *page, pages []*page) savedTab {
	documents, err := everywhere[kept](ctx, b, p, "kept()", "kept()")
	b.past.mu.Lock()
	for _, d := range documents {
		b.past.stores.keep(keeper{d.Origin, d.Top}, d.Local)
	}
	b.past.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range documents {
		p.stores.keep(keeper{d.Origin, d.Top}, d.Session)
	}
	if top := documents[0]; top.URL != "" && p.failure == "" && !p.crashed {
		p.seen.URL, p.seen.X, p.seen.Y = top.URL, top.X, top.Y
	} else if err != nil || p.failure != "" {
		b.cfg.Logger.Debug("tab not asked for its state", "err", err)
	}
	var fields []entered
	for _, d := range documents {
		if len(d.Fields) > 0 {
			fields = append(fields, entered{d.URL, d.Fields})
		}
	}
	tab := savedTab{Entered: fields, URL: p.seen.URL, X: p.seen.X, Y: p.seen.Y, Active: p == b.active, Posted: p.posted, Stores: p.stores.list()}
	tab.Opener = 1 + slices.IndexFunc(pages, func(o *page) bool { return o.target == p.opener })
	return tab
}
