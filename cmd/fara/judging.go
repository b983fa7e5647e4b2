package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"fara/env"
	"fara/judge"
	"fara/trajectory"
)

// verdictsFile holds what fara judge said of a run, in its folder.
const verdictsFile = "verdicts.json"

// judgedVersion is the version of that file.
const judgedVersion = 1

// judgedRun is a run with what was said of it.
type judgedRun struct {
	Version int               `json:"version"`
	Run     string            `json:"run"`
	Judged  time.Time         `json:"judged"`
	Fara    string            `json:"fara_version"`
	Status  trajectory.Status `json:"status"`
	Reason  string            `json:"reason"`
	// Claim is the agent's own word, Answer what it answered.
	Claim  string `json:"claim,omitempty"`
	Answer string `json:"answer"`
	// Outcome is what the verdicts come to, Class why it is not accepted.
	Outcome  judge.Outcome        `json:"outcome"`
	Class    string               `json:"class,omitempty"`
	Verdicts []trajectory.Verdict `json:"verdicts"`
	// Inputs is the hash of all that the verdicts depend on.
	Inputs string `json:"inputs_sha256"`
}

// judgedLine is a run as --json prints it.
type judgedLine struct {
	Type string `json:"type"` // "run"
	Dir  string `json:"dir"`
	judgedRun
	// Kept: it was judged before, in the same way.
	Kept bool `json:"kept,omitempty"`
}

// judging is a run that is to be judged.
type judging struct {
	run    *trajectory.Run
	flags  *verifyFlags
	inputs string
	kept   *judgedRun // the verdicts that still hold; nil when it is judged anew
}

// connect finds the run's judging model, unless the run was judged already.
func (j *judging) connect(ctx context.Context, models *judgingModels, again bool) error {
	endpoint, name := models.of(j.run)
	var err error
	if j.inputs, err = j.hash(endpoint, name); err != nil {
		return err
	}
	if !again {
		j.kept = j.before()
	}
	if !j.flags.verify || j.kept != nil || infra(j.run.Result) {
		return nil
	}
	if endpoint == "" { // an imported run's server is not known
		return usage("%s names no model server; say with --verify-endpoint and --verify-model who judges", j.run.Dir)
	}
	j.flags.chain.Model, err = models.connect(ctx, endpoint, name)
	return err
}

// hash is over everything that the verdicts depend on.
func (j *judging) hash(endpoint, name string) (string, error) {
	log, err := os.ReadFile(filepath.Join(j.run.Dir, "events.jsonl"))
	if err != nil {
		return "", err
	}
	model := []string{}
	if j.flags.verify {
		model = []string{endpoint, name}
	}
	rest, err := json.Marshal([]any{judgedVersion, version, j.flags.contents, j.flags.asserts, model})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(append(log, 0), rest...))
	return hex.EncodeToString(sum[:]), nil
}

// before gives the verdicts of an earlier call, when they are about the same and
// none failed for want of a server.
func (j *judging) before() *judgedRun {
	raw, err := os.ReadFile(filepath.Join(j.run.Dir, verdictsFile))
	var was judgedRun
	if err != nil || json.Unmarshal(raw, &was) != nil || was.Version != judgedVersion || was.Inputs != j.inputs {
		return nil
	}
	for _, v := range was.Verdicts {
		if v.Unsure && v.Class == judge.Infra {
			return nil
		}
	}
	return &was
}

// do judges the run and writes its verdicts, while no other process writes it.
func (j *judging) do(ctx context.Context) (judgedRun, error) {
	if j.kept != nil {
		return *j.kept, nil
	}
	w, run, err := trajectory.Reopen(j.run.Dir, nil)
	if err != nil {
		return judgedRun{}, usage("%w", err)
	}
	defer w.Close() // nothing is written to it
	evidence, err := evidenceOf(run)
	if err != nil {
		return judgedRun{}, usage("%s: %w", run.Dir, err)
	}
	r := run.Result
	verdicts, err := j.flags.chain.Score(ctx, judge.Case{
		Task: run.Task.Task, Answer: r.Answer, Claim: r.Claim, Events: run.Events, Load: run.Load, Evidence: evidence,
	})
	if err != nil {
		return judgedRun{}, err
	}
	out := judgedRun{
		Version: judgedVersion, Run: run.Task.Run, Judged: time.Now().UTC(), Fara: version,
		Status: r.Status, Reason: r.Reason, Claim: r.Claim, Answer: r.Answer, Verdicts: verdicts, Inputs: j.inputs,
	}
	out.Outcome, out.Class = judge.Total(verdicts)
	if out.Outcome != judge.Accepted {
		out.Class = cmp.Or(classOfEnding(r), out.Class)
	}
	return out, writeVerdicts(run.Dir, out)
}

