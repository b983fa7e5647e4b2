package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"fara/agent"
	"fara/env"
	"fara/judge"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

// looked is a page that counts how often it was looked at.
type looked struct {
	times int
	err   error
}

func (l *looked) Inspect(context.Context, env.Query) (env.Evidence, error) {
	l.times++
	return env.Evidence{URL: "https://shop.test/done", Title: "Done", Text: "Thank you"}, l.err
}

func TestVerifiersShareOneLookAtThePage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"s.json": `{"type":"number"}`, "c.txt": "text contains thank you\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := verifyFlags{schema: filepath.Join(dir, "s.json"), asserts: []string{"title is Done"}, verify: true}
	f.checks.values = []string{filepath.Join(dir, "c.txt")}
	if err := f.check(nil); err != nil {
		t.Fatal(err)
	}
	if f.answerSchema() != `{"type":"number"}` || len(f.contents) != 2 {
		t.Errorf("got %q, %v", f.answerSchema(), f.contents)
	}
	chat := modeltest.NewScript(modeltest.Text(`{"reason":"x","verdict":"accept"}`))
	if err := f.connect(t.Context(), nil, &modelFlags{model: "m"}, &server{chat: chat}); err != nil {
		t.Fatal(err)
	}
	page, stored := &looked{}, 0
	all := f.verifiers(page, func([]byte) (string, error) { stored++; return "evidence/1.json", nil })
	c := agent.Candidate{
		Task: "x", Answer: "12", Claim: "success",
		Events: []trajectory.Event{{Observed: &trajectory.Observed{Frame: "frames/1.png"}}, {Proposed: &trajectory.Proposed{Call: &model.Call{}}}},
		Load:   func(string) ([]byte, error) { return picture(t), nil },
	}
	for i, by := range []string{judge.BySchema, judge.ByAssertions, judge.ByModel} {
		v, err := all[i].Verify(t.Context(), c)
		if err != nil || v.By != by || !v.Accepted || v.Evidence != "evidence/1.json" {
			t.Errorf("%s: got %+v, %v", by, v, err)
		}
		c.Events = append(c.Events, trajectory.Event{Verdict: &v})
	}
	if page.times != 1 || stored != 1 || len(all) != 3 {
		t.Errorf("%d verifiers looked %d times and stored %d", len(all), page.times, stored)
	}
	// A run that goes on is held to what the files said when it began.
	again := verifyFlags{schema: f.schema, asserts: f.asserts}
	again.checks.values = f.checks.values
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := again.check(f.contents); err != nil || again.chain.Assertions.Len() != 2 || again.chain.Schema == nil {
		t.Errorf("got %+v, %v", again.chain, err)
	}
}

func TestALostBrowserIsToldByItsVerifier(t *testing.T) {
	f := verifyFlags{asserts: []string{"title is x"}}
	if err := f.check(nil); err != nil {
		t.Fatal(err)
	}
	v, err := f.verifiers(&looked{err: env.ErrLost}, nil)[0].Verify(t.Context(), agent.Candidate{})
	if !errors.Is(err, env.ErrLost) || v.By != judge.ByAssertions || v.Accepted {
		t.Errorf("got %+v, %v", v, err)
	}
}
