package layout_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// point is a DataPoint as its readers see it.
type point struct {
	status, answer string
	stats          map[string]any
	actions        []pointAction
	heard          []string // kind, how many actions before it, text
	scores         map[string]*float64
}

type pointAction struct {
	ID      string `json:"id"`
	Name    string `json:"action_name"`
	Content struct {
		Action    string          `json:"action"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"content"`
	Conversation struct {
		Messages []struct {
			Raw   string `json:"raw_response"`
			Usage struct {
				Prompt     int `json:"prompt_tokens"`
				Completion int `json:"completion_tokens"`
			} `json:"usage"`
		} `json:"messages"`
	} `json:"llm_conversation"`
	Description string `json:"action_nl_description"`

	pre, post []byte
	error     string
	done      bool
	forced    bool
}

type pointEvent struct {
	Type        string          `json:"type"`
	Kind        string          `json:"observation_type"`
	ID          string          `json:"id"`
	Timestamp   string          `json:"timestamp"`
	ActionID    *string         `json:"action_id"`
	Metadata    map[string]any  `json:"metadata"`
	Screenshot  string          `json:"screenshot_path"`
	Content     json.RawMessage `json:"content"`
	MessageType string          `json:"message_type"`
	Error       string          `json:"error"`
	State       *struct {
		Agent *string   `json:"agent"`
		Tools *[]string `json:"tools_available"`
		Plan  *[]any    `json:"plan"`
		Facts *[]string `json:"facts"`
	} `json:"agent_state"`
	SubCalls *[]any `json:"tool_sub_calls"`
}

var screenshot = regexp.MustCompile(`^screenshot_(\d+)_(pre|post)\.(png|jpg)$`)

// readPoint reads a folder by the rules of the programs that read DataPoints, and fails
// the test on anything they would not take.
func readPoint(t *testing.T, dir string) point {
	t.Helper()
	var whole struct {
		Task json.RawMessage `json:"task"`
		Log  struct {
			Events  []json.RawMessage `json:"events"`
			Status  string            `json:"status"`
			Outcome *struct {
				Answer string `json:"answer"`
			} `json:"outcome"`
		} `json:"solver_log"`
		Verification map[string]struct {
			Kind  string   `json:"result_type"`
			Score *float64 `json:"score"`
			Name  string   `json:"verifier_name"`
		} `json:"verification"`
		Metadata struct {
			Stats map[string]any `json:"stats"`
		} `json:"metadata"`
	}
	parse(t, read(t, dir, "data_point.json"), &whole)
	p := point{status: whole.Log.Status, stats: whole.Metadata.Stats, scores: map[string]*float64{}}
	if whole.Log.Outcome != nil {
		p.answer = whole.Log.Outcome.Answer
	}
	for name, v := range whole.Verification {
		if v.Kind != "base" || v.Name == "" {
			t.Errorf("verification %s has kind %q and name %q", name, v.Kind, v.Name)
		}
		p.scores[name] = v.Score
	}
	samePieces(t, dir, whole.Task, whole.Log.Events)
	walk := pointWalk{t: t, dir: dir, p: &p, ids: map[string]bool{}}
	for i, raw := range whole.Log.Events {
		walk.take(i, raw)
	}
	walk.end()
	return p
}

// samePieces holds the single files to the whole.
func samePieces(t *testing.T, dir string, task json.RawMessage, events []json.RawMessage) {
	t.Helper()
	for _, name := range []string{"metadata.json", "run_state.json", "solver_log/status.json"} {
		parse(t, read(t, dir, name), new(map[string]any))
	}
	if got := read(t, dir, "task.json"); compacted(t, got) != compacted(t, task) {
		t.Errorf("task.json is not the task of data_point.json")
	}
	lines := bytes.Split(bytes.TrimSuffix(read(t, dir, "solver_log", "events.jsonl"), []byte("\n")), []byte("\n"))
	if len(lines) != len(events) {
		t.Fatalf("got %d lines of events, want %d", len(lines), len(events))
	}
	for i, line := range lines {
		if compacted(t, line) != compacted(t, events[i]) {
			t.Errorf("line %d of events.jsonl is not event %d of data_point.json", i+1, i)
		}
	}
}

// pointWalk goes through the events in their order.
type pointWalk struct {
	t   *testing.T
	dir string
	p   *point
	ids map[string]bool
	pre []byte
	// due is what must come next after an action: its output, then its frame.
	due string
}

func (w *pointWalk) take(i int, raw json.RawMessage) {
	w.t.Helper()
	var e pointEvent
	parse(w.t, raw, &e)
	if w.ids[e.ID] || len(e.ID) != 32 {
		w.t.Errorf("event %d has the id %q, which is another's or none", i, e.ID)
	}
	w.ids[e.ID] = true
	if _, err := time.Parse("2006-01-02T15:04:05.000000-07:00", e.Timestamp); err != nil {
		w.t.Errorf("event %d: %v", i, err)
	}
	kind := e.Type + " " + e.Kind
	if w.due != "" && kind != w.due {
		w.t.Fatalf("event %d is %s, want %s", i, kind, w.due)
	}
	switch kind {
	case "observation user_message":
		var text string
		parse(w.t, e.Content, &text)
		w.p.heard = append(w.p.heard, strings.TrimSpace(fmt.Sprintf("%s %d", e.MessageType, len(w.p.actions))))
		if i > 0 {
			w.p.heard[len(w.p.heard)-1] += " " + text
		}
	case "observation environment":
		w.frame(i, e)
	case "action ":
		w.action(i, e, raw)
	case "observation tool_output":
		last := &w.p.actions[len(w.p.actions)-1]
		if e.ActionID == nil || *e.ActionID != last.ID {
			w.t.Errorf("event %d: the output is not of action %s", i, last.ID)
		}
		last.error, w.due = e.Error, "observation environment"
		last.done, last.forced = e.Metadata["done"] == true, e.Metadata["forced"] == true
	default:
		w.t.Fatalf("event %d is of an unknown kind %q", i, kind)
	}
}

func (w *pointWalk) frame(i int, e pointEvent) {
	w.t.Helper()
	name := screenshot.FindStringSubmatch(e.Screenshot)
	if name == nil {
		w.t.Fatalf("event %d has the frame %q", i, e.Screenshot)
	}
	number, _ := strconv.Atoi(name[1])
	data := read(w.t, w.dir, e.Screenshot)
	n := len(w.p.actions)
	switch {
	case e.ActionID != nil:
		last := &w.p.actions[n-1]
		if *e.ActionID != last.ID || number != n || name[2] != "post" || w.due == "" {
			w.t.Errorf("event %d: %s is not the frame after action %d", i, e.Screenshot, n)
		}
		last.post, w.due = data, ""
		if pre := strings.Replace(e.Screenshot, "_post.", "_pre.", 1); !bytes.Equal(read(w.t, w.dir, pre), last.pre) {
			w.t.Errorf("%s is not the frame before action %d", pre, n)
		}
	case name[2] != "pre" || number != n+1 && (number != 0 || n != 0 || w.pre != nil):
		w.t.Errorf("event %d: %s comes before action %d", i, e.Screenshot, n+1)
	default:
		if n > 0 && !bytes.Equal(w.p.actions[n-1].post, data) {
			w.t.Errorf("%s is not the frame after action %d", e.Screenshot, n)
		}
		w.pre = data
	}
}

func (w *pointWalk) action(i int, e pointEvent, raw json.RawMessage) {
	w.t.Helper()
	var a pointAction
	parse(w.t, raw, &a)
	if w.pre == nil {
		w.t.Fatalf("event %d: an action without an observation since the last one", i)
	}
	s := e.State
	if s == nil || s.Agent == nil || s.Tools == nil || s.Plan == nil || s.Facts == nil || e.SubCalls == nil || len(a.Conversation.Messages) == 0 {
		w.t.Errorf("event %d: the action has not all of its keys: %s", i, raw)
	}
	a.pre, w.pre = w.pre, nil
	w.p.actions, w.due = append(w.p.actions, a), "observation tool_output"
}

// end looks at what the events leave: no step without an action behind one that had
// one, and no file that they do not name.
func (w *pointWalk) end() {
	w.t.Helper()
	if w.due != "" || len(w.p.actions) > 0 && w.pre != nil {
		w.t.Errorf("the events end in the middle of a step")
	}
	found, err := filepath.Glob(filepath.Join(w.dir, "screenshot_*"))
	if err != nil {
		w.t.Fatal(err)
	}
	want := 2 * len(w.p.actions)
	if len(found) > 0 {
		want += 2
	}
	if len(found) != want {
		w.t.Errorf("got %d frames of %d actions, want %d: %q", len(found), len(w.p.actions), want, found)
	}
}

func parse(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

func compacted(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// files are all files below a folder, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