// infra reports whether a run ended for what its agent could do nothing about.
func infra(r *trajectory.Result) bool { return classOfEnding(r) == judge.Infra }

// classOfEnding is the class that an ending itself says; empty when it says none.
func classOfEnding(r *trajectory.Result) string {
	switch {
	case r.Status == trajectory.ModelUnavailable, r.Status == trajectory.BrowserLost, r.Status == trajectory.Error,
		r.Status == trajectory.Cancelled, r.Status == trajectory.ContextOverflow:
		return judge.Infra
	case r.Status == trajectory.Blocked && r.Reason == "captcha":
		return judge.Captcha
	}
	return ""
}

// evidenceOf is what a run's folder tells of its end, its downloads included.
func evidenceOf(run *trajectory.Run) (*judge.Evidence, error) {
	e, err := judge.Recorded(run.Events, run.Load)
	if err != nil || e.KnowsDownloads {
		return e, err
	}
	e.Downloads, err = downloadsIn(filepath.Join(run.Dir, trajectory.DownloadsDir))
	e.KnowsDownloads = err == nil
	return e, err
}

// downloadsIn hashes a folder's files; without the folder there are none.
func downloadsIn(dir string) ([]env.Download, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []env.Download
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		d, hashErr := hashFile(filepath.Join(dir, e.Name()))
		if hashErr != nil {
			return nil, hashErr
		}
		all = append(all, d)
	}
	return all, err
}

func hashFile(path string) (env.Download, error) {
	f, err := os.Open(path)
	if err != nil {
		return env.Download{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return env.Download{Name: filepath.Base(path), Size: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

// writeVerdicts writes a run's verdicts under another name and renames them: they
// are whole, or as before.
func writeVerdicts(dir string, j judgedRun) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(j); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+verdictsFile+"-*")
	if err != nil {
		return fmt.Errorf("verdicts: %w", err)
	}
	_, err = f.Write(b.Bytes())
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, verdictsFile))
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("verdicts: %w", err)
	}
	return nil
}

// judgingModels connects to each model once, however many runs it judges.
type judgingModels struct {
	flags  *verifyFlags
	log    *slog.Logger
	getenv func(string) string
	known  map[[2]string]*judge.Model
}

// of is the server and the model that judge a run: those of the flags, or its own.
func (m *judgingModels) of(run *trajectory.Run) (endpoint, name string) {
	endpoint, name = m.flags.endpoint, m.flags.model
	if endpoint == "" {
		endpoint, name = run.Task.Endpoint, cmp.Or(name, run.Task.Model)
	}
	return endpoint, name
}

// connect finds the model. A run's own server is asked with the key that runs take
// from the environment, since their folders hold none.
func (m *judgingModels) connect(ctx context.Context, endpoint, name string) (*judge.Model, error) {
	at := [2]string{endpoint, name}
	if known, ok := m.known[at]; ok {
		return known, nil
	}
	v := verifyFlags{verify: true, model: name, endpoint: endpoint, apiKey: m.flags.apiKey}
	if m.flags.endpoint == "" {
		v.apiKey = cmp.Or(v.apiKey, m.getenv("FARA_API_KEY"))
	}
	if err := v.connect(ctx, m.log, &modelFlags{numCtx: judgeCtx}, nil); err != nil {
		return nil, err
	}
	if m.known == nil {
		m.known = map[[2]string]*judge.Model{}
	}
	m.known[at] = v.chain.Model
	return v.chain.Model, nil
}

// judgeCtx is the context in tokens that a judging model is loaded with.
const judgeCtx = 16384
