package export

import "fmt"

// Per says how replies are put together into rows.
type Per string

// How.
const (
	// PerStep: each reply is a row of its own.
	PerStep Per = "step"
	// PerRun: a row holds as many replies as go together.
	PerRun Per = "run"
)

// Trained says which replies are to be learned, by who they are from.
type Trained map[Provenance]bool

// row makes one of a reply: the only turn in it that is learned.
func (s *Source) row(x Exchange, o Origin) *Row {
	turns := append(x.Turns[:len(x.Turns):len(x.Turns)], x.Reply)
	return &Row{ID: rowID(o.Run, x.Reply.Answer.Event), Origin: o, Sampling: x.Sampling, Turns: turns, Tools: x.Tools, Schema: x.Schema}
}

// rowID names a row by the event that its answer stands in.
func rowID(run string, event int) string { return fmt.Sprintf("%s-%04d", run, event) }
