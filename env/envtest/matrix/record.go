package matrix

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"fara/env"
)

// record is what a page saw, as its text tells it: the count of all events and
// the last of them.
type record struct {
	count  int
	events []event
}

// event is one event as the document saw it.
type event struct {
	kind    string
	on      string // target, scroller, or other
	trusted bool
	at      env.Point // clientX and clientY
	button  int
	buttons int
	detail  int
	value   string // of the target, when it is a field
}

// parse reads a text that has "record:3;click,target,1,33,40,0,0,1,;…:end" in it.
func parse(text string) record {
	_, text, _ = strings.Cut(text, "record:")
	text, _, _ = strings.Cut(text, ":end")
	parts := strings.Split(text, ";")
	var r record
	r.count, _ = strconv.Atoi(parts[0])
	for _, part := range parts[1:] {
		f := strings.Split(part, ",")
		if len(f) != 9 {
			continue
		}
		number := func(i int) float64 { n, _ := strconv.ParseFloat(f[i], 64); return n }
		r.events = append(r.events, event{
			kind: f[0], on: f[1], trusted: f[2] == "1", at: env.Point{X: number(3), Y: number(4)},
			button: int(number(5)), buttons: int(number(6)), detail: int(number(7)), value: f[8],
		})
	}
	return r
}

// since gives the events after the first n.
func (r record) since(n int) []event {
	fresh := max(r.count-n, 0)
	return r.events[max(len(r.events)-fresh, 0):]
}

// of keeps the events of the kinds.
func of(events []event, kinds string) []event {
	var out []event
	for _, e := range events {
		if strings.Contains(" "+kinds+" ", " "+e.kind+" ") {
			out = append(out, e)
		}
	}
	return out
}

// String gives the event without its place: "click/0/0/1", which is kind, button,
// buttons and detail.
func (e event) String() string {
	return fmt.Sprintf("%s/%d/%d/%d", e.kind, e.button, e.buttons, e.detail)
}

// near says whether an event is where it should be. Pointer events carry
// fractions; mouse events are rounded by the browser.
func (e event) near(want env.Point) error {
	slack := 1.0
	if strings.HasPrefix(e.kind, "pointer") {
		slack = 0.06
	}
	if math.Abs(e.at.X-want.X) > slack || math.Abs(e.at.Y-want.Y) > slack {
		return fmt.Errorf("%s at %v,%v, want %.2f,%.2f", e.kind, e.at.X, e.at.Y, want.X, want.Y)
	}
	return nil
}
