package trajectory_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fara/env"
	"fara/model"
	"fara/trajectory"
)

func create(t *testing.T) *trajectory.Writer {
	t.Helper()
	w, err := trajectory.Create(t.TempDir(), trajectory.Task{Run: "r1", Task: "buy tea", Model: "m"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// payloads has one of every kind.
func payloads() []trajectory.Payload {
	later := time.Date(2026, 1, 2, 4, 4, 5, 0, time.UTC)
	return []trajectory.Payload{
		trajectory.Started{Task: "buy tea", Dialect: "fara-1.5", System: "<sys>", MaxSteps: 3},
		trajectory.Observed{Frame: "frames/1.png", URL: "http://a/?q=<b>&c", Notes: []env.Note{{Kind: env.NoteTab, Text: "x"}}},
		trajectory.Proposed{Raw: "hm\n<tool_call>", Call: &model.Call{Action: "left_click", Coordinate: &model.Point{X: 1.5, Y: 2}}},
		trajectory.Adapted{MaxImages: 1, Why: "at most 1"},
		trajectory.Decided{Allowed: true, Code: "default"},
		trajectory.Acting{Action: env.Action{Kind: env.LeftClick, Point: &env.Point{X: 3, Y: 4}}},
		trajectory.Acted{Text: "clicked", Hit: &env.Element{Tag: "a"}, Took: time.Second},
		trajectory.Fact{Text: "42"},
		trajectory.Asked{Question: "which?"},
		trajectory.Replied{Text: "this", By: trajectory.Person},
		trajectory.Recovered{Text: "back"},
		// And with what a run writes only now and then.
		trajectory.Started{Task: "buy tea", Dialect: "mine", System: "<sys>", MaxSteps: 3, Trim: "steady",
			Speech: json.RawMessage(`{"name":"mine"}`), Schema: json.RawMessage(`{"type":"object"}`), Tools: json.RawMessage(`[]`)},
		trajectory.Observed{Frame: "frames/2.png", Size: env.Size{W: 644, H: 476}, Unchanged: true, Again: true},
		trajectory.Proposed{Calls: []model.ToolCall{{ID: "c1", Name: "computer_use", Arguments: `{"action":"wait"}`}}, Server: "http://b:1",
			EstimatedTokens: 900, FrameTokens: 391, Messages: 3, TextChars: 1200, FreshTokens: 500, Truncated: "the server counted exactly 512 tokens"},
		trajectory.Adapted{NumCtx: 4096, MaxPixels: 300_000, NoSchema: true, NoTools: true, NoCounts: true, System: "<other>", Tools: json.RawMessage(`[]`), Why: "refused"},
		trajectory.Started{Task: "buy tea", AnswerSchema: `{"type":"number"}`, Secrets: []trajectory.Secret{{Name: "PIN", Sites: []string{"shop.test"}}}},
		trajectory.Adapted{MaxSteps: 200, Why: "another budget"},
		trajectory.Decided{Code: "approval_declined", Text: "no", Classes: []string{"buy"}, Hit: button(), By: trajectory.Person},
		trajectory.Asked{Question: "may it?", Expires: &later, Approval: &trajectory.Approval{Action: env.Action{Kind: env.LeftClick, Point: &env.Point{X: 3, Y: 4}},
			Code: "risky", Classes: []string{"buy"}, Hit: button(), URL: "https://shop.test/", Frame: "frames/1.png", Clamped: true}},
		trajectory.Asked{Question: "hCaptcha wants a person", Captcha: "hCaptcha"},
		trajectory.Replied{Choice: trajectory.AlwaysHere, By: trajectory.Person},
		trajectory.Verdict{By: "judge", Class: "unproven", Reason: "no price is shown", Answer: "tea", Claim: "success", Evidence: "evidence/1.json",
			Checks: []trajectory.Check{{Text: "title is Tea", At: "c.txt:1", Found: "Coffee"}}, Model: "m", Latency: time.Second, Request: "ab12", Raw: "{}"},
		trajectory.Warned{Code: "cycle", Text: "again and again"},
		trajectory.Paused{Why: "asked", By: trajectory.Person},
		trajectory.Resumed{Why: "restart", Hands: true, Uncertain: &env.Action{Kind: env.Wait, For: time.Second}, Text: "go on"},
		trajectory.Acting{Action: env.Action{Kind: env.LeftClickDrag, From: &env.Point{X: 1, Y: 2}, Point: &env.Point{X: 3, Y: 4}}, Clamped: true},
	}
}

// button is an element with everything that one can have.
func button() *env.Element {
	return &env.Element{Tag: "button", Role: "button", Name: "Buy", Text: "Buy", Type: "submit", Link: "https://shop.test/x", Document: "https://shop.test/",
		Editable: true, Box: env.Rect{X: 1, Y: 2, W: 30, H: 40},
		Form: &env.Form{Method: "post", Action: "https://shop.test/order", Submits: true, Fields: []env.Field{{Type: "text", Name: "Address", Filled: true}}}}
}

func TestRunReadsBackAsWritten(t *testing.T) {
	w := create(t)
	for i, p := range payloads() {
		if _, err := w.Append(i/3, p); err != nil {
			t.Fatal(err)
		}
	}
	result := trajectory.Result{Run: "r1", Status: trajectory.Success, Reason: "terminate", Answer: "tea", Verified: []string{}}
	if err := w.Finish(4, result); err != nil {
		t.Fatal(err)
	}
	run, err := trajectory.Read(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if run.Task.Task != "buy tea" || run.Task.Version != trajectory.Version || run.Torn {
		t.Errorf("task: got %+v, torn %v", run.Task, run.Torn)
	}
	if run.Result == nil || run.Result.Answer != "tea" || run.Result.Version != trajectory.Version {
		t.Errorf("result: got %+v", run.Result)
	}
	got, _ := json.Marshal(run.Events)
	want, _ := json.Marshal(w.Events())
	if !bytes.Equal(got, want) || len(run.Events) != len(payloads())+1 {
		t.Errorf("events: got %s\nwant %s", got, want)
	}
	if last := run.Events[len(run.Events)-1]; last.Kind != trajectory.KindEnded || last.Ended.Status != trajectory.Success {
		t.Errorf("last event: got %+v", last)
	}
}

func TestEventsAreOnDiskWhenAppendReturns(t *testing.T) {
	w := create(t)
	for i, p := range payloads() {
		if _, err := w.Append(0, p); err != nil {
			t.Fatal(err)
		}
		// As another process would see it, without the writer's help.
		run, err := trajectory.Read(w.Dir())
		if err != nil || len(run.Events) != i+1 {
			t.Fatalf("after event %d: got %d events, %v", i, len(run.Events), err)
		}
	}
}

func TestTornLastLineIsLeftOut(t *testing.T) {
	w := create(t)
	for _, p := range payloads() {
		if _, err := w.Append(0, p); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(w.Dir(), "events.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		events, torn, err := trajectory.ParseEvents(whole[:cut])
		want := bytes.Count(whole[:cut], []byte("\n"))
		atEnd := cut == 0 || whole[cut-1] == '\n'
		if err != nil || len(events) != want || torn == atEnd {
			t.Fatalf("cut at %d: got %d events, torn %v, %v; want %d", cut, len(events), torn, err, want)
		}
	}
}

func TestDamagedLinesAreNamed(t *testing.T) {
	good := `{"v":1,"seq":0,"step":0,"at":"2026-01-02T03:04:05Z","kind":"fact","fact":{"text":"x"}}` + "\n"
	for name, c := range map[string]struct{ log, want string }{
		"broken in the middle": {good + "{\"v\":1,\n" + good, "line 2"},
		"payload missing":      {`{"v":1,"seq":0,"kind":"fact"}` + "\n", "line 1: fact lacks"},
		"a number left out":    {good + strings.Replace(good, `"seq":0`, `"seq":2`, 1), "line 2: seq is 2, want 1"},
		"from the future":      {strings.Replace(good, `"v":1`, `"v":99`, 1), "version 99"},
		"no kind":              {`{"v":1,"seq":0}` + "\n", "kind is missing"},
	} {
		if _, _, err := trajectory.ParseEvents([]byte(c.log)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
	later := strings.Replace(good, `"fact","fact"`, `"dreamt","dream"`, 1)
	if events, _, err := trajectory.ParseEvents([]byte(later)); err != nil || len(events) != 1 {
		t.Errorf("unknown kind and field: got %d events, %v, want it read", len(events), err)
	}
}

func TestIdenticalFramesAreStoredOnce(t *testing.T) {
	w := create(t)
	var files []string
	for _, data := range []string{"one", "two", "one"} {
		file, hash, err := w.Frame([]byte(data), "image/png")
		if err != nil || len(hash) != 64 {
			t.Fatalf("frame %q: %q, %v", data, hash, err)
		}
		files = append(files, file)
		if got, err := w.Load(file); err != nil || string(got) != data {
			t.Errorf("frame %q: read back %q, %v", data, got, err)
		}
	}
	if files[0] != "frames/1.png" || files[1] != "frames/2.png" || files[2] != files[0] {
		t.Errorf("files: got %v", files)
	}
	if file, _, _ := w.Frame([]byte("three"), "image/jpeg"); file != "frames/3.jpg" {
		t.Errorf("jpeg: got %q", file)
	}
}

func TestCreateLeavesNothingWhenItFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := trajectory.Create(file, trajectory.Task{Run: "r"}, nil)
	if err == nil || !strings.Contains(err.Error(), "--out") {
		t.Errorf("got %v, want an error that names --out", err)
	}
	out := t.TempDir()
	if _, err := trajectory.Create(out, trajectory.Task{Run: "r"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := trajectory.Create(out, trajectory.Task{Run: "r"}, nil); err == nil {
		t.Error("the same run was created twice")
	}
}

func TestDiscardRemovesARunThatNeverBegan(t *testing.T) {
	w := create(t)
	if err := w.Discard(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.Dir()); !os.IsNotExist(err) {
		t.Errorf("folder: got %v, want it gone", err)
	}
}

func TestReadNamesAFolderThatIsNoRun(t *testing.T) {
	if _, err := trajectory.Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a run's folder") {
		t.Errorf("got %v", err)
	}
	run := trajectory.Run{Dir: t.TempDir()}
	if _, err := run.Load("../secret"); err == nil {
		t.Error("a file outside the run was read")
	}
}

func TestIDsSortByTimeAndDiffer(t *testing.T) {
	early := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a, b, c := trajectory.NewID(early), trajectory.NewID(early), trajectory.NewID(early.Add(time.Second))
	if !strings.HasPrefix(a, "20260102-030405-") || a == b || a >= c || b >= c {
		t.Errorf("got %s, %s, %s", a, b, c)
	}
}

func FuzzParseEvents(f *testing.F) {
	f.Add([]byte(`{"v":1,"seq":0,"kind":"fact","fact":{"text":"x"}}` + "\n"))
	f.Add([]byte("{}\n\n"))
	f.Add([]byte(`{"v":1,"seq":0,"kind":"proposed","proposed":{"call":{"action":"x","coordinate":[1,2]}}}` + "\n{"))
	f.Fuzz(func(t *testing.T, log []byte) {
		events, _, err := trajectory.ParseEvents(log)
		if err != nil && events != nil {
			t.Errorf("got events and %v", err)
		}
	})
}
