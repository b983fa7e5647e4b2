package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fara/ingest"
	"fara/trajectory"
)

// obj is a JSON object.
type obj map[string]any

// put writes a file below a folder, as it is or as JSON.
func put(t *testing.T, dir, name string, content any) {
	t.Helper()
	data, ok := content.([]byte)
	if !ok {
		if text, isText := content.(string); isText {
			data = []byte(text)
		} else {
			var err error
			if data, err = json.Marshal(content); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// shades keeps the pictures that were drawn: there are few, and drawing them takes most
// of the tests' time.
var shades = map[[3]int][]byte{}

// shade is a picture of one grey.
func shade(t *testing.T, w, h int, grey uint8) []byte {
	t.Helper()
	if drawn, ok := shades[[3]int{w, h, int(grey)}]; ok {
		return drawn
	}
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Gray{grey}, color.White})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	shades[[3]int{w, h, int(grey)}] = b.Bytes()
	return b.Bytes()
}

func asJPEG(t *testing.T, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	img.Set(1, 1, color.White)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lines writes objects as JSON Lines.
func lines(t *testing.T, all []obj) string {
	t.Helper()
	var b bytes.Buffer
	for _, o := range all {
		if err := json.NewEncoder(&b).Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// take imports the one recording at path.
func take(t *testing.T, path string) (*trajectory.Run, ingest.Done) {
	t.Helper()
	run, done, err := try(t, path)
	if err != nil {
		t.Fatalf("import of %s: %v", path, err)
	}
	return run, done
}

func try(t *testing.T, path string) (*trajectory.Run, ingest.Done, error) {
	t.Helper()
	found, err := ingest.Find(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 {
		t.Fatalf("Find(%s): got %v, want one recording", path, found)
	}
	out := t.TempDir()
	im, err := ingest.New(ingest.Config{Out: out})
	if err != nil {
		t.Fatal(err)
	}
	done, err := im.Import(context.Background(), found[0])
	if err != nil {
		if left, _ := os.ReadDir(out); len(left) > 0 {
			t.Errorf("a failed import left %v", left)
		}
		return nil, done, err
	}
	run, err := trajectory.Read(done.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.Torn || !run.HasResult || run.Task.Imported == nil {
		t.Errorf("the run: torn %v, result %v, origin %v", run.Torn, run.HasResult, run.Task.Imported)
	}
	return run, done, nil
}

// said writes a reply as the Fara models do.
func said(thought, arguments string) string {
	return fmt.Sprintf("%s\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": %s}\n</tool_call>", thought, arguments)
}

// point builds a DataPoint folder of 1.5, as its recorder writes it.
type point struct {
	t      *testing.T
	dir    string
	events []obj
	n      int // events so far
	action int
}

func newPoint(t *testing.T) *point {
	p := &point{t: t, dir: filepath.Join(t.TempDir(), "task-7")}
	put(t, p.dir, "task.json", obj{"task_id": "shop--7", "instruction": "Buy tea.", "environment_config": obj{"start_page": "https://shop.test/"}, "metadata": obj{"level": "easy"}})
	put(t, p.dir, "metadata.json", obj{"stats": obj{}, "run_id": "r-9", "created_at": "2026-03-01T10:00:00.000001"})
	p.user("task", "Buy tea.")
	p.see(0, "pre", 10, nil)
	return p
}

func (p *point) add(o obj) {
	o["id"] = fmt.Sprintf("%032x", p.n)
	o["timestamp"] = fmt.Sprintf("2026-03-01T10:00:%02d.250000", p.n)
	p.n++
	p.events = append(p.events, o)
}

func (p *point) user(kind, text string) {
	p.add(obj{"type": "observation", "observation_type": "user_message", "content": text, "message_type": kind, "metadata": obj{}, "action_id": nil})
}

func (p *point) see(n int, when string, grey uint8, action any) {
	name := fmt.Sprintf("screenshot_%d_%s.png", n, when)
	put(p.t, p.dir, name, shade(p.t, 1440, 900, grey))
	p.add(obj{"type": "observation", "observation_type": "environment", "screenshot_path": name, "url": "https://shop.test/" + fmt.Sprint(n), "page_info": "", "metadata": obj{}, "action_id": action})
}

// step writes one step: what was seen, the action and what came of it.
func (p *point) step(raw string, args obj, pre, post uint8, output string) {
	p.action++
	p.see(p.action, "pre", pre, nil)
	id := fmt.Sprintf("a%d", p.action)
	p.add(obj{
		"type": "action", "action_name": args["action"], "agent_state": obj{"agent": "fara_next"},
		"llm_conversation": obj{"messages": []obj{{"model": nil, "raw_response": raw, "reasoning": "", "usage": obj{"prompt_tokens": 5000, "completion_tokens": 40}}}},
		"content":          obj{"action": args["action"], "arguments": args}, "tool_sub_calls": []obj{},
	})
	p.add(obj{"type": "observation", "observation_type": "tool_output", "output": output, "error": "", "action_id": id})
	p.see(p.action, "post", post, id)
}

// end writes the log and the status.
func (p *point) end(status, answer any) string {
	put(p.t, p.dir, "solver_log/events.jsonl", lines(p.t, p.events))
	var outcome any
	if answer != nil {
		outcome = obj{"answer": answer}
	}
	put(p.t, p.dir, "solver_log/status.json", obj{"status": status, "outcome": outcome})
	return p.dir
}

// bought is a whole run: a click, a question, its answer, and the end.
func bought(t *testing.T) *point {
	p := newPoint(t)
	p.step(said("The tea.", `{"action": "left_click", "coordinate": [500, 250]}`), obj{"action": "left_click", "coordinate": []int{500, 250}, "thoughts": "The tea."}, 10, 20, "I clicked at (720, 225).")
	p.step(said("Which?", `{"action": "ask_user_question", "question": "Green or black?"}`), obj{"action": "ask_user_question", "question": "Green or black?", "thoughts": "Which?"}, 20, 20, "I asked the user: Green or black?")
	p.user("critical_point_response", "green")
	p.step(said("Done.", `{"action": "terminate", "answer": "bought green tea"}`), obj{"action": "terminate", "answer": "bought green tea", "thoughts": "Done."}, 30, 30, "bought green tea")
	return p
}

// kinds are the kinds of a run's events.
func kinds(run *trajectory.Run) []string {
	var out []string
	for _, e := range run.Events {
		out = append(out, fmt.Sprintf("%d %s", e.Step, e.Kind))
	}
	return out
}
