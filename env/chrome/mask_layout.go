package chrome

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// laid is what scripts do not see of the documents of one process: nodes of closed
// shadow trees, one of each parent, and where text that a style makes up shows a value.
type laid struct {
	closed map[proto.PageFrameID][]proto.DOMBackendNodeID
	drawn  map[proto.PageFrameID][]env.Rect // in the browser's own pixels
}

// snapshot is the part of the browser's own account of its documents that tells it.
// Texts are numbers of strings, -1 being none.
type snapshot struct {
	Strings   []string           `json:"strings"`
	Documents []snapshotDocument `json:"documents"`
}

type snapshotDocument struct {
	Frame     int     `json:"frameId"`
	ScrolledX float64 `json:"scrollOffsetX"`
	ScrolledY float64 `json:"scrollOffsetY"`
	Nodes     struct {
		ID     []proto.DOMBackendNodeID `json:"backendNodeId"`
		Shadow rare                     `json:"shadowRootType"`
		Pseudo rare                     `json:"pseudoType"`
		Parent []int                    `json:"parentIndex"`
	} `json:"nodes"`
	Layout struct {
		Node   []int       `json:"nodeIndex"`
		Text   []int       `json:"text"`
		Bounds [][]float64 `json:"bounds"`
	} `json:"layout"`
}

// rare is a value that few nodes have.
type rare struct {
	Index []int `json:"index"`
	Value []int `json:"value"`
}

// laidOut asks the browser for what it has laid out in a process.
func (s session) laidOut(values []string) (laid, error) {
	out := laid{map[proto.PageFrameID][]proto.DOMBackendNodeID{}, map[proto.PageFrameID][]env.Rect{}}
	snap, err := decoded[snapshot](s.start(proto.DOMSnapshotCaptureSnapshot{ComputedStyles: []string{}}))
	if err != nil {
		return out, err
	}
	sought := make([]string, 0, len(values))
	for _, v := range values {
		if v = packed(v); v != "" {
			sought = append(sought, v)
		}
	}
	text := func(i int) string {
		if i < 0 || i >= len(snap.Strings) {
			return ""
		}
		return snap.Strings[i]
	}
	for _, d := range snap.Documents {
		frame := proto.PageFrameID(text(d.Frame))
		parents := map[int]bool{}
		for k, i := range d.Nodes.Shadow.Index {
			if parent := d.Nodes.Parent[i]; text(d.Nodes.Shadow.Value[k]) == "closed" && !parents[parent] {
				parents[parent] = true
				out.closed[frame] = append(out.closed[frame], d.Nodes.ID[i])
			}
		}
		if len(d.Nodes.Pseudo.Index) > 0 {
			out.drawn[frame] = d.madeUp(sought, text)
		}
	}
	return out, nil
}

// madeUp finds where what a style writes shows one of the values.
func (d snapshotDocument) madeUp(sought []string, text func(int) string) (out []env.Rect) {
	pseudo := map[int]bool{}
	for _, i := range d.Nodes.Pseudo.Index {
		pseudo[i] = true
	}
	for k, t := range d.Layout.Text {
		if t < 0 || !pseudo[d.Layout.Node[k]] {
			continue
		}
		shown := packed(text(t))
		for _, v := range sought {
			if r := d.Layout.Bounds[k]; strings.Contains(shown, v) && len(r) == 4 {
				out = append(out, env.Rect{X: r[0] - d.ScrolledX, Y: r[1] - d.ScrolledY, W: r[2], H: r[3]})
				break
			}
		}
	}
	return out
}

// packed is text without its white space and without its case.
func packed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// decoded waits for an answer and decodes it.
func decoded[T any](wait func() ([]byte, error)) (out T, err error) {
	raw, err := wait()
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}
