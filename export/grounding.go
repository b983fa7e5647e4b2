package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fara/env"
	"fara/model"
	"fara/trajectory"
)

// Target is an element that an action reached.
type Target struct {
	Action string `json:"action"`
	// Name, Role, Tag and Text are the element's, as the page has them; untrusted.
	Name string `json:"name"`
	Role string `json:"role,omitempty"`
	Tag  string `json:"tag,omitempty"`
	Text string `json:"text,omitempty"`
	// Point is where the model pointed, in its own space; Pixels the same place in
	// pixels of the frame, and CSS in CSS pixels of the viewport.
	Point  [2]Number `json:"point_model"`
	Pixels [2]Number `json:"point_frame"`
	CSS    [2]Number `json:"point_css"`
	// Box is the element's in pixels of the frame, as far as it is in it: its left, top,
	// right and bottom.
	Box [4]Number `json:"box_frame"`
	// Space is what Point counts: "0-1000", "pixels" or "0-1".
	Space    string   `json:"space"`
	Frame    string   `json:"frame_sha256"`
	Size     env.Size `json:"frame_size"`
	Viewport env.Size `json:"viewport"`
	URL      string   `json:"url,omitempty"`
}

// Label is the element in words: its role and its name.
func (t *Target) Label() string {
	kind := t.Role
	if kind == "" {
		kind = t.Tag
	}
	return strings.TrimSpace(fmt.Sprintf("%s %q", kind, t.Name))
}

// pointing are the actions that mean the element under their point.
var pointing = []env.Kind{env.LeftClick, env.RightClick, env.DoubleClick, env.TripleClick, env.MouseMove, env.Type}

// targets makes a row of each element that the model pointed at and reached, if it
// has a name or a text to be called by.
func (s *Source) targets(c *Config, take func(*Row) error, refuse func(Refusal)) error {
	o := s.Origin()
	var seen *trajectory.Observed
	var said *trajectory.Event
	var acting *trajectory.Acting
	for i := range s.Events {
		e := &s.Events[i]
		switch {
		case e.Observed != nil:
			seen, said, acting = e.Observed, nil, nil
		case e.Proposed != nil:
			said, acting = e, nil
		case e.Acting != nil:
			acting = e.Acting
		case e.Acted != nil:
			t := targetOf(seen, said, acting, e.Acted, string(s.Dialect.Space))
			said, acting = nil, nil
			if t == nil {
				continue
			}
			if _, err := s.Load(seen.Frame); err != nil {
				refuse(Refusal{o.Run, e.Step, e.Seq, Unbuilt, err.Error()})
				continue
			}
			if err := take(s.targetRow(o, e, seen, t)); err != nil {
				return err
			}
		}
	}
	return nil
}

// targetOf is what was reached; nil when nothing was that can be named.
func targetOf(seen *trajectory.Observed, said *trajectory.Event, acting *trajectory.Acting, acted *trajectory.Acted, space string) *Target {
	if seen == nil || said == nil || acting == nil || acting.Action.Point == nil || acted.Error != nil || acted.Hit == nil {
		return nil
	}
	call, hit := said.Proposed.Call, acted.Hit
	if call == nil || call.Coordinate == nil || !slices.Contains(pointing, acting.Action.Kind) || hit.Tag == "html" || hit.Tag == "body" {
		return nil
	}
	t := &Target{
		Action: string(acting.Action.Kind), Name: hit.Name, Role: hit.Role, Tag: hit.Tag, Text: hit.Text,
		Point: [2]Number{Number(call.Coordinate.X), Number(call.Coordinate.Y)}, Space: space,
		CSS:   [2]Number{Number(acting.Action.Point.X), Number(acting.Action.Point.Y)},
		Frame: seen.SHA256, Size: seen.Size, Viewport: seen.Viewport, URL: seen.URL,
	}
	if strings.TrimSpace(t.Name) == "" {
		t.Name = t.Text
	}
	x, y := float64(seen.Size.W)/float64(seen.Viewport.W), float64(seen.Size.H)/float64(seen.Viewport.H)
	t.Pixels = [2]Number{hundredths(acting.Action.Point.X * x), hundredths(acting.Action.Point.Y * y)}
	left, top := max(0, hit.Box.X*x), max(0, hit.Box.Y*y)
	right, bottom := min(float64(seen.Size.W), (hit.Box.X+hit.Box.W)*x), min(float64(seen.Size.H), (hit.Box.Y+hit.Box.H)*y)
	t.Box = [4]Number{hundredths(left), hundredths(top), hundredths(right), hundredths(bottom)}
	if strings.TrimSpace(t.Name) == "" || !(right > left && bottom > top) {
		return nil
	}
	return t
}

func hundredths(v float64) Number { return Number(math.Round(v*100) / 100) }

// targetRow asks for the element in our words and answers with the model's point.
func (s *Source) targetRow(o Origin, e *trajectory.Event, seen *trajectory.Observed, t *Target) *Row {
	frame := s.frames[seen.Frame]
	point := fmt.Sprintf("[%s, %s]", number(t.Point[0]), number(t.Point[1]))
	return &Row{ID: rowID(o.Run, e.Seq), Origin: o, Target: t, Turns: []Turn{
		{Role: model.User, Text: targetQuestion + t.Label(), Images: []Frame{frame}, By: Runtime},
		{Role: model.Assistant, Text: point, By: Runtime, Train: true},
	}}
}

// targetQuestion asks for the element that follows.
const targetQuestion = "Point at this element of the page as [x, y]: "

func number(v Number) string { return strconv.FormatFloat(float64(v), 'f', -1, 64) }
