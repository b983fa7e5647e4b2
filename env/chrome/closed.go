package chrome

import (
	"github.com/go-rod/rod/lib/proto"
)

// open hands a document nodes of its closed shadow trees. Those that have gone are
// left out.
func (s session) open(frame proto.PageFrameID, nodes []proto.DOMBackendNodeID) error {
	if len(nodes) == 0 {
		return nil
	}
	if err := s.ask(frame, "size()", nil); err != nil { // our code is there
		return err
	}
	const group = "fara closed"
	w, err := proto.PageCreateIsolatedWorld{FrameID: frame, WorldName: world}.Call(s)
	if err != nil {
		return err
	}
	var waits []func() ([]byte, error)
	for _, node := range nodes {
		waits = append(waits, s.start(proto.DOMResolveNode{BackendNodeID: node, ExecutionContextID: w.ExecutionContextID, ObjectGroup: group}))
	}
	var found []*proto.RuntimeCallArgument
	for _, wait := range waits {
		if res, err := decoded[proto.DOMResolveNodeResult](wait); err == nil && res.Object != nil {
			found = append(found, &proto.RuntimeCallArgument{ObjectID: res.Object.ObjectID})
		}
	}
	defer func() { _ = proto.RuntimeReleaseObjectGroup{ObjectGroup: group}.Call(s) }()
	raw, err := s.start(proto.RuntimeCallFunctionOn{FunctionDeclaration: "function(...nodes) { fara.shut(...nodes) }",
		Arguments: found, ExecutionContextID: w.ExecutionContextID, ReturnByValue: true, Silent: true})()
	if err != nil {
		return err
	}
	return decodeResult(raw, nil)
}

// openAll hands a document the roots of the closed shadow trees that scripts have
// made in it.
func (s session) openAll(frame proto.PageFrameID) error {
	w, err := proto.PageCreateIsolatedWorld{FrameID: frame, WorldName: world}.Call(s)
	if err != nil {
		return err
	}
	const group = "fara hosts"
	defer func() { _ = proto.RuntimeReleaseObjectGroup{ObjectGroup: group}.Call(s) }()
	list, err := proto.RuntimeEvaluate{Expression: "fara.unopened()", ContextID: w.ExecutionContextID, ObjectGroup: group, Silent: true}.Call(s)
	if err != nil {
		return err
	}
	hosts, err := proto.RuntimeGetProperties{ObjectID: list.Result.ObjectID, OwnProperties: true}.Call(s)
	if err != nil {
		return err
	}
	var waits []func() ([]byte, error)
	for _, h := range hosts.Result {
		if h.Value != nil && h.Value.Subtype == proto.RuntimeRemoteObjectSubtypeNode {
			waits = append(waits, s.start(proto.DOMDescribeNode{ObjectID: h.Value.ObjectID, Depth: new(-1), Pierce: true}))
		}
	}
	var roots []proto.DOMBackendNodeID
	for _, wait := range waits {
		if res, err := decoded[proto.DOMDescribeNodeResult](wait); err == nil && res.Node != nil {
			roots = closedRoots(res.Node, roots)
		}
	}
	return s.open(frame, roots)
}

// closedRoots adds the roots of the closed shadow trees in a node.
func closedRoots(n *proto.DOMNode, roots []proto.DOMBackendNodeID) []proto.DOMBackendNodeID {
	for _, root := range n.ShadowRoots {
		if root.ShadowRootType == proto.DOMShadowRootTypeClosed {
			roots = append(roots, root.BackendNodeID)
		}
		roots = closedRoots(root, roots)
	}
	for _, child := range n.Children {
		roots = closedRoots(child, roots)
	}
	return roots
}
