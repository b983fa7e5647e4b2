package chrome

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// fieldLimit is how long a document may take to answer about a field.
const fieldLimit = 2 * time.Second

// field is what has the focus, in whatever document and shadow root it is.
type field struct {
	session session // of the process that runs its document
	frame   proto.PageFrameID

	// Kind is text, readonly, select, listbox, temporal, color, range, check, file,
	// button (or a link), other (a control of another kind, or one that could not be
	// looked at) or none.
	Kind string `json:"kind"`
	// Type is the type of an input, such as "datetime-local".
	Type string `json:"type"`
	// Name is the page's own.
	Name string `json:"name"`
	// Line marks what holds one line only.
	Line bool `json:"line"`
	// Pressed marks what the mouse was last pressed on.
	Pressed bool `json:"pressed"`
}

// focused finds what has the focus: through frames of every kind and shadow
// roots, closed ones too.
func (b *instance) focused(ctx context.Context, p *page) (field, context.CancelFunc) {
	s, release := b.bind(ctx, p)
	f := field{session: s, frame: proto.PageFrameID(p.target)}
	err := f.ask("focus()", &f)
	for range maxDepth {
		switch {
		case err != nil:
			f.Kind = "other"
			return f, release
		case f.Kind == "frame":
			f, err = b.inFrame(p, f)
		case f.Kind == "closed":
			f, err = f.inClosedRoot()
		default:
			return f, release
		}
	}
	f.Kind = "other"
	return f, release
}

// inFrame goes into the frame that was reported to have the focus.
func (b *instance) inFrame(p *page, f field) (field, error) {
	node, err := f.node(0)
	if err != nil {
		return f, err
	}
	if node.FrameID == "" {
		f.Kind = "other"
		return f, nil
	}
	inner := field{session: b.sessionOf(f.session, p, node.FrameID), frame: node.FrameID}
	return inner, inner.ask("focus()", &inner)
}

// inClosedRoot looks into what was reported to have the focus and may have a
// shadow root that scripts do not see.
func (f field) inClosedRoot() (field, error) {
	node, err := f.node(0)
	if err != nil {
		return f, err
	}
	f.Kind = "other"
	for _, root := range node.ShadowRoots {
		if root.ShadowRootType != proto.DOMShadowRootTypeClosed {
			continue
		}
		return f, f.session.callOn(f.frame, root.BackendNodeID, "function() { return fara.focus(this) }", &f)
	}
	return f, nil
}

var errNoField = errors.New("the field could not be looked at")

// ask calls a function of pageScript in the field's document.
func (f field) ask(call string, out any) error {
	var cancel context.CancelFunc
	f.session.ctx, cancel = context.WithTimeout(f.session.ctx, fieldLimit)
	defer cancel()
	return f.session.ask(f.frame, call, out)
}

// object gives the browser's handle of what an expression names in our world.
func (f field) object(expression string) (proto.RuntimeRemoteObjectID, error) {
	w, err := proto.PageCreateIsolatedWorld{FrameID: f.frame, WorldName: world}.Call(f.session)
	if err != nil {
		return "", err
	}
	res, err := proto.RuntimeEvaluate{Expression: expression, ContextID: w.ExecutionContextID, Silent: true}.Call(f.session)
	if err != nil {
		return "", err
	}
	if res.ExceptionDetails != nil || res.Result.ObjectID == "" {
		return "", fmt.Errorf("%s: %w", expression, errNoField)
	}
	return res.Result.ObjectID, nil
}

// node describes the field's element with what is in it, depth levels down; -1 is
// all of it, the browser's own parts too.
func (f field) node(depth int) (*proto.DOMNode, error) {
	id, err := f.object("fara.current")
	if err != nil {
		return nil, err
	}
	res, err := proto.DOMDescribeNode{ObjectID: id, Depth: &depth, Pierce: depth != 0}.Call(f.session)
	if err != nil {
		return nil, err
	}
	return res.Node, nil
}

// named is what to call the field in a sentence.
func (f field) named(what string) string {
	if f.Name == "" {
		return what
	}
	return fmt.Sprintf("%s %q", what, f.Name)
}
