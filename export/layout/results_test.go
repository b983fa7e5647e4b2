package layout_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fara/export"
	"fara/export/exporttest"
	"fara/export/layout"
)

// judgedTask and judgedAnswer are how WebVoyager's evaluation finds the task and the answer.
var (
	judgedTask   = regexp.MustCompile(`Now given a task:(.+?)Please interact with`)
	judgedAnswer = regexp.MustCompile(`ANSWER[; ]+\[?(.[^\]]*)\]?`)
)

func TestWebVoyagerResultsAreFoundByItsEvaluation(t *testing.T) {
	odd(t, func(t *testing.T, run *export.Source) {
		dir := t.TempDir()
		name := add(t, layout.WebVoyager(dir), run)
		if want := "task" + run.Task.Run; name != want {
			t.Errorf("got folder %q, want %q", name, want)
		}
		var messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		raw := read(t, dir, name, "interact_messages.json")
		parse(t, raw, &messages)
		var first []struct {
			Text string `json:"text"`
		}
		parse(t, messages[1].Content, &first)
		task := judgedTask.FindStringSubmatch(first[0].Text)
		if want := strings.Join(strings.Fields(run.Task.Task), " "); task == nil || strings.TrimSpace(task[1]) != want {
			t.Errorf("got task %q, want %q", task, want)
		}
		if bytes.Contains(raw, []byte("base64")) {
			t.Error("a picture is in the messages")
		}
		checkVoyageAnswer(t, run, messages[len(messages)-1].Content)
		checkFrames(t, run, filepath.Join(dir, name), "screenshot%d.png", 1)
	})
}

func checkVoyageAnswer(t *testing.T, run *export.Source, last json.RawMessage) {
	t.Helper()
	want := strings.NewReplacer("[", "(", "]", ")").Replace(run.Result.Answer)
	var text string
	if json.Unmarshal(last, &text) != nil || !strings.Contains(text, "Action: ANSWER") {
		if want != "" {
			t.Errorf("the last message %s has no answer, want %q", last, want)
		}
		return
	}
	if got := judgedAnswer.FindStringSubmatch(text); got == nil || got[1] != want {
		t.Errorf("got answer %q, want %q", got, want)
	}
}

// checkFrames holds numbered pictures to the newest frames of the requests that were
// answered; one more may follow.
func checkFrames(t *testing.T, run *export.Source, dir, pattern string, from int) {
	t.Helper()
	for i, p := range calls(run) {
		got := read(t, dir, fmt.Sprintf(pattern, from+i))
		sent, err := run.Load(p.Frames[len(p.Frames)-1])
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(sent, []byte("\x89PNG")) && !bytes.Equal(got, sent) {
			t.Errorf("picture %d is not the newest frame of request %d", from+i, i+1)
		}
		if _, err := png.Decode(bytes.NewReader(got)); err != nil {
			t.Errorf("picture %d: %v", from+i, err)
		}
	}
	most := len(calls(run)) + 1
	if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf(pattern, from+most))); err == nil {
		t.Errorf("there are more than %d pictures", most)
	}
}

func TestMind2WebResultsAreWhatItsJudgesRead(t *testing.T) {
	odd(t, func(t *testing.T, run *export.Source) {
		dir := t.TempDir()
		name := add(t, layout.OnlineMind2Web(dir), run)
		var got struct {
			TaskID   string   `json:"task_id"`
			Task     string   `json:"task"`
			Answer   string   `json:"final_result_response"`
			Actions  []string `json:"action_history"`
			Thoughts []string `json:"thoughts"`
		}
		parse(t, read(t, dir, name, "result.json"), &got)
		want := calls(run)
		actions := len(want)
		if actions > 0 && want[actions-1].Call.Action == "terminate" {
			actions--
		}
		if len(got.Actions) != actions || len(got.Thoughts) != len(want) || got.Actions == nil || got.Thoughts == nil {
			t.Errorf("got %d actions and %d thoughts, want %d and %d", len(got.Actions), len(got.Thoughts), actions, len(want))
		}
		for i, line := range got.Actions {
			if !strings.HasPrefix(line, want[i].Call.Action+"({") || got.Thoughts[i] != want[i].Thoughts {
				t.Errorf("got action %q with %q, want %s with %q", line, got.Thoughts[i], want[i].Call.Action, want[i].Thoughts)
			}
		}
		if got.Task != run.Task.Task || got.TaskID != run.Task.Run || got.Answer != run.Result.Answer {
			t.Errorf("got %+v of %+v", got, run.Task)
		}
		if _, err := os.ReadDir(filepath.Join(dir, name, "trajectory")); err != nil {
			t.Error(err)
		}
		checkFrames(t, run, filepath.Join(dir, name), "trajectory/%d_screenshot.png", 0)
	})
}

