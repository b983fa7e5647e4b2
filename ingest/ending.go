package ingest

import (
	"fmt"

	"fara/env"
	"fara/trajectory"
)

// unfinished is the ending of a recording that names none: nobody knows what became
// of it, and it cannot be gone on with.
var unfinished = ending{status: trajectory.Cancelled, reason: "imported_unfinished", message: "the recording has no ending"}

// dpEnding is what a DataPoint's status means.
func dpEnding(status string, rec *recording) ending {
	switch status {
	case "complete":
		return ending{status: trajectory.Success, reason: "terminate", message: "the model says that the task is done; nobody checked"}
	case "max_rounds":
		return ending{status: trajectory.BudgetExhausted, reason: "max_steps", message: "the task was not finished in the steps that there were"}
	case "timed_out":
		return ending{status: trajectory.BudgetExhausted, reason: "deadline", message: "the task was not finished in time"}
	case "aborted":
		return ending{status: trajectory.Cancelled, reason: "aborted", message: "the run was aborted"}
	case "waiting_for_user":
		return ending{status: trajectory.WaitingForUser, reason: "question", message: "the model asked its user, and the recording ends there"}
	case "running":
		return unfinished
	case "":
		if rec.finished() {
			rec.note("the source names no status, and its last action is terminate")
			return dpEnding("complete", rec)
		}
		return unfinished
	}
	end := ending{status: trajectory.Error, reason: "imported_status", message: fmt.Sprintf("the recording ended with a status that is not known: %q", status)}
	rec.note(end.message)
	return end
}

// finished reports whether the last action is one that ends a task.
func (r *recording) finished() bool {
	for i := len(r.parts) - 1; i >= 0; i-- {
		t, ok := r.parts[i].(*turn)
		if !ok || t.did == nil {
			continue
		}
		call, err := speaker{}.read(*t.did, env.Size{})
		return err == nil && call.Action == string(env.Terminate)
	}
	return false
}
