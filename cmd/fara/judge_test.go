package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fara/env"
	"fara/judge"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

// past is a finished run to be judged.
type past struct {
	flags    map[string][]string
	files    map[string]string
	endpoint string
	result   trajectory.Result
	evidence *judge.Evidence
	running  bool
}

// ended is a run that says it succeeded with an answer.
func ended(answer string) past {
	return past{result: trajectory.Result{Status: trajectory.Success, Reason: "terminate", Answer: answer, Claim: "success", Verified: []string{}}}
}

// picture is a small PNG.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// write makes the run's folder and gives it.
func (p past) write(t *testing.T, name string) string {
	t.Helper()
	w, err := trajectory.Create(t.TempDir(), trajectory.Task{
		Run: name, Task: "Find the price", Flags: p.flags, Files: p.files, Endpoint: p.endpoint, Model: "fara-1.5-test",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file, hash, err := w.Frame(picture(t), "image/png")
	if err != nil {
		t.Fatal(err)
	}
	events := []trajectory.Payload{
		trajectory.Started{Task: "Find the price"},
		trajectory.Observed{Frame: file, SHA256: hash, MIME: "image/png", URL: "https://shop.test/tea", Title: "Tea"},
		trajectory.Proposed{Thoughts: "It is there.", Call: &model.Call{Action: "terminate"}},
	}
	if p.evidence != nil {
		data, err := p.evidence.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		file, err := w.Evidence(data)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, trajectory.Verdict{By: "assertions", Accepted: true, Evidence: file})
	}
	for _, e := range events {
		if _, err := w.Append(1, e); err != nil {
			t.Fatal(err)
		}
	}
	if p.running {
		t.Cleanup(func() { w.Close() })
		return w.Dir()
	}
	p.result.Run, p.result.Dir = name, w.Dir()
	if err := w.Finish(1, p.result); err != nil {
		t.Fatal(err)
	}
	return w.Dir()
}

func verdictsOf(t *testing.T, dir string) judgedRun {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "verdicts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var j judgedRun
	if err := json.Unmarshal(raw, &j); err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJudgeScoresFinishedRunsWithoutRunningThem(t *testing.T) {
	right, wrong := ended("12.50 €").write(t, "right"), ended("13 €").write(t, "wrong")
	before := allFiles(t, right)
	got := fara(t, "judge", right, wrong, right+"/", "--assert", "answer number is 12.5 €", "--assert", "url is https://shop.test/*")
	if got.code != exitNoSuccess || got.stderr != "" {
		t.Fatalf("exit code %d, stderr %q", got.code, got.stderr)
	}
	for _, want := range []string{"right  accepted", "wrong  rejected (wrong)", `no  answer number is 12.5 €  -> "13 €"`, "2 runs: 1 accepted, 1 rejected, 0 unproven\n"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("stdout lacks %q:\n%s", want, got.stdout)
		}
	}
	j := verdictsOf(t, wrong)
	if j.Version != 1 || j.Run != "wrong" || j.Outcome != judge.Rejected || j.Class != "wrong" || j.Status != trajectory.Success || j.Claim != "success" ||
		len(j.Verdicts) != 1 || len(j.Verdicts[0].Checks) != 2 || !j.Verdicts[0].Checks[1].Holds || j.Inputs == "" {
		t.Errorf("got %+v", j)
	}
	after := allFiles(t, right)
	delete(after, "verdicts.json")
	for name, data := range before {
		if !bytes.Equal(after[name], data) {
			t.Errorf("%s changed", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("got %d files beside verdicts.json, want %d", len(after), len(before))
	}
	if got := fara(t, "judge", right, "--assert", "answer number is 12.5 €"); got.code != exitSuccess {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

// allFiles are all files of a folder by name.
func allFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		all[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestJudgeHoldsARunToItsOwnChecksUnlessOthersAreGiven(t *testing.T) {
	p := ended(`{"price": 12.5}`)
	p.flags = map[string][]string{"check": {"/gone/c.txt"}, "assert": {"title is Tea"}, "answer-schema": {"/gone/s.json"}}
	p.files = map[string]string{"check /gone/c.txt": "text contains 12.50\ncookie seen exists\n", "answer-schema /gone/s.json": `{"type":"object","required":["price"]}`}
	p.evidence = &judge.Evidence{Version: 1, Evidence: env.Evidence{URL: "https://shop.test/tea", Title: "Tea", Text: "12.50 €"}, KnowsText: true, KnowsCookies: []string{"seen"}}
	dir := p.write(t, "own")
	got := fara(t, "judge", dir)
	j := verdictsOf(t, dir)
	if got.code != exitNoSuccess || len(j.Verdicts) != 2 || !j.Verdicts[0].Accepted || j.Outcome != judge.Rejected {
		t.Fatalf("exit code %d, %s, %+v", got.code, got.stderr, j)
	}
	if c := j.Verdicts[1].Checks; len(c) != 3 || !c[0].Holds || c[1].Holds || c[1].At != "/gone/c.txt:2" || !c[2].Holds || j.Verdicts[1].Evidence == "" {
		t.Errorf("got %+v", c)
	}
	other := fara(t, "judge", dir, "--assert", "title is Tea", "--assert", "element #total exists")
	if j := verdictsOf(t, dir); other.code != exitNoSuccess || len(j.Verdicts) != 1 || j.Outcome != judge.Undecided || j.Class != judge.Unproven {
		t.Errorf("exit code %d, %+v", other.code, j)
	}
}

func TestJudgeAsksAModelOnceAndReportsAgreement(t *testing.T) {
	yes := modeltest.Text(`{"reason":"it shows 12.50","verdict":"accept","class":"none"}`)
	no := modeltest.Text(`{"reason":"a login is in the way","verdict":"reject","class":"login_wall"}`)
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(yes, no, yes))
	p := func(answer string) past { p := ended(answer); p.endpoint = srv.URL(); return p }
	dirs := []string{p("12.5").write(t, "a"), p("12.5").write(t, "b"), p("13").write(t, "c")}
	lost := past{endpoint: srv.URL(), result: trajectory.Result{Status: trajectory.BrowserLost, Reason: "gone", Verified: []string{}}}
	dirs = append(dirs, lost.write(t, "d"))
	args := append([]string{"judge", "--verify", "--json", "--assert", "answer number is 12.5"}, dirs...)
	got := fara(t, args...)
	if got.code != exitNoSuccess || got.stderr != "" {
		t.Fatalf("exit code %d, stderr %q", got.code, got.stderr)
	}
	all := lines(t, got.stdout)
	for i, want := range []string{"accepted ", "rejected login_wall", "rejected wrong", "rejected infra_error"} {
		class, _ := all[i]["class"].(string)
		if got := all[i]["outcome"].(string) + " " + class; all[i]["type"] != "run" || got != want {
			t.Errorf("run %d: got %s, want %s", i, got, want)
		}
	}
	total := all[4]
	agreement := total["agreement"].(map[string]any)
	if total["type"] != "summary" || total["runs"] != 4.0 || total["accepted"] != 1.0 || agreement["both"] != 3.0 || agreement["both_accept"] != 1.0 ||
		agreement["only_judge_accepts"] != 1.0 || agreement["only_assertions_accept"] != 1.0 {
		t.Errorf("got %v", total)
	}
	if n := len(srv.Requests()); n != 3 {
		t.Errorf("the model was asked %d times, want 3: not for the run whose browser was lost", n)
	}
	if j := verdictsOf(t, dirs[1]); len(j.Verdicts) != 2 || j.Verdicts[1].By != "judge" || j.Verdicts[1].Reason != "a login is in the way" || j.Verdicts[1].Request == "" {
		t.Errorf("got %+v", j)
	}
	// What was judged in the same way is not judged again, also after one call broke off.
	if again := fara(t, args...); again.code != exitNoSuccess || len(srv.Requests()) != 3 || !strings.Contains(again.stdout, `"kept":true`) {
		t.Errorf("again: exit code %d after %d requests", again.code, len(srv.Requests()))
	}
	if err := os.Remove(filepath.Join(dirs[0], "verdicts.json")); err != nil {
		t.Fatal(err)
	}
	if fara(t, args...); len(srv.Requests()) != 4 {
		t.Errorf("got %d requests, want one more for the run without verdicts", len(srv.Requests()))
	}
}

func TestJudgeKeepsNoVerdictOfAServerThatFailed(t *testing.T) {
	srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(
		modeltest.Fail(&model.Error{Kind: model.ErrBadRequest, Message: "no"}), modeltest.Text(`{"reason":"x","verdict":"accept"}`)))
	p := ended("12.5")
	p.endpoint = srv.URL()
	dir := p.write(t, "a")
	if got := fara(t, "judge", "--verify", dir); got.code != exitNoSuccess || !strings.Contains(got.stdout, "a  unproven (infra_error)") {
		t.Errorf("exit code %d, %s", got.code, got.stdout)
	}
	if got := fara(t, "judge", "--verify", dir); got.code != exitSuccess {
		t.Errorf("exit code %d, %s", got.code, got.stdout)
	}
}

func TestJudgeFindsDownloadsInTheRunsFolder(t *testing.T) {
	dir := ended("done").write(t, "a")
	if err := os.Mkdir(filepath.Join(dir, "downloads"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "downloads", "a.csv"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	const hash = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
	if got := fara(t, "judge", dir, "--assert", "download *.csv sha256 is "+hash, "--assert", "download *.pdf does not exist"); got.code != exitSuccess {
		t.Errorf("exit code %d, %s%s", got.code, got.stdout, got.stderr)
	}
}

func TestJudgeRefusesInOneLineAndChangesNothing(t *testing.T) {
	good := ended("1").write(t, "good")
	unended := past{running: true}.write(t, "unended")
	tmp := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(tmp, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	later := ended("1").write(t, "later")
	if err := os.WriteFile(filepath.Join(later, "events.jsonl"), []byte(`{"v":99,"seq":0,"kind":"fact","fact":{"text":"x"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := ended("1")
	broken.flags = map[string][]string{"assert": {"title was x"}}
	for name, c := range map[string]struct {
		args  []string
		wants []string
	}{
		"no run":             {[]string{"judge"}, []string{"judge --help"}},
		"nothing to hold to": {[]string{"judge", good}, []string{"no checks of its own", "--assert"}},
		"not a run":          {[]string{"judge", good, tmp, "--assert", "title is x"}, []string{"not a run's folder"}},
		"a file":             {[]string{"judge", file("f", ""), "--assert", "title is x"}, []string{"not a run's folder"}},
		"in use":             {[]string{"judge", good, unended, "--assert", "title is x"}, []string{"in use"}},
		"of a later version": {[]string{"judge", good, later, "--assert", "title is x"}, []string{"version 99"}},
		"checks with a fault": {[]string{"judge", good, "--check", file("c.txt", "title is x\nlink is y\n")},
			[]string{"c.txt:2: no assertion begins with \"link\""}},
		"a list with a fault": {[]string{"judge", good, "--check", file("c.yaml", "- title is x\n- title has y\n")}, []string{"c.yaml:2: here comes is"}},
		"a schema with one":   {[]string{"judge", good, "--answer-schema", file("s.json", "{\n\"type\": \"text\"}")}, []string{"s.json:2: type is wrong"}},
		"an assertion":        {[]string{"judge", good, "--assert", "title ="}, []string{`--assert: "title =": here comes`}},
		"no file":             {[]string{"judge", good, "--check", filepath.Join(tmp, "none")}, []string{"--check", "no such file"}},
		"its own checks":      {[]string{"judge", broken.write(t, "broken")}, []string{"its own checks", "title was x"}},
		"no server":           {[]string{"judge", good, "--verify", "--verify-endpoint", "ftp://x"}, []string{"--verify-endpoint", "ftp"}},
	} {
		got := call{args: c.args}.run(t)
		t.Log(name)
		got.oneLine(t, exitUsage, c.wants...)
	}
	got := fara(t, "judge", good, "--verify", "--verify-endpoint", "http://127.0.0.1:1", "--verify-model", "m")
	got.oneLine(t, exitModel, "the judging model", "127.0.0.1:1")
	if _, err := os.Stat(filepath.Join(good, "verdicts.json")); !os.IsNotExist(err) {
		t.Errorf("got %v, want no verdicts of a run that was not judged", err)
	}
}
