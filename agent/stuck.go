package agent

import (
	"fmt"
	"math"
	"reflect"

	"fara/imagebudget"
	"fara/model"
	"fara/trajectory"
)

// The longest cycle that is looked for, in turns of the model; how often one has
// to come round until the model is told, and until the run ends for it: a single
// action may be worth another try, a way round and round is not.
const (
	longestCycle = 4
	toldRounds   = 3
	mostRounds   = 5
	mostRepeats  = 6
)

// How many turns in a row may bring nothing new until the model is told, and
// until the run ends for it.
const (
	toldIdle = 12
	mostIdle = 24
)

// sameErrors is how often in a row the same thing has to go wrong until the model is
// told to try another way.
const sameErrors = 3

// The codes of what the model is told, and of the endings that follow.
const (
	codeCycle      = "cycle"
	codeNoProgress = "no_progress"
	codeSameError  = "same_error"
)

// doing is one turn of the model: what it saw and what it then wanted to do.
type doing struct {
	call  model.Call
	frame string // its file; equal frames have one file
	// news: the turn saw a frame for the first time in this run, or came with a new
	// fact or words of the user.
	news bool
}

// doings are the model's turns so far, since the run was last taken up.
func doings(events []trajectory.Event) []doing {
	var all []doing
	seen := map[string]bool{}
	frame, news := "", false
	for _, e := range events {
		switch e.Kind {
		case trajectory.KindResumed:
			all, seen = nil, map[string]bool{}
		case trajectory.KindObserved:
			frame = e.Observed.Frame
			news = news || !seen[frame]
			seen[frame] = true
		case trajectory.KindFact, trajectory.KindReplied:
			news = true
		case trajectory.KindProposed:
			if e.Proposed.Call != nil {
				all = append(all, doing{*e.Proposed.Call, frame, news})
				news = false
			}
		}
	}
	return all
}

// rounds says how often the newest turns come round in a cycle of that length:
// 1 when they do not.
func rounds(all []doing, length int, same func(a, b doing) bool) int {
	repeated := 0
	for i := len(all) - 1; i >= length && same(all[i], all[i-length]); i-- {
		repeated++
	}
	return repeated/length + 1
}

// idle says how many of the newest turns brought nothing new.
func idle(all []doing) int {
	n := 0
	for i := len(all) - 1; i >= 0 && !all[i].news; i-- {
		n++
	}
	return n
}

// checkRut looks whether the proposal at hand goes on with something that leads
// nowhere. The model is told first; when that does not help, the run ends before
// the action is done once more. Pages that change are never held against it.
func (a *Agent) checkRut() error {
	all := doings(a.run.Events())
	for length := 1; length <= longestCycle; length++ {
		most := mostRounds
		if length == 1 {
			most = mostRepeats
		}
		n := rounds(all, length, a.sameDoing)
		switch {
		case n >= most:
			return Ending{Status: trajectory.Stuck, Reason: codeCycle, Message: fmt.Sprintf("%s %d times and the page looked the same each time; say more in the task, or look at what the page needs", done(length), n)}
		case n >= toldRounds:
			return a.warn(codeCycle, fmt.Sprintf("You have done the same %s %d times, and the page looked the same each time. Try something else.", actions(length), n))
		}
	}
	switch n := idle(all); {
	case n >= mostIdle:
		return Ending{Status: trajectory.Stuck, Reason: codeNoProgress, Message: fmt.Sprintf("the last %d actions led to nothing that had not been seen before; say more in the task", n)}
	case n >= toldIdle:
		return a.warn(codeNoProgress, fmt.Sprintf("Your last %d actions have brought nothing new. Try another way, or finish with what you know.", n))
	}
	a.warned = ""
	return nil
}

func actions(n int) string {
	if n == 1 {
		return "action"
	}
	return fmt.Sprintf("%d actions", n)
}

func done(length int) string {
	if length == 1 {
		return "the same action was proposed"
	}
	return fmt.Sprintf("the same %d actions were done in turn", length)
}

// warn tells the model, once as long as nothing changes.
func (a *Agent) warn(code, text string) error {
	if a.warned == code {
		return nil
	}
	a.warned = code
	return a.record(trajectory.Warned{Code: code, Text: text})
}

// near is how far two points may lie apart, in the model's own numbers, that mean
// the same place.
const near = 8

// sameDoing reports whether two turns saw the same and wanted the same.
func (a *Agent) sameDoing(x, y doing) bool {
	return sameCall(x.call, y.call) && a.looksAlike(x.frame, y.frame)
}

func sameCall(x, y model.Call) bool {
	if !nearby(x.Coordinate, y.Coordinate) || !nearby(x.Start, y.Start) {
		return false
	}
	x.Coordinate, x.Start, y.Coordinate, y.Start = nil, nil, nil, nil
	return reflect.DeepEqual(x, y)
}

func nearby(p, q *model.Point) bool {
	if p == nil || q == nil {
		return p == q
	}
	return math.Abs(p.X-q.X) <= near && math.Abs(p.Y-q.Y) <= near
}

// looksAlike reports whether two frames differ by no more than a caret that
// blinks.
func (a *Agent) looksAlike(x, y string) bool {
	if x == y {
		return true
	}
	if a.rows(x).Differ(a.rows(y)) {
		return false
	}
	pair := [2]string{x, y}
	alike, known := a.alike[pair]
	if !known {
		before, errX := a.run.Load(x)
		after, errY := a.run.Load(y)
		alike = errX == nil && errY == nil && imagebudget.Alike(before, after)
		a.alike[pair] = alike
	}
	return alike
}

// mostSums bounds what is remembered of frames: more than the longest cycle needs.
const mostSums = 64

// rows are those of a frame, which is read for them once.
func (a *Agent) rows(frame string) imagebudget.Rows {
	rows, known := a.sums[frame]
	if !known {
		if len(a.sums) >= mostSums {
			clear(a.sums)
			clear(a.alike)
		}
		if data, err := a.run.Load(frame); err == nil {
			rows = imagebudget.RowsOf(data)
		}
		a.sums[frame] = rows
	}
	return rows
}

// tellErrors tells the model when the same thing has gone wrong again and again,
// whatever it did about it.
func (a *Agent) tellErrors() error {
	var reasons []string
	for _, e := range a.run.Events() {
		switch {
		case e.Resumed != nil:
			reasons = nil
		case e.Acted != nil && e.Acted.Error != nil:
			reasons = append(reasons, e.Acted.Error.Reason)
		case e.Acted != nil:
			reasons = nil
		case e.Decided != nil && !e.Decided.Allowed:
			reasons = append(reasons, e.Decided.Code)
		}
	}
	n := 0
	for i := len(reasons) - 1; i >= 0 && reasons[i] == reasons[len(reasons)-1]; i-- {
		n++
	}
	if n == 0 || n%sameErrors != 0 {
		return nil
	}
	return a.record(trajectory.Warned{Code: codeSameError, Text: fmt.Sprintf("The same has gone wrong %d times in a row. Try something else.", n)})
}
