package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"fara/env"
	"fara/export"
)

const terminate = string(env.Terminate)

// putDataPoint writes a run as a DataPoint. Frames keep their bytes, so those of a
// run whose frames were JPEG files end in .jpg.
//
// Action n has screenshot_n_pre and screenshot_n_post, n counting from 1; the frame
// before the first is also screenshot_0_pre and, as in the folders that Fara itself
// writes, screenshot_0_post. Verifiers take the frame before each action and want
// exactly one for each, so a frame behind the last action is that action's post frame
// and never a step of its own.
func putDataPoint(f *folder, s *export.Source, t *trace) error {
	w := &pointWriter{f: f, run: s}
	if err := w.events(t); err != nil {
		return err
	}
	point := dataPoint{
		Task: dpTaskOf(s, t.started), Metadata: dpMetadataOf(s, t),
		Log: dpLog{Events: w.log, dpStatus: dpStatusOf(s.Result)},
	}
	names, results := dpVerdicts(verdicts(s))
	point.Verification = results
	if len(names) > 0 {
		lines := make([]any, len(names))
		for i, name := range names {
			lines[i] = results[name]
		}
		if err := f.writeLines("verification.jsonl", lines); err != nil {
			return err
		}
	}
	if err := f.writeLines("solver_log/events.jsonl", w.log); err != nil {
		return err
	}
	for name, v := range map[string]any{
		"task.json": point.Task, "metadata.json": point.Metadata, "solver_log/status.json": point.Log.dpStatus,
		"run_state.json": struct{}{}, "data_point.json": point,
	} {
		if err := f.writeJSON(name, v); err != nil {
			return err
		}
	}
	return nil
}

// pointWriter collects the events of one DataPoint.
type pointWriter struct {
	f   *folder
	run *export.Source
	log []any
}

func (w *pointWriter) events(t *trace) error {
	w.log = append(w.log, dpMessage{dpEvent: w.event("user_message", "task", w.run.Task.Created), Content: t.started.Task, MessageType: "task"})
	if t.first != nil {
		if err := w.opening(t.first); err != nil {
			return err
		}
	}
	for i, m := range t.moves {
		after, looked := &m.seen, false
		switch {
		case i+1 < len(t.moves):
			after, looked = &t.moves[i+1].seen, true
		case t.last != nil:
			after, looked = t.last, true
		}
		if err := w.move(i+1, m, after, looked); err != nil {
			return err
		}
	}
	return nil
}

// opening is the first sight, which has no number of an action.
func (w *pointWriter) opening(first *frame) error {
	name, err := w.frame(0, "pre", first)
	if err != nil {
		return err
	}
	if _, err := w.frame(0, "post", first); err != nil {
		return err
	}
	w.log = append(w.log, dpSight{dpEvent: w.event("environment", "first", first.at), Screenshot: name})
	return nil
}

// move writes action n between its frames. looked says whether after was seen behind
// it.
func (w *pointWriter) move(n int, m *move, after *frame, looked bool) error {
	for _, heard := range m.heard {
		w.log = append(w.log, w.message(heard))
	}
	pre, err := w.frame(n, "pre", &m.seen)
	if err != nil {
		return err
	}
	before := w.sight(fmt.Sprint(n, " pre"), pre, &m.seen)
	before.Metadata["step"] = m.step
	action := w.action(m)
	output := w.output(m, action.ID)
	post, err := w.frame(n, "post", after)
	if err != nil {
		return err
	}
	behind := w.sight(fmt.Sprint(n, " post"), post, after)
	behind.ActionID = &action.ID
	behind.Metadata["looked"] = looked
	if !looked {
		behind.Timestamp = output.Timestamp
	}
	w.log = append(w.log, before, action, output, behind)
	return nil
}

func (w *pointWriter) frame(n int, when string, seen *frame) (string, error) {
	ending := "png"
	if seen.MIME == "image/jpeg" {
		ending = "jpg"
	}
	name := fmt.Sprintf("screenshot_%d_%s.%s", n, when, ending)
	data, err := w.run.Load(seen.Frame)
	if err != nil {
		return "", err
	}
	return name, w.f.write(name, data)
}

func (w *pointWriter) sight(key, file string, seen *frame) dpSight {
	s := dpSight{dpEvent: w.event("environment", key, seen.at), Screenshot: file, URL: seen.URL, PageInfo: seen.Title}
	s.Metadata = map[string]any{"sha256": seen.SHA256, "size": seen.Size, "viewport": seen.Viewport}
	if seen.passed > 0 {
		s.Metadata["frames_left_out"] = seen.passed
	}
	if len(seen.Notes) > 0 {
		s.Metadata["notes"] = seen.Notes
	}
	if len(seen.told) > 0 {
		s.Metadata["told"] = seen.told
	}
	if len(seen.Tabs) > 0 {
		s.Metadata["tabs"] = seen.Tabs
	}
	return s
}

// message is a person's answer or the reason why an answer was not accepted, before
// the action that follows it.
func (w *pointWriter) message(heard word) dpMessage {
	kind := "critical_point_response"
	if heard.rejects {
		kind = "retry_feedback"
	}
	m := dpMessage{dpEvent: w.event("user_message", fmt.Sprint("heard ", heard.seq), heard.at), Content: heard.text, MessageType: kind}
	m.Metadata["by"] = heard.by
	return m
}

func (w *pointWriter) event(kind, key string, at time.Time) dpEvent {
	return dpEvent{Type: "observation", Kind: kind, ID: w.id(key), Timestamp: stamp(at), Metadata: map[string]any{}}
}

// id names an event of the run: the same in every export.
func (w *pointWriter) id(key string) string {
	sum := sha256.Sum256([]byte(w.run.Task.Run + "\x00" + key))
	return hex.EncodeToString(sum[:16])
}

// unused gives a name that is not taken, with a number behind it when it must.
func unused(taken map[string]dpVerification, name string) string {
	out := name
	for n := 2; ; n++ {
		if _, ok := taken[out]; !ok {
			return out
		}
		out = fmt.Sprintf("%s_%d", name, n)
	}
}

// stamp writes a time as Python reads it.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000-07:00") }
