package parse

import (
	"strings"

	"fara/model"
)

const wantPoint = "two numbers, [x, y]"

// point gives a point from the forms that hold exactly two numbers.
func (v value) point() (*model.Point, *Error) {
	switch v.kind {
	case listNode:
		if len(v.items) == 1 && v.items[0].kind == listNode {
			v.repairs.add(PointForm)
			return v.pair(v.items[0].items)
		}
		return v.pair(v.items)
	case objectNode:
		if len(v.names) != 2 || !v.get("x").given() || !v.get("y").given() {
			return nil, v.refuse(wantPoint)
		}
		v.repairs.add(PointForm)
		return v.pair([]node{v.get("x"), v.get("y")})
	case textNode:
		v.repairs.add(PointForm)
		return v.pointInText(strings.TrimSpace(v.node.text))
	}
	return nil, v.refuse(wantPoint)
}

func (v value) pair(items []node) (*model.Point, *Error) {
	if len(items) != 2 {
		return nil, v.refuse(wantPoint)
	}
	x, xOK := v.with(items[0]).float()
	y, yOK := v.with(items[1]).float()
	if !xOK || !yOK {
		return nil, v.refuse(wantPoint)
	}
	return &model.Point{X: x, Y: y}, nil
}

// pointInText reads a point written as text: "[512, 300]", "(512, 300)",
// {"x":512,"y":300}, "512,300" or "512 300".
func (v value) pointInText(s string) (*model.Point, *Error) {
	if s != "" && strings.IndexByte("[{(", s[0]) >= 0 {
		r := readValue(s, 0)
		if r.state != whole || r.end != len(s) || r.root.kind == textNode {
			return nil, v.refuse(wantPoint)
		}
		return v.with(r.root).point()
	}
	parts := strings.Split(s, ",")
	if len(parts) == 1 {
		parts = strings.Fields(s)
	}
	var items []node
	for _, part := range parts {
		items = append(items, node{kind: textNode, text: part, raw: part})
	}
	return v.pair(items)
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
