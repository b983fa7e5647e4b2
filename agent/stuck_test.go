package agent_test

import (
	"strings"
	"testing"

	"fara/env"
	"fara/model/modeltest"
	"fara/trajectory"
)

func TestTheSameActionOnTheSamePageIsToldThenStuck(t *testing.T) {
	b := newBench(t)
	b.page.Still = true
	b.model = modeltest.NewEndlessScript(click(100, 100), click(103, 98))
	r := b.run(t)
	want(t, r, trajectory.Stuck, "cycle")
	if r.Steps != 6 || clicks(b) != 5 {
		t.Errorf("got %d steps and %d clicks, want 6 and 5", r.Steps, clicks(b))
	}
	reqs := b.model.Requests()
	for i, req := range reqs {
		told := strings.Contains(req.Messages[len(req.Messages)-1].Text, "the same action 3 times")
		if told != (i == 3) {
			t.Errorf("request %d: told %v", i+1, told)
		}
	}
}

func TestCyclesOfUpToFourActionsAreStuck(t *testing.T) {
	for length := 2; length <= 4; length++ {
		b := newBench(t)
		b.page.Still = true
		var answers []modeltest.Answer
		for i := range 100 {
			answers = append(answers, click(100+200*(i%length), 100))
		}
		b.model = modeltest.NewScript(answers...)
		r := b.run(t)
		if r.Status != trajectory.Stuck || r.Steps != 5*length {
			t.Errorf("length %d: got %s/%s after %d steps, want stuck after %d", length, r.Status, r.Reason, r.Steps, 5*length)
		}
	}
}

func TestNothingNewIsToldThenStuck(t *testing.T) {
	b := newBench(t)
	b.page.Still = true
	var answers []modeltest.Answer
	for i := range 60 {
		answers = append(answers, click(20*i, 7*i*i%900))
	}
	b.model = modeltest.NewScript(answers...)
	r := b.run(t)
	want(t, r, trajectory.Stuck, "no_progress")
	if w := b.last(t, trajectory.KindWarned).Warned; w.Code != "no_progress" {
		t.Errorf("warned %+v", w)
	}
}

func TestPagesThatChangeAreNeverStuck(t *testing.T) {
	b := newBench(t)
	var answers []modeltest.Answer
	for range 40 {
		answers = append(answers, click(100, 100))
	}
	b.model = modeltest.NewScript(append(answers, done("x"))...)
	r := b.run(t)
	want(t, r, trajectory.Success, "terminate")
	for _, e := range b.events(t) {
		if e.Kind == trajectory.KindWarned {
			t.Errorf("warned: %+v", e.Warned)
		}
	}
}

func TestTheSameErrorAgainAndAgainIsTold(t *testing.T) {
	b := newBench(t, click(100, 100), click(300, 300), click(600, 600), click(700, 100), done("x"))
	fail := env.Fail(env.NoEffect, "the page did not react")
	b.page.FailPerform = map[int]error{2: fail, 3: fail, 4: fail}
	want(t, b.run(t), trajectory.Success, "terminate")
	if w := b.last(t, trajectory.KindWarned); w.Warned.Code != "same_error" || w.Step != 3 {
		t.Errorf("got %+v in step %d", w.Warned, w.Step)
	}
	said := b.model.Requests()[3].Messages
	if text := said[len(said)-1].Text; !strings.Contains(text, "gone wrong 3 times in a row") {
		t.Errorf("the model is told %q", text)
	}
}
