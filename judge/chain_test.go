package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"fara/env"
	"fara/judge"
	"fara/model/modeltest"
	"fara/trajectory"
)

func chain(t *testing.T, chat *modeltest.Script) judge.Chain {
	t.Helper()
	s, err := judge.ParseSchema("s", []byte(`{"type":"number"}`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := judge.Parse("f", []byte("url contains /order\nelement #total is visible\ncookie lang is de"))
	if err != nil {
		t.Fatal(err)
	}
	return judge.Chain{Schema: s, Assertions: &a, Model: &judge.Model{Chat: chat}}
}

func names(verdicts []trajectory.Verdict) string {
	var all []string
	for _, v := range verdicts {
		word := "no"
		switch {
		case v.Accepted:
			word = "yes"
		case v.Unsure:
			word = "?"
		}
		all = append(all, v.By+" "+word)
	}
	return strings.Join(all, ", ")
}

func TestEveryVerifierSaysItsOwn(t *testing.T) {
	c := ordered()
	c.Evidence = shop()
	for _, test := range []struct {
		answer, url string
		want        string
		outcome     judge.Outcome
		asked       int
	}{
		{"12", "https://shop.test/order", "schema yes, assertions yes, judge yes", judge.Accepted, 1},
		{"12", "https://shop.test/cart", "schema yes, assertions no, judge yes", judge.Rejected, 1},
		{"twelve", "https://shop.test/order", "schema no, assertions yes", judge.Rejected, 0},
		{"12", "", "schema yes, assertions ?, judge yes", judge.Undecided, 1},
	} {
		chat := modeltest.NewEndlessScript(modeltest.Text(accept))
		c.Answer, c.Evidence.URL = test.answer, test.url
		got, err := chain(t, chat).Score(t.Context(), c)
		if err != nil || names(got) != test.want {
			t.Errorf("%+v: got %s, %v", test, names(got), err)
		}
		if o, _ := judge.Total(got); o != test.outcome {
			t.Errorf("%+v: got %s", test, o)
		}
		if n := len(chat.Requests()); n != test.asked {
			t.Errorf("%+v: the model was asked %d times", test, n)
		}
	}
}

func TestTotalIsNeverMoreThanWhatWasSaid(t *testing.T) {
	yes, no := trajectory.Verdict{Accepted: true}, trajectory.Verdict{Class: judge.Login}
	open := trajectory.Verdict{Unsure: true, Class: judge.Unproven}
	for _, c := range []struct {
		verdicts []trajectory.Verdict
		outcome  judge.Outcome
		class    string
	}{
		{nil, judge.Undecided, judge.Unproven},
		{[]trajectory.Verdict{yes}, judge.Accepted, ""},
		{[]trajectory.Verdict{yes, open}, judge.Undecided, judge.Unproven},
		{[]trajectory.Verdict{open, no, yes}, judge.Rejected, judge.Login},
	} {
		if o, class := judge.Total(c.verdicts); o != c.outcome || class != c.class {
			t.Errorf("%s: got %s %q, want %s %q", names(c.verdicts), o, class, c.outcome, c.class)
		}
	}
}

func TestAgreementCountsWhereBothDecided(t *testing.T) {
	word := func(by string, accepted, unsure bool) trajectory.Verdict {
		return trajectory.Verdict{By: by, Accepted: accepted, Unsure: unsure}
	}
	var a judge.Agreement
	for _, v := range [][]trajectory.Verdict{
		{word("assertions", true, false), word("judge", true, false)},
		{word("assertions", false, false), word("judge", true, false)},
		{word("assertions", true, false), word("judge", false, false)},
		{word("schema", true, false), word("assertions", false, false), word("judge", false, false)},
		{word("assertions", false, true), word("judge", false, false)},
		{word("assertions", true, false), word("judge", false, true)},
		{word("assertions", true, false)}, {word("schema", true, false), word("judge", true, false)}, nil,
	} {
		a.Add(v)
	}
	if a != (judge.Agreement{4, 1, 1, 1, 1}) || a.Agree() != 2 {
		t.Errorf("got %+v", a)
	}
}

// page is a page that remembers what it was asked.
type page struct {
	asked []env.Query
	tells env.Evidence
	err   error
}

func (p *page) Inspect(_ context.Context, q env.Query) (env.Evidence, error) {
	p.asked = append(p.asked, q)
	return p.tells, p.err
}

func TestAPageIsLookedAtOnceForEachAnswer(t *testing.T) {
	p := &page{tells: shop().Evidence}
	p.tells.Cookies = append(p.tells.Cookies, env.Cookie{Name: "session", Value: "key"})
	var stored []string
	w := judge.Witness{Page: p, Wants: chain(t, nil).Wants(), Store: func(data []byte) (string, error) {
		stored = append(stored, string(data))
		return "evidence/1.json", nil
	}}
	events := ordered().Events
	for range 3 {
		e, err := w.Evidence(t.Context(), events)
		if err != nil || e.File != "evidence/1.json" || !e.KnowsText {
			t.Fatalf("got %+v, %v", e, err)
		}
		events = append(events, trajectory.Event{Verdict: &trajectory.Verdict{}})
	}
	if q := p.asked[0]; len(p.asked) != 1 || !q.Text || !q.Cookies || len(q.Selectors) != 1 || q.Selectors[0] != "#total" {
		t.Errorf("asked %+v", p.asked)
	}
	if strings.Contains(stored[0], "session") || !strings.Contains(stored[0], `"lang"`) {
		t.Errorf("a cookie that no check names is kept: %s", stored[0])
	}
	if _, err := w.Evidence(t.Context(), append(events, ordered().Events[0])); err != nil || len(p.asked) != 2 {
		t.Errorf("after another action it was asked %d times, %v", len(p.asked), err)
	}
}

func TestAPageThatDoesNotTellIsUnproven(t *testing.T) {
	e, err := judge.Look(t.Context(), &page{err: errors.New("it\nhung")}, judge.Wants{})
	if err != nil || e.Missing != "the page could not be looked at: it hung" {
		t.Fatalf("got %+v, %v", e, err)
	}
	v, _ := chain(t, nil).Assertions.Verify(t.Context(), judge.Case{Evidence: e})
	if !v.Unsure || !strings.Contains(v.Reason, "it hung") {
		t.Errorf("got %+v", v)
	}
	if _, err := judge.Look(t.Context(), &page{err: env.ErrLost}, judge.Wants{}); !errors.Is(err, env.ErrLost) {
		t.Errorf("got %v, want ErrLost", err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := judge.Look(ctx, &page{err: ctx.Err()}, judge.Wants{}); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
}

func TestEvidenceIsReadBackAsItWas(t *testing.T) {
	data, err := shop().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	stored := strings.Replace(string(data), `"version": 0`, `"version": 1`, 1)
	load := func(string) ([]byte, error) { return []byte(stored), nil }
	judged := trajectory.Event{Verdict: &trajectory.Verdict{Evidence: "evidence/1.json"}}
	events := append(ordered().Events, judged, judged)
	e, err := judge.Recorded(events, load)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"cookie lang is de": "yes", "request POST /order": "yes", "element #total": "yes", "text contains parcels": "yes", "cookie other": "open"} {
		if got := result(t, text, judge.Case{Evidence: e}); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	// What was seen before the last action says nothing about the end.
	e, err = judge.Recorded(append(events, ordered().Events[0]), load)
	if err != nil || e.KnowsText || e.URL != "https://shop.test/done?x" {
		t.Errorf("got %+v, %v, want what the last frame says", e, err)
	}
	for text, want := range map[string]string{"url contains /done": "yes", "text contains parcels": "open"} {
		if got := result(t, text, judge.Case{Evidence: e}); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	var loose map[string]any
	if json.Unmarshal(data, &loose) != nil {
		t.Errorf("not JSON: %s", data)
	}
	for _, bad := range []string{"{", `{"version":99}`} {
		if _, err := judge.Recorded(events, func(string) ([]byte, error) { return []byte(bad), nil }); err == nil || !strings.Contains(err.Error(), "evidence/1.json") {
			t.Errorf("%s: got %v, want an error that names the file", bad, err)
		}
	}
}
