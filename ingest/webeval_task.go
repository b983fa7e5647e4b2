package ingest

import (
	"encoding/json"
	"path/filepath"
)

// readTask looks for the task's words, which webeval keeps in its benchmark and only
// some of its tools beside a recording.
func (w *webEval) readTask() error {
	for _, name := range []string{"task_data.json", "metadata.json"} {
		var raw json.RawMessage
		if err := w.load(name, &raw); err != nil {
			return err
		}
		var known map[string]json.RawMessage
		var list []map[string]json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
			known = list[0]
		} else if json.Unmarshal(raw, &known) != nil {
			continue
		}
		w.rec.task = pick(w.rec.task, first(known, "task_summary", "confirmed_task", "ques", "question", "instruction", "task"))
		w.rec.url = pick(w.rec.url, first(known, "init_url", "web", "website", "start_url"))
		w.rec.id = pick(w.rec.id, first(known, "task_id", "id"))
		if rubric, ok := known["precomputed_rubric"]; ok {
			w.rec.remember("precomputed_rubric", rubric)
		}
	}
	w.rec.id = pick(w.rec.id, filepath.Base(w.dir))
	return nil
}

// first is the first of some keys that holds a text.
func first(known map[string]json.RawMessage, keys ...string) string {
	for _, key := range keys {
		var text string
		if json.Unmarshal(known[key], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}
