package chrome

import (
	"context"

	"github.com/go-rod/rod/lib/proto"
)

// session addresses one target of the browser, or the browser itself when id is
// empty. It is bound to one call's context, so proto.X{}.Call(session) cannot
// outlast it.
type session struct {
	ctx  context.Context
	conn *conn
	id   proto.TargetSessionID
}

// Call implements proto.Client.
func (s session) Call(ctx context.Context, id, method string, params any) ([]byte, error) {
	return s.conn.Call(ctx, id, method, params)
}

// GetContext implements proto.Contextable.
func (s session) GetContext() context.Context { return s.ctx }

// GetSessionID implements proto.Sessionable.
func (s session) GetSessionID() proto.TargetSessionID { return s.id }

// start sends a command whose answer is collected later.
func (s session) start(command proto.Request) (wait func() ([]byte, error)) {
	return s.conn.start(s.ctx, string(s.id), command.ProtoReq(), command)
}

// pipeline sends the commands one after the other without waiting between them,
// then waits for all answers and gives the first error.
func (s session) pipeline(commands ...proto.Request) error {
	waits := make([]func() ([]byte, error), 0, len(commands))
	for _, c := range commands {
		waits = append(waits, s.start(c))
	}
	var first error
	for _, wait := range waits {
		if _, err := wait(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// world is the name of the isolated JavaScript world our scripts live in: they
// see the page's elements, the page does not see them.
const world = "fara"

// evaluate runs an expression in our world of the frame and decodes its value
// into out (nil: the value is not wanted). A promise is awaited.
func (s session) evaluate(frame proto.PageFrameID, expression string, out any) error {
	w, err := proto.PageCreateIsolatedWorld{FrameID: frame, WorldName: world}.Call(s)
	if err != nil {
		return err
	}
	raw, err := s.start(proto.RuntimeEvaluate{
		Expression: expression, ContextID: w.ExecutionContextID,
		ReturnByValue: true, AwaitPromise: true, Silent: true,
	})()
	if err != nil {
		return err
	}
	return decodeResult(raw, out)
}