func TestFoldersAreNamedForTasksAndNeverClash(t *testing.T) {
	out, dir := t.TempDir(), t.TempDir()
	w := layout.OnlineMind2Web(dir)
	long := strings.Repeat("x", 300)
	var got []string
	for i, of := range []struct {
		task   string
		number int
		want   string
	}{
		{"BBC News--3", 1, "BBC News--3"},
		{"BBC News--3", 2, "BBC News--3.sample2"},
		{"BBC News--3", 1, "BBC News--3.run-r2"}, // of another batch
		{"a/b", 1, "a%2Fb"},
		{"a%2Fb", 1, "a%252Fb"},
		{"..", 1, "%2E%2E"},
		{"A/b", 1, "A%2Fb.run-r6"}, // the same file where case does not count
		{" ", 1, "%20"},
		{"", 3, "r8.sample3"},
		{long + "1", 1, ""},
		{long + "2", 1, ""},
		{"茶\x00", 1, "%E8%8C%B6%00"},
	} {
		run := told(t, exporttest.Sampled(out, fmt.Sprintf("r%d", i), of.task, of.number))
		name := add(t, w, run)
		if of.want != "" && name != of.want || len(name) > 255 || slices.Contains(got, name) {
			t.Errorf("task %q number %d is in %q, want %q", of.task, of.number, name, of.want)
		}
		got = append(got, name)
		var result struct {
			TaskID string `json:"task_id"`
		}
		parse(t, read(t, dir, name, "result.json"), &result)
		if of.task != "" && result.TaskID != strings.ToValidUTF8(of.task, "\ufffd") {
			t.Errorf("got id %q in %s, want %q", result.TaskID, name, of.task)
		}
	}
	found, err := os.ReadDir(dir)
	if err != nil || len(found) != len(got) {
		t.Errorf("got %d folders (%v), want %d", len(found), err, len(got))
	}
}

func TestRunThatCannotBeWrittenWholeLeavesNothing(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, run *export.Source){
		"frame missing": func(t *testing.T, run *export.Source) {
			if err := os.Remove(filepath.Join(run.Dir, "frames", "3.png")); err != nil {
				t.Fatal(err)
			}
		},
		"frame changed": func(t *testing.T, run *export.Source) {
			path := filepath.Join(run.Dir, "frames", "3.png")
			if err := os.WriteFile(path, append(read(t, path), 0), 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		run := told(t, exporttest.Odd()["plain"](t.TempDir()))
		harm(t, run)
		dir := t.TempDir()
		if _, err := layout.DataPoint(dir).Add(run); err == nil || !strings.Contains(err.Error(), "3.png") {
			t.Errorf("%s: got %v, want an error that names 3.png", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: %s stays", name, left[0].Name())
		}
	}
}

func TestFolderThatIsThereIsLeftAlone(t *testing.T) {
	run := told(t, exporttest.Odd()["plain"](t.TempDir()))
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "plain"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := layout.DataPoint(dir).Add(run); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want fs.ErrExist", err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "plain")); len(left) > 0 {
		t.Errorf("%s was written into a folder of somebody else's", left[0].Name())
	}
}
