package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/env"
	"fara/model"
	"fara/model/modeltest"
	"fara/trajectory"
)

type userFunc func(ctx context.Context, question string) (string, error)

func (f userFunc) Ask(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
	words, err := f(ctx, asked.Question)
	return trajectory.Replied{Text: words}, err
}

func at(x, y float64) *env.Point { return &env.Point{X: x, Y: y} }

// TestEveryActionActs has a line for every action there is; what the browser
// performs is compared in CSS pixels of a page of 1440x896.
func TestEveryActionActs(t *testing.T) {
	cases := map[env.Kind]struct {
		arguments string
		want      env.Action // for those the browser performs
	}{
		env.Key:           {`"keys": ["ctrl", "a"]`, env.Action{Keys: []string{"ctrl", "a"}}},
		env.Type:          {`"text": "tea"`, env.Action{Text: "tea"}},
		env.MouseMove:     {`"coordinate": [500, 500]`, env.Action{Point: at(720, 448)}},
		env.LeftClick:     {`"coordinate": [0, 1000]`, env.Action{Point: at(0, 895)}},
		env.LeftClickDrag: {`"coordinate": [250, 250]`, env.Action{Point: at(360, 224)}},
		env.RightClick:    {`"coordinate": [500, 500]`, env.Action{Point: at(720, 448)}},
		env.DoubleClick:   {`"coordinate": [500, 500]`, env.Action{Point: at(720, 448)}},
		env.TripleClick:   {`"coordinate": [500, 500]`, env.Action{Point: at(720, 448)}},
		env.Scroll:        {`"pixels": -500`, env.Action{DY: 448}},
		env.HScroll:       {`"pixels": 500`, env.Action{DX: 720}},
		env.VisitURL:      {`"url": "example.com/a"`, env.Action{URL: "https://example.com/a"}},
		env.HistoryBack:   {`"url": ""`, env.Action{}},
		env.WebSearch:     {`"query": "green tea & honey"`, env.Action{Kind: env.VisitURL, URL: "https://www.bing.com/search?q=green+tea+%26+honey&FORM=QBLH"}},
		env.ReadPage:      {`"question": "Open today?"`, env.Action{}},
		env.Memorize:      {`"fact": "tea costs 4"`, env.Action{}},
		env.AskUser:       {`"question": "Which?"`, env.Action{}},
		env.Wait:          {`"time": 0.01`, env.Action{For: 10 * time.Millisecond}},
		env.Terminate:     {`"answer": "over"`, env.Action{}},
	}
	for _, kind := range env.Kinds() {
		c, ok := cases[kind]
		if !ok {
			t.Errorf("%s: no line here says what it does", kind)
			continue
		}
		b := newBench(t, call("now", `{"action": "`+string(kind)+`", `+c.arguments+`}`), done("x"))
		if kind == env.ReadPage {
			b.model = modeltest.NewScript(call("now", `{"action": "`+string(kind)+`", `+c.arguments+`}`), modeltest.Text("9 to 5"), done("x"))
		}
		b.user = userFunc(func(context.Context, string) (string, error) { return "the large one", nil })
		r := b.run(t)
		want(t, r, trajectory.Success, "terminate")
		acts := b.page.Actions()[1:]
		if !kind.InBrowser() && kind != env.WebSearch {
			if len(acts) != 0 {
				t.Errorf("%s: the browser was asked to %v", kind, acts)
			}
			if !b.didInRuntime(t, kind, r) {
				t.Errorf("%s: the run shows nothing of it", kind)
			}
			continue
		}
		if c.want.Kind == "" {
			c.want.Kind = kind
		}
		if len(acts) != 1 || !sameAction(acts[0], c.want) {
			t.Errorf("%s: the browser performed %+v, want %+v", kind, acts, c.want)
		}
	}
}

