package ingest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/ingest"
	"fara/trajectory"
)

func TestBadRecordingsAreRefusedByWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T) string // gives the path
		wants []string
	}{
		"missing screenshot": {func(t *testing.T) string {
			dir := bought(t).end("complete", "x")
			os.Remove(filepath.Join(dir, "screenshot_2_pre.png"))
			return dir
		}, []string{"screenshot_2_pre.png"}},
		"screenshot outside": {func(t *testing.T) string {
			p := bought(t)
			for _, e := range p.events {
				if e["screenshot_path"] == "screenshot_1_pre.png" {
					e["screenshot_path"] = "../../etc/passwd"
				}
			}
			return p.end("complete", "x")
		}, []string{"../../etc/passwd", "outside"}},
		"link outside": {func(t *testing.T) string {
			dir := bought(t).end("complete", "x")
			other := filepath.Join(t.TempDir(), "secret.png")
			if err := os.WriteFile(other, shade(t, 10, 10, 1), 0o644); err != nil {
				t.Fatal(err)
			}
			os.Remove(filepath.Join(dir, "screenshot_1_pre.png"))
			if err := os.Symlink(other, filepath.Join(dir, "screenshot_1_pre.png")); err != nil {
				t.Fatal(err)
			}
			return dir
		}, []string{"screenshot_1_pre.png", "link"}},
		"text for a screenshot": {func(t *testing.T) string {
			dir := bought(t).end("complete", "x")
			put(t, dir, "screenshot_1_post.png", "hello")
			return dir
		}, []string{"screenshot_1_post.png", "no PNG or JPEG"}},
		"half a screenshot": {func(t *testing.T) string {
			dir := bought(t).end("complete", "x")
			whole := shade(t, 1440, 900, 20)
			put(t, dir, "screenshot_1_post.png", whole[:len(whole)-8])
			return dir
		}, []string{"screenshot_1_post.png", "breaks off"}},
		"rubbish in the middle of the log": {func(t *testing.T) string {
			p := bought(t)
			dir := p.end("complete", "x")
			whole := lines(t, p.events)
			put(t, dir, "solver_log/events.jsonl", whole[:100]+"\n"+whole)
			return dir
		}, []string{"solver_log/events.jsonl", "line 1"}},
		"log of something else": {func(t *testing.T) string {
			dir := bought(t).end("complete", "x")
			put(t, dir, "solver_log/events.jsonl", `{"v":1}`+"\n")
			return dir
		}, []string{"line 1", "type"}},
		"nothing": {func(t *testing.T) string {
			p := newPoint(t)
			p.events = nil
			return p.end("running", nil)
		}, []string{"nothing to import"}},
		"action before any screenshot": {func(t *testing.T) string {
			p := newPoint(t)
			p.events = nil
			p.step("", obj{"action": "wait"}, 1, 1, "")
			p.events = p.events[1:]
			return p.end("running", nil)
		}, []string{"step 1 has no screenshot"}},
		"log without shots": {func(t *testing.T) string {
			dir := traj(t, surfed())
			os.Remove(filepath.Join(dir, "screenshot1.png"))
			return dir
		}, []string{"screenshot1.png is missing"}},
		"answer without log": {func(t *testing.T) string {
			dir := traj(t, surfed())
			os.Remove(filepath.Join(dir, "web_surfer.log"))
			return dir
		}, []string{"web_surfer.log is missing"}},
		"no base64": {func(t *testing.T) string {
			path := tars(t, "end", obj{"value": "Action: wait()", "parsed": parsed("wait", obj{})})
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Dir(path), "report.json", strings.Replace(string(raw), "iVBOR", "!!!!!", 1))
			return path
		}, []string{"conversations[1]", "base64"}},
		"another version": {func(t *testing.T) string {
			path := tars(t, "end", obj{"value": "Action: wait()", "parsed": parsed("wait", obj{})})
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Dir(path), "report.json", strings.Replace(string(raw), `"version":1`, `"version":2`, 1))
			return path
		}, []string{"version 2"}},
	} {
		path := c.spoil(t)
		_, _, err := try(t, path)
		if err == nil {
			t.Errorf("%s: it was imported", name)
			continue
		}
		for _, w := range c.wants {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %q, want %q in it", name, err, w)
			}
		}
		found, findErr := ingest.Find(path, "")
		if findErr != nil || len(found) != 1 {
			t.Fatal(found, findErr)
		}
		if checked := found[0].Check(context.Background()); checked == nil || checked.Error() != err.Error() {
			t.Errorf("%s: Check says %v, Import %v", name, checked, err)
		}
	}
}

