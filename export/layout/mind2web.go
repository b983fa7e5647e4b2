package layout

import (
	"fmt"
	"os"
	"path/filepath"

	"fara/export"
)

// mind2web is result.json of Online-Mind2Web.
type mind2web struct {
	TaskID   string   `json:"task_id"`
	Task     string   `json:"task"`
	Answer   string   `json:"final_result_response"`
	Actions  []string `json:"action_history"`
	Thoughts []string `json:"thoughts"`
	// Status and Reason are how the run ended, in its own words.
	Status string `json:"status"`
	Reason string `json:"reason"`
	Run    string `json:"run"`
	Sample int    `json:"sample,omitempty"`
}

// putMind2Web writes a run as Online-Mind2Web's judges read it: trajectory/N_screenshot.png
// counts from 0, one for each action and the one behind the last, if anybody looked.
// thoughts has one entry for each action, empty where the model gave none, and so has
// action_history, but for a terminate at the end: that is the answer, and no act that
// speaks for it.
func putMind2Web(f *folder, run *export.Source, t *trace) error {
	out := mind2web{
		TaskID: taskID(run.Run), Task: t.started.Task, Run: run.Task.Run,
		Actions: []string{}, Thoughts: []string{},
		Answer: run.Result.Answer, Status: string(run.Result.Status), Reason: run.Result.Reason,
	}
	if s := run.Task.Sample; s != nil {
		out.Sample = s.Number
	}
	for i, m := range t.moves {
		out.Thoughts = append(out.Thoughts, m.said.Thoughts)
		if i == len(t.moves)-1 && m.call() == terminate {
			break
		}
		line := action(m)
		if _, problem := outcome(m); problem != "" {
			line += " -> not done: " + problem
		}
		out.Actions = append(out.Actions, line)
	}
	// Judges list the folder even when there is nothing in it.
	if err := os.MkdirAll(filepath.Join(f.tmp, "trajectory"), 0o755); err != nil {
		return err
	}
	for i, seen := range sights(t) {
		if err := putPNG(f, run, seen, fmt.Sprintf("trajectory/%d_screenshot.png", i)); err != nil {
			return err
		}
	}
	return f.writeJSON("result.json", out)
}