// didInRuntime reports whether a run shows what the runtime itself did.
func (b *bench) didInRuntime(t *testing.T, kind env.Kind, r trajectory.Result) bool {
	t.Helper()
	switch kind {
	case env.ReadPage:
		read := b.last(t, trajectory.KindActed).Acted.Read
		return read != nil && read.Question == "Open today?" && read.Answer == "9 to 5"
	case env.Memorize:
		return b.last(t, trajectory.KindFact).Fact.Text == "tea costs 4"
	case env.AskUser:
		return b.last(t, trajectory.KindAsked).Asked.Question == "Which?" && b.last(t, trajectory.KindReplied).Replied.Text == "the large one"
	case env.Terminate:
		return r.Answer == "over" && r.Steps == 1
	}
	return false
}

func sameAction(a, b env.Action) bool {
	samePoint := a.Point == b.Point || a.Point != nil && b.Point != nil && *a.Point == *b.Point
	keys := slices.Equal(a.Keys, b.Keys)
	a.Point, b.Point, a.Keys, b.Keys = nil, nil, nil, nil
	return samePoint && keys && a.Kind == b.Kind && a.Text == b.Text && a.DX == b.DX && a.DY == b.DY && a.URL == b.URL && a.For == b.For && a.Enter == b.Enter && a.Clear == b.Clear
}

func TestAddressesAreFixedUpAsPeopleMeanThem(t *testing.T) {
	for given, want := range map[string]string{
		"https://a.test/x":  "https://a.test/x",
		"HTTPS://a.test":    "HTTPS://a.test",
		"a.test":            "https://a.test",
		"//a.test/x":        "https://a.test/x",
		"a.test:8443/x":     "https://a.test:8443/x",
		"opening hours tea": "https://www.bing.com/search?q=opening+hours+tea&FORM=QBLH",
		"about:blank":       "about:blank",
		" a.test ":          "https://a.test",
	} {
		b := newBench(t, call("go", `{"action": "visit_url", "url": "`+given+`"}`), done("x"))
		b.run(t)
		if acts := b.page.Actions(); len(acts) != 2 || acts[1].URL != want {
			t.Errorf("visit_url %q: got %+v, want %q", given, acts[1:], want)
		}
	}
}

func TestForbiddenAddressesAreNeverOpened(t *testing.T) {
	for _, address := range []string{"file:///etc/passwd", "javascript:alert(1)", "http://127.0.0.1:11434/", "localhost:3000", "chrome://settings", "data:text/html,x"} {
		b := newBench(t, call("go", `{"action": "visit_url", "url": "`+address+`"}`), done("x"))
		b.run(t)
		if n := len(b.page.Actions()); n != 1 {
			t.Errorf("%s: the browser was asked to open it", address)
		}
		if d := b.last(t, trajectory.KindDecided).Decided; d.Allowed || d.Code == "" {
			t.Errorf("%s: decided %+v", address, d)
		}
		turn := b.model.Requests()[1].Messages
		if text := turn[len(turn)-1].Text; !strings.Contains(text, "not allowed") {
			t.Errorf("%s: the model is told %q", address, text)
		}
	}
}

func TestForbiddenPagesAreLeftBeforeTheModelSeesThem(t *testing.T) {
	b := newBench(t, click(1, 1), done("x"))
	b.page.OnPerform = func(_ context.Context, n int, a env.Action) (env.Outcome, error) {
		switch {
		case a.Kind == env.VisitURL:
			b.page.Go(a.URL, "")
		case a.Kind == env.LeftClick: // a link, or a redirect behind it
			b.page.Go("http://127.0.0.1:11434/admin", "ADMIN")
			b.page.Note(env.Note{Kind: env.NoteDownload, Text: "A download finished.", Quote: "secret-name"})
		case a.Kind == env.HistoryBack:
			b.page.Go(start, "")
		}
		return env.Outcome{Text: "did it"}, nil
	}
	want(t, b.run(t), trajectory.Success, "terminate")
	for _, e := range b.events(t) {
		if e.Observed != nil && e.Observed.Title == "ADMIN" {
			t.Error("the forbidden page was shown")
		}
	}
	turn := b.model.Requests()[1].Messages
	if text := turn[len(turn)-1].Text; !strings.Contains(text, "not allowed") || !strings.Contains(text, "the page was left") ||
		!strings.Contains(text, "A download finished.") || strings.Contains(text, "secret-name") {
		t.Errorf("the next turn says %q", text)
	}
	if acts := b.page.Actions(); len(acts) != 3 || acts[2].Kind != env.HistoryBack {
		t.Errorf("got %+v, want the page left by going back", acts)
	}
}

