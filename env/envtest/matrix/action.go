package matrix

import (
	"fmt"
	"strings"

	"fara/env"
)

// action is a pointer action: what to do on a page and what it has to see.
type action struct {
	name string
	// scales says whether to try it at every scale factor.
	scales bool
	steps  func(page) []env.Action
	check  func(page, []event) error
}

func actions() []action {
	return []action{
		{"move", false, moveSteps, checkMove},
		clicking("left", env.LeftClick, "mousedown/0/1/1 mouseup/0/0/1 click/0/0/1"),
		clicking("right", env.RightClick, "mousedown/2/2/1 contextmenu/2/2/0 mouseup/2/0/1 auxclick/2/0/1"),
		clicking("double", env.DoubleClick, "mousedown/0/1/1 mouseup/0/0/1 click/0/0/1 mousedown/0/1/2 mouseup/0/0/2 click/0/0/2 dblclick/0/0/2"),
		clicking("triple", env.TripleClick, "mousedown/0/1/1 mouseup/0/0/1 click/0/0/1 mousedown/0/1/2 mouseup/0/0/2 click/0/0/2 dblclick/0/0/2 "+
			"mousedown/0/1/3 mouseup/0/0/3 click/0/0/3"),
		{"drag", true, dragSteps, checkDrag},
		{"wheel", true, wheelSteps(0, turn), checkWheel("y")},
		{"hwheel", false, wheelSteps(turn, 0), checkWheel("x")},
		{"type", true, typeSteps, checkType},
	}
}

const (
	turn    = 30.0 // CSS pixels the wheel asks for
	written = "Zoe 7"
	pressed = "mousedown mouseup click dblclick contextmenu auxclick"
)

// target is where on the top page the middle of a page's target is.
func target(p page) *env.Point { return at(p, p.target) }

func at(p page, stage env.Point) *env.Point {
	top := p.place(stage)
	return &top
}

func moveSteps(p page) []env.Action {
	return []env.Action{{Kind: env.MouseMove, Point: at(p, p.end)}, {Kind: env.MouseMove, Point: target(p)}}
}

func checkMove(p page, events []event) error {
	moves := of(events, "mousemove pointermove")
	if len(moves) < 4 {
		return fmt.Errorf("%d moves seen, want those of two places", len(moves))
	}
	for _, e := range moves[len(moves)-2:] {
		if e.buttons != 0 {
			return fmt.Errorf("%v with buttons held", e)
		}
		if err := exact(p, e, p.target, "target"); err != nil {
			return err
		}
	}
	return nil
}

// clicking is a click of a kind; want lists the events as event.String has them.
func clicking(name string, kind env.Kind, want string) action {
	return action{
		name: name, scales: kind == env.LeftClick,
		steps: func(p page) []env.Action { return []env.Action{{Kind: kind, Point: target(p)}} },
		check: func(p page, events []event) error { return checkClick(p, events, want) },
	}
}

func checkClick(p page, events []event, want string) error {
	var got []string
	for _, e := range of(events, pressed) {
		got = append(got, e.String())
	}
	if g := strings.Join(got, " "); g != want {
		return fmt.Errorf("saw %q, want %q", g, want)
	}
	for _, e := range of(events, pressed+" pointerdown pointerup") {
		if err := exact(p, e, p.target, "target"); err != nil {
			return err
		}
	}
	return nil
}

func dragSteps(p page) []env.Action {
	return []env.Action{{Kind: env.MouseMove, Point: target(p)}, {Kind: env.LeftClickDrag, Point: at(p, p.end)}}
}

func checkDrag(p page, events []event) error {
	downs, ups := of(events, "mousedown"), of(events, "mouseup")
	if len(downs) != 1 || len(ups) != 1 || downs[0].buttons != 1 || ups[0].buttons != 0 {
		return fmt.Errorf("saw presses %v and releases %v, want one of each", downs, ups)
	}
	if err := exact(p, downs[0], p.target, "target"); err != nil {
		return err
	}
	if err := exact(p, ups[0], p.end, "scroller"); err != nil {
		return err
	}
	held := 0
	for _, e := range of(events, "mousemove") {
		if e.buttons == 1 {
			held++
		}
	}
	if held < 5 {
		return fmt.Errorf("%d moves with the button held, want 5 or more", held)
	}
	return nil
}

// wheelSteps turns the wheel there and back.
func wheelSteps(dx, dy float64) func(page) []env.Action {
	return func(p page) []env.Action {
		kind := env.Scroll
		if dx != 0 {
			kind = env.HScroll
		}
		return []env.Action{{Kind: kind, DX: dx, DY: dy, Point: target(p)}, {Kind: kind, DX: -dx, DY: -dy, Point: target(p)}}
	}
}

// checkWheel checks the wheel's events and that the scroller moved by exactly what
// was asked, and back. Pages report the scroller's offsets as scroll/x/y.
func checkWheel(axis string) func(page, []event) error {
	return func(p page, events []event) error {
		wheels := of(events, "wheel")
		if len(wheels) != 2 {
			return fmt.Errorf("%d wheel events, want 2", len(wheels))
		}
		// The scroller may have moved on under the pointer before the page hears of it.
		if err := exact(p, wheels[0], p.target, wheels[0].on); err != nil {
			return err
		}
		var far, last float64
		for _, e := range of(events, "scroll") {
			last = e.at.Y
			if axis == "x" {
				last = e.at.X
			}
			far = max(far, last)
		}
		if want := turn * p.wheel; far < want-1 || far > want+1 || last > 1 {
			return fmt.Errorf("scrolled to %v and back to %v, want %v and 0", far, last, want)
		}
		return nil
	}
}

func typeSteps(p page) []env.Action {
	return []env.Action{{Kind: env.Type, Point: target(p), Text: written}}
}

func checkType(p page, events []event) error {
	if err := checkClick(p, events, "mousedown/0/1/1 mouseup/0/0/1 click/0/0/1"); err != nil {
		return err
	}
	inputs := of(events, "input")
	if n := len(inputs); n == 0 || !strings.HasSuffix(inputs[n-1].value, written) || !inputs[n-1].trusted {
		return fmt.Errorf("field saw %d inputs, the last %+v, want %q in it", n, inputs[max(n-1, 0):], written)
	}
	return nil
}

// exact checks that an event is real, on what it should be on, and at its place in
// the document's own pixels.
func exact(p page, e event, stage env.Point, on string) error {
	if !e.trusted {
		return fmt.Errorf("%v is not trusted", e)
	}
	if e.on != on {
		return fmt.Errorf("%v is on %s, want %s", e, e.on, on)
	}
	return e.near(p.client(stage))
}