func TestPictureIsWhatItsBytesSay(t *testing.T) {
	dir := bought(t).end("complete", "bought green tea")
	put(t, dir, "screenshot_1_pre.png", asJPEG(t, 1440, 900))
	run, _ := take(t, dir)
	for _, e := range run.Events {
		if e.Observed != nil && e.Step == 1 && e.Observed.SHA256 != "" && e.Observed.MIME == "image/jpeg" {
			if !strings.HasSuffix(e.Observed.Frame, ".jpg") {
				t.Errorf("a JPEG picture is kept as %s", e.Observed.Frame)
			}
			return
		}
	}
	t.Error("no frame is a JPEG picture")
}

func TestSameSourceIsImportedOnce(t *testing.T) {
	dir := bought(t).end("complete", "bought green tea")
	out := t.TempDir()
	var first ingest.Done
	for round := range 3 {
		im, err := ingest.New(ingest.Config{Out: out})
		if err != nil {
			t.Fatal(err)
		}
		if round == 2 { // a run that was given another name is still known
			if err := os.Rename(first.Dir, filepath.Join(out, "renamed")); err != nil {
				t.Fatal(err)
			}
			if im, err = ingest.New(ingest.Config{Out: out}); err != nil {
				t.Fatal(err)
			}
		}
		done, err := im.Import(context.Background(), ingest.Source{Path: dir, Format: ingest.DataPoint})
		if err != nil {
			t.Fatal(err)
		}
		if done.Existed != (round > 0) {
			t.Errorf("round %d: existed is %v", round, done.Existed)
		}
		if round == 0 {
			first = done
		}
	}
	if left, _ := os.ReadDir(out); len(left) != 1 {
		t.Errorf("there are %d runs, want 1", len(left))
	}
	// Another picture makes another source.
	put(t, dir, "screenshot_1_pre.png", shade(t, 1440, 900, 77))
	im, err := ingest.New(ingest.Config{Out: out})
	if err != nil {
		t.Fatal(err)
	}
	done, err := im.Import(context.Background(), ingest.Source{Path: dir, Format: ingest.DataPoint})
	if err != nil || done.Existed {
		t.Fatalf("a changed source: existed %v, %v", done.Existed, err)
	}
	if run, err := trajectory.Read(done.Dir); err != nil || run.Task.Sample.Number != 2 {
		t.Errorf("the second run of the task: %+v, %v", run.Task.Sample, err)
	}
}

func TestInterruptedImportLeavesNothing(t *testing.T) {
	dir := bought(t).end("complete", "bought green tea")
	out := t.TempDir()
	im, err := ingest.New(ingest.Config{Out: out})
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	if _, err := im.Import(ctx, ingest.Source{Path: dir, Format: ingest.DataPoint}); !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
	if left, _ := os.ReadDir(out); len(left) != 0 {
		t.Errorf("it left %v", left)
	}
}

func TestFolderIsWalkedForAllFormats(t *testing.T) {
	root := t.TempDir()
	for name, dir := range map[string]string{
		"a/point": bought(t).end("complete", "x"), "b/c/traj [1]": traj(t, surfed()), "tars": filepath.Dir(tars(t, "end", obj{"value": "Action: wait()", "parsed": parsed("wait", obj{})})),
	} {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, root, "notes.json", obj{"hello": 1})
	put(t, root, ".hidden/x.json", obj{"conversations": []obj{}})
	found, err := ingest.Find(root, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		rel, _ := filepath.Rel(root, f.Path)
		got = append(got, string(f.Format)+" "+rel)
		if err := f.Check(context.Background()); err != nil {
			t.Errorf("%s: %v", rel, err)
		}
	}
	if want := []string{"datapoint a/point", "webeval b/c/traj [1]", "ui-tars tars/report.json"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if found, err = ingest.Find(root, ingest.WebEval); err != nil || len(found) != 1 {
		t.Errorf("of one format: %v, %v", found, err)
	}
}

func TestWhatAKilledImportLeftIsRemoved(t *testing.T) {
	out := t.TempDir()
	put(t, out, ".import-old/r1/task.json", obj{})
	put(t, out, ".import-young/r1/task.json", obj{})
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(out, ".import-old"), long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.New(ingest.Config{Out: out}); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(out)
	if err != nil || len(left) != 1 || left[0].Name() != ".import-young" {
		t.Errorf("left: %v, %v; want the young one, which may be another's", left, err)
	}
}