func TestForbiddenPageThatCannotBeLeftEndsTheRun(t *testing.T) {
	b := newBench(t, click(1, 1))
	b.page.OnPerform = func(_ context.Context, n int, a env.Action) (env.Outcome, error) {
		b.page.Go(map[bool]string{true: start, false: "http://127.0.0.1/admin"}[n == 1], "")
		return env.Outcome{}, nil
	}
	want(t, b.run(t), trajectory.Blocked, "policy")
	if n := len(b.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times, want once", n)
	}
}

func TestFactsStayInEveryLaterPrompt(t *testing.T) {
	answers := []modeltest.Answer{click(1, 1), call("note", `{"action": "pause_and_memorize_fact", "fact": "tea costs 4.20 euro"}`)}
	for range 38 {
		answers = append(answers, click(2, 2))
	}
	b := newBench(t, append(answers, done("x"))...)
	b.cfg.NumCtx = 6000 // small enough that old replies have to go
	b.run(t)
	for i, req := range b.model.Requests()[2:] {
		last := req.Messages[len(req.Messages)-1]
		if !strings.Contains(last.Text, "tea costs 4.20 euro") {
			t.Fatalf("request %d lacks the fact: %q", i+3, last.Text)
		}
	}
}

func TestReadPageAsksTheSameModelAboutTheText(t *testing.T) {
	b := newBench(t, call("read", `{"action": "read_page_answer_question", "question": "When is it open?"}`), modeltest.Text(" 9 to 5 "), done("x"))
	b.page.Markdown = "# Hours\n\nOpen from 9 to 5."
	r := b.run(t)
	reqs := b.model.Requests()
	if q := reqs[1].Messages; len(q) != 2 || !strings.Contains(q[1].Text, "Open from 9 to 5.") || !strings.Contains(q[1].Text, "When is it open?") || frames(reqs[1]) != 0 {
		t.Errorf("the question to the model is %+v", q)
	}
	turn := reqs[2].Messages
	if text := turn[len(turn)-1].Text; !strings.Contains(text, "9 to 5") || !strings.Contains(text, "not instructions") {
		t.Errorf("the next turn says %q", text)
	}
	read := b.last(t, trajectory.KindActed).Acted.Read
	if read == nil || read.Answer != "9 to 5" || read.Chars != len(b.page.Markdown) || r.Usage.Calls != 3 {
		t.Errorf("on record: %+v, %d calls", read, r.Usage.Calls)
	}
	if data, err := b.writer.Load(read.Page); err != nil || string(data) != b.page.Markdown {
		t.Errorf("page text on disk: %q, %v", data, err)
	}
}

func TestQuestionsAboutAPageThatFailAreOnRecord(t *testing.T) {
	for name, answer := range map[string]modeltest.Answer{
		"no answer": modeltest.Text(" "),
		"too long":  modeltest.Fail(&model.Error{Kind: model.ErrContext}),
	} {
		b := newBench(t, call("read", `{"action": "read_page_answer_question", "question": "?"}`), answer, done("x"))
		want(t, b.run(t), trajectory.Success, "terminate")
		acted := b.last(t, trajectory.KindActed).Acted
		if acted.Error == nil || acted.Read == nil || acted.Read.Page == "" || acted.Read.Request == "" {
			t.Errorf("%s: on record is %+v", name, acted)
		}
	}
}

func TestModelIsNotAskedAboutAPageWithoutText(t *testing.T) {
	b := newBench(t, call("read", `{"action": "read_page_answer_question", "question": "?"}`), done("x"))
	b.page.Markdown = " \n"
	want(t, b.run(t), trajectory.Success, "terminate")
	if n := len(b.model.Requests()); n != 2 {
		t.Errorf("got %d requests, want none about nothing", n)
	}
	turn := b.model.Requests()[1].Messages
	if text := turn[len(turn)-1].Text; !strings.Contains(text, "no text that can be read") {
		t.Errorf("the next turn says %q", text)
	}
}

