package parse

import (
	"slices"
	"strings"

	"fara/model"
)

const wantPoint = "two numbers, [x, y]"

// pointKeys are the keys of an object that holds one point or one box.
var pointKeys = []string{"point_2d", "bbox_2d", "point", "box", "bbox", "coordinate"}

// point gives a point from the forms that hold exactly two numbers, or the centre
// of a box from those that hold the four of its corners.
func (v value) point() (*model.Point, *Error) {
	flat, ok := v.numbers(v.node)
	if !ok {
		return nil, v.refuse(wantPoint)
	}
	switch len(flat) {
	case 2:
		return &model.Point{X: flat[0], Y: flat[1]}, nil
	case 4:
		v.repairs.add(BoxCentre)
		return &model.Point{X: middle(flat[0], flat[2]), Y: middle(flat[1], flat[3])}, nil
	}
	return nil, v.refuse(wantPoint)
}

// middle is half way between two numbers, however large they are.
func middle(a, b float64) float64 { return a/2 + b/2 }

// numbers gives the numbers that a value holds in its order: a list of them, of
// one list or of two pairs, an object or a text of these. It is false when
// anything else stands among them.
func (v value) numbers(n node) ([]float64, bool) {
	switch n.kind {
	case listNode:
		return v.listed(n.items)
	case objectNode:
		v.repairs.add(PointForm)
		return v.named(n)
	case textNode:
		v.repairs.add(PointForm)
		return v.written(n.text)
	}
	return nil, false
}

// listed gives the numbers of a list. Lists within it are one of any form, or two
// that hold a pair each.
func (v value) listed(items []node) ([]float64, bool) {
	if len(items) == 0 {
		return nil, false
	}
	if first := items[0].kind; first != listNode && first != objectNode {
		return v.floats(items)
	}
	v.repairs.add(PointForm)
	var all []float64
	for _, item := range items {
		some, ok := v.numbers(item)
		if !ok || len(items) != 1 && (len(some) != 2 || len(items) != 2) {
			return nil, false
		}
		all = append(all, some...)
	}
	return all, true
}

func (v value) floats(items []node) ([]float64, bool) {
	if len(items) != 2 && len(items) != 4 {
		return nil, false
	}
	all := make([]float64, len(items))
	for i, item := range items {
		f, ok := v.with(item).float()
		if !ok {
			return nil, false
		}
		all[i] = f
	}
	return all, true
}

// named gives the numbers of an object: x and y, the corners x1, y1, x2 and y2, or
// one key that says it is a point or a box, with a label beside it at most.
func (v value) named(n node) ([]float64, bool) {
	for _, keys := range [][]string{{"x", "y"}, {"x1", "y1", "x2", "y2"}} {
		if len(n.names) != len(keys) || !slices.Equal(slices.Sorted(slices.Values(n.names)), slices.Sorted(slices.Values(keys))) {
			continue
		}
		items := make([]node, len(keys))
		for i, key := range keys {
			items[i] = n.get(key)
		}
		return v.floats(items)
	}
	var held node
	for i, name := range n.names {
		switch {
		case slices.Contains(pointKeys, name) && !held.given():
			held = n.items[i]
		case name != "label":
			return nil, false
		}
	}
	return v.numbers(held)
}

// marksAround are what models put around the numbers of a point or a box in a
// text: always a pair.
var marksAround = [][2]string{
	{"<|box_start|>", "<|box_end|>"}, {"<point>", "</point>"}, {"<bbox>", "</bbox>"}, {"<box>", "</box>"},
	{"<|point_start|>", "<|point_end|>"}, {"<|begin_of_box|>", "<|end_of_box|>"},
}

// written gives the numbers of a text: "[512, 300]", "(512, 300)",
// {"x":512,"y":300}, "512,300", "512 300" or four of them, also between marks.
func (v value) written(s string) ([]float64, bool) {
	s = strings.TrimSpace(s)
	for _, around := range marksAround {
		if inner, ok := strings.CutPrefix(s, around[0]); ok {
			inner, ok = strings.CutSuffix(inner, around[1])
			if !ok {
				return nil, false
			}
			s = strings.TrimSpace(inner)
			break
		}
	}
	if plain := narrow.Replace(s); plain != s {
		v.repairs.add(FullWidth)
		s = plain
	}
	if s != "" && strings.IndexByte("[{(", s[0]) >= 0 {
		return v.bracketed(s)
	}
	parts := strings.Split(s, ",")
	if len(parts) == 1 {
		parts = strings.Fields(s)
	}
	items := make([]node, len(parts))
	for i, part := range parts {
		items[i] = node{kind: textNode, text: part, raw: part}
	}
	return v.floats(items)
}

// narrow turns Chinese punctuation into its counterparts.
var narrow = strings.NewReplacer("（", "(", "）", ")", "，", ",", "［", "[", "］", "]", "【", "[", "】", "]")

// bracketed gives the numbers of a text in brackets, or of two pairs in brackets
// with a comma between.
func (v value) bracketed(s string) ([]float64, bool) {
	r := readValue(s, 0)
	if r.state != whole || r.root.kind == textNode {
		return nil, false
	}
	if r.end == len(s) {
		v.repairs.add(PointForm)
		return v.numbers(r.root)
	}
	rest := skipSpace(s, r.end)
	if rest == len(s) || s[rest] != ',' {
		return nil, false
	}
	second := readValue(s, skipSpace(s, rest+1))
	if second.state != whole || second.end != len(s) {
		return nil, false
	}
	return v.listed([]node{r.root, second.root})
}

// pointFromXY gives the value of a point that came as two arguments, x and y; the
// zero node when neither is there.
func pointFromXY(args node) node {
	x, y := args.get("x"), args.get("y")
	if !x.given() && !y.given() {
		return node{}
	}
	return node{kind: objectNode, raw: "x and y", names: []string{"x", "y"}, items: []node{x, y}, closed: true}
}