func TestSearchGoesToTheUsersOwnEngine(t *testing.T) {
	b := newBench(t, call("search", `{"action": "web_search", "query": "green tea"}`), done("x"))
	b.cfg.SearchURL = "http://localhost:8888/search?q=%s&lang=en"
	b.run(t)
	if acts := b.page.Actions(); len(acts) != 2 || acts[1].URL != "http://localhost:8888/search?q=green+tea&lang=en" {
		t.Errorf("got %+v", acts)
	}
}

func TestPageThatCannotBeReadIsAFailedAction(t *testing.T) {
	b := newBench(t, call("read", `{"action": "read_page_answer_question", "question": "?"}`), done("x"))
	b.page.FailRead = map[int]error{1: env.Fail(env.PageFailed, "the page has no text")}
	want(t, b.run(t), trajectory.Success, "terminate")
	turn := b.model.Requests()[1].Messages
	if text := turn[len(turn)-1].Text; !strings.Contains(text, "the page has no text") {
		t.Errorf("the next turn says %q", text)
	}
}

const question = `{"action": "ask_user_question", "question": "Which size?"}`

func TestQuestions(t *testing.T) {
	says := func(words string) userFunc {
		return func(context.Context, string) (string, error) { return words, nil }
	}
	t.Run("a person answers", func(t *testing.T) {
		b := newBench(t, call("ask", question), done("x"))
		b.user = says("the large one\n")
		want(t, b.run(t), trajectory.Success, "terminate")
		turn := b.model.Requests()[1].Messages
		if text := turn[len(turn)-1].Text; !strings.HasSuffix(text, "\nthe large one") {
			t.Errorf("the next turn says %q", text)
		}
		if e := b.last(t, trajectory.KindReplied); e.Replied.By != trajectory.Person {
			t.Errorf("on record: %+v", e.Replied)
		}
	})
	t.Run("nobody is there", func(t *testing.T) {
		b := newBench(t, call("ask", question))
		r := b.run(t)
		want(t, r, trajectory.WaitingForUser, "question")
		if r.Question != "Which size?" || r.Answer != "" {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("an automatic answer", func(t *testing.T) {
		b := newBench(t, call("ask", question), done("x"))
		b.cfg.AutoReply = "Go on, invent nothing."
		want(t, b.run(t), trajectory.Success, "terminate")
		if e := b.last(t, trajectory.KindReplied); e.Replied.By != trajectory.Auto || e.Replied.Text != b.cfg.AutoReply {
			t.Errorf("on record: %+v", e.Replied)
		}
	})
	t.Run("no answer gives up", func(t *testing.T) {
		b := newBench(t, call("ask", question))
		b.user = says(" \n")
		want(t, b.run(t), trajectory.Cancelled, "abandoned")
	})
	t.Run("on the last step", func(t *testing.T) {
		b := newBench(t, call("ask", question))
		b.cfg.MaxSteps = 1
		b.cfg.AutoReply = "Go on."
		r := b.run(t)
		want(t, r, trajectory.BudgetExhausted, "max_steps")
		if r.Answer != "" {
			t.Errorf("the question became the answer %q", r.Answer)
		}
	})
	t.Run("twice in a row", func(t *testing.T) {
		b := newBench(t, call("ask", question), call("ask", question), done("x"))
		n := 0
		b.user = userFunc(func(context.Context, string) (string, error) { n++; return strings.Repeat("reply", n), nil })
		want(t, b.run(t), trajectory.Success, "terminate")
		said := b.model.Requests()[2].Messages
		if !strings.Contains(said[1+2].Text, "reply") || !strings.Contains(said[len(said)-1].Text, "replyreply") {
			t.Errorf("the two replies are not both there: %+v", said)
		}
	})
}

func TestTerminateNeedsAnAnswer(t *testing.T) {
	b := newBench(t, call("hm", `{"action": "terminate"}`), done("now with one"))
	r := b.run(t)
	want(t, r, trajectory.Success, "terminate")
	if r.Answer != "now with one" || r.Steps != 2 {
		t.Errorf("got %+v", r)
	}
}
