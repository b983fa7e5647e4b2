package secret_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"fara/env"
	"fara/secret"
)

const value = "kX9-vLq2-Trw7"

// page is a page that says the value wherever it can.
type page struct {
	obs env.Observation
	hit *env.Element
	did []env.Action
	err error
}

// on is a page of an address with a field in front.
func on(address string) *page {
	return &page{obs: env.Observation{URL: address}, hit: &env.Element{Tag: "input", Type: "password", Editable: true, Document: address}}
}

func (p *page) Observe(context.Context) (env.Observation, error) { return p.obs, p.err }

func (p *page) Perform(_ context.Context, act env.Action) (env.Outcome, error) {
	p.did = append(p.did, act)
	if p.err != nil {
		return env.Outcome{}, p.err
	}
	return env.Outcome{Text: fmt.Sprintf("typed %d characters into %s", len(act.Text), value), Hit: p.hit}, nil
}

func (p *page) Read(context.Context) (env.Document, error) {
	return env.Document{URL: p.obs.URL, Title: value, Markdown: "It is " + url.QueryEscape(value) + " or " + base64.StdEncoding.EncodeToString([]byte("u:"+value))}, p.err
}

func (p *page) Aim(context.Context, env.Action) (*env.Element, error) { return p.hit, nil }

// act looks and then does something that has to succeed.
func act(t *testing.T, g *secret.Guard, action env.Action) env.Outcome {
	t.Helper()
	if _, err := g.Observe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Aim(t.Context(), action); err != nil {
		t.Fatalf("aim: %v", err)
	}
	out, err := g.Perform(t.Context(), action)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGuardTypesTheValueOnItsSiteIntoThatDocumentOnly(t *testing.T) {
	for _, text := range []string{pw, "< Secret >PW< /secret>", "x " + pw + " y"} {
		p := on("https://login.a.test/in?x=1")
		p.hit.Form = &env.Form{Method: "post", Action: "https://a.test/session"}
		g := &secret.Guard{Environment: p, Store: keep(t, value)}
		out := act(t, g, env.Action{Kind: env.Type, Text: text, Enter: true, Clear: true})
		want := env.Action{Kind: env.Type, Text: strings.NewReplacer(pw, value, "< Secret >PW< /secret>", value).Replace(text), Document: "https://login.a.test/in?x=1", Enter: true, Clear: true}
		if len(p.did) != 1 || fmt.Sprint(p.did[0]) != fmt.Sprint(want) {
			t.Errorf("%q: did %+v, want %+v", text, p.did, want)
		}
		if strings.Contains(out.Text, fmt.Sprint(len(want.Text))) || !strings.Contains(out.Text, "typed the secret") {
			t.Errorf("%q: the outcome %q tells how long the value is", text, out.Text)
		}
	}
}

func TestGuardRefusesEveryOtherPlace(t *testing.T) {
	at := func(change func(p *page)) *page {
		p := on("https://a.test/login")
		change(p)
		return p
	}
	typing := env.Action{Kind: env.Type, Text: pw}
	own := on("https://a.test/login")
	for _, c := range []struct {
		name string
		page *page
		act  env.Action
		code env.Code
	}{
		{"another site", on("https://evil.test/a.test"), typing, secret.CodeSite},
		{"a site that only looks like it", on("https://a.test.evil.test/"), typing, secret.CodeSite},
		{"a user name that looks like it", on("https://a.test@evil.test/"), typing, secret.CodeSite},
		{"a page of no site", on("about:blank"), typing, secret.CodeSite},
		{"a page without an address", on(""), typing, secret.CodeSite},
		{"a frame of another site", at(func(p *page) { p.hit.Document = "https://ads.test/" }), typing, secret.CodeSite},
		{"its own frame in another site", at(func(p *page) { p.obs.URL = "https://evil.test/" }), typing, secret.CodeSite},
		{"a form that posts elsewhere", at(func(p *page) { p.hit.Form = &env.Form{Method: "post", Action: "https://evil.test/take"} }), typing, secret.CodeForm},
		{"a form that mails", at(func(p *page) { p.hit.Form = &env.Form{Action: "mailto:me@evil.test"} }), typing, secret.CodeForm},
		{"nothing there", at(func(p *page) { p.hit = nil }), typing, secret.CodeSite},
		{"a name that there is not", own, env.Action{Kind: env.Type, Text: "<secret>PIN</secret>"}, secret.CodeUnknown},
		{"a name in another case", own, env.Action{Kind: env.Type, Text: "<secret>pw</secret>"}, secret.CodeUnknown},
		{"one known, one not", own, env.Action{Kind: env.Type, Text: pw + "<secret>PIN</secret>"}, secret.CodeUnknown},
		{"half a mark", own, env.Action{Kind: env.Type, Text: "<secret>PW"}, secret.CodeUnknown},
		{"in an address", own, env.Action{Kind: env.VisitURL, URL: "https://a.test/?p=" + pw}, secret.CodePlace},
		{"in an address, encoded", own, env.Action{Kind: env.VisitURL, URL: "https://a.test/?p=" + url.QueryEscape(pw)}, secret.CodePlace},
		{"in an address, encoded twice", own, env.Action{Kind: env.VisitURL, URL: "https://a.test/?p=" + url.QueryEscape(url.QueryEscape(pw))}, secret.CodePlace},
		{"as keys", own, env.Action{Kind: env.Key, Keys: []string{pw}}, secret.CodePlace},
		{"as single keys", own, env.Action{Kind: env.Key, Keys: strings.Split(pw, "")}, secret.CodePlace},
		{"the value itself elsewhere", on("https://evil.test/"), env.Action{Kind: env.Type, Text: "it is " + value}, secret.CodeSite},
		{"the value in another address", own, env.Action{Kind: env.VisitURL, URL: "https://evil.test/?q=" + base64.URLEncoding.EncodeToString([]byte(value))}, secret.CodeSite},
	} {
		c.page.did = nil
		g := &secret.Guard{Environment: c.page, Store: keep(t, value)}
		if _, err := g.Observe(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, aimErr := g.Aim(t.Context(), c.act)
		_, err := g.Perform(t.Context(), c.act)
		for _, err := range []error{aimErr, err} {
			var fail *env.ActionError
			if !errors.As(err, &fail) || fail.Code != c.code || strings.Contains(err.Error(), value) {
				t.Errorf("%s: got %v, want %s", c.name, err, c.code)
			}
		}
		if len(c.page.did) != 0 {
			t.Errorf("%s: did %+v", c.name, c.page.did)
		}
	}
}

func TestWithoutSecretsEveryNameIsUnknownAndAllElseGoesThrough(t *testing.T) {
	p := on("https://a.test/")
	g := &secret.Guard{Environment: p}
	if _, err := g.Perform(t.Context(), env.Action{Kind: env.Type, Text: pw}); err == nil || !strings.Contains(err.Error(), "--secret") {
		t.Errorf("got %v", err)
	}
	act(t, g, env.Action{Kind: env.Type, Text: "<b>secretary</b>"})
	act(t, g, env.Action{Kind: env.VisitURL, URL: "https://b.test/%3Csecret"})
	if len(p.did) != 2 || p.did[0].Text != "<b>secretary</b>" || p.did[0].Document != "" {
		t.Errorf("did %+v", p.did)
	}
}

func TestTheBeginningOfAValueAtACutIsTakenOutToo(t *testing.T) {
	long := strings.Repeat("Very-long_9", 20)
	for _, c := range []struct{ value, text, want string }{
		{long, long[:80], pw},
		{long, "The key is " + long[:69], "The key is " + pw},
		{value, strings.Repeat("word ", 15) + value[:6], strings.Repeat("word ", 15) + pw},
		{value, strings.Repeat("word ", 15) + value[:6] + "…", strings.Repeat("word ", 15) + pw + "…"},
		{`p&"q<rstuv`, strings.Repeat("word ", 15) + "p&amp;&quot;q&lt;r", strings.Repeat("word ", 15) + pw},
		{long, `clicked the button "The key is ` + long[:69] + `"; it moved`, `clicked the button "The key is ` + pw + `"; it moved`},
		{"Password1234", "Password", "Password"}, // a label, which is whole
		{value, strings.Repeat("word ", 15) + value[:3], strings.Repeat("word ", 15) + value[:3]},
	} {
		p := on("https://a.test/")
		p.hit.Name, p.obs.Notes = c.text, []env.Note{{Text: "x", Quote: c.text}}
		g := &secret.Guard{Environment: p, Store: keep(t, c.value)}
		obs, err := g.Observe(t.Context())
		hit, aimErr := g.Aim(t.Context(), env.Action{Kind: env.LeftClick})
		if err != nil || aimErr != nil || hit.Name != c.want || obs.Notes[0].Quote != c.want {
			t.Errorf("%q: got %q and %q, want %q", c.text, hit.Name, obs.Notes[0].Quote, c.want)
		}
	}
}

// everywhere is an observation of a page that repeats the value.
func everywhere() env.Observation {
	in := "x" + url.PathEscape(value)
	return env.Observation{
		Image: []byte(value), URL: "https://a.test/?p=" + in, Title: value,
		Tabs: []env.Tab{{URL: "https://a.test/#" + value, Title: in, Active: true}}, Notes: []env.Note{{Text: "got " + value, Quote: value}},
	}
}

func TestNothingThatComesBackTellsTheValue(t *testing.T) {
	p := on("https://a.test/?" + value)
	p.obs = everywhere()
	p.hit = &env.Element{
		Tag: "input", Role: value, Name: value, Text: value, Type: "text", Autocomplete: value, Link: "https://a.test/" + value, Document: "https://a.test/" + value, Editable: true,
		Form: &env.Form{Method: "post", Action: "https://a.test/" + value, Name: value, Fields: []env.Field{{Type: "text", Name: value, Autocomplete: value}}},
	}
	st := keep(t, value)
	g := &secret.Guard{Environment: p, Store: st}
	obs, err := g.Observe(t.Context())
	doc, readErr := g.Read(t.Context())
	hit, aimErr := g.Aim(t.Context(), env.Action{Kind: env.LeftClick, Point: &env.Point{X: 1}})
	out, actErr := g.Perform(t.Context(), env.Action{Kind: env.Type, Text: pw})
	if err := errors.Join(err, readErr, aimErr, actErr); err != nil {
		t.Fatal(err)
	}
	if string(obs.Image) != value {
		t.Errorf("the picture is the environment's matter, and was changed")
	}
	obs.Image = nil
	evidence := st.Evidence(env.Evidence{
		URL: "https://a.test/" + value, Title: value, Text: value,
		Elements:  []env.Matches{{Selector: "#x", Problem: value, Found: []env.State{{Text: value, Value: value}}}},
		Cookies:   []env.Cookie{{Name: value, Value: value, Path: "/" + value}},
		Downloads: []env.Download{{Name: value + ".csv", URL: "https://a.test/" + value, SHA256: "ab"}},
		Requests:  []env.Request{{Method: "GET", URL: "https://a.test/" + value}},
	})
	for name, v := range map[string]any{"observation": obs, "document": doc, "element": hit, "outcome": out, "evidence": evidence} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), value) || strings.Contains(string(raw), "dTprWDkt") || !strings.Contains(string(raw), "secret") {
			t.Errorf("%s: got %s", name, raw)
		}
	}
	if p.hit.Name != value || p.obs.Notes[0].Text != "got "+value {
		t.Errorf("what the environment gave was changed: %+v", p.hit)
	}
}

func TestErrorsKeepTheirKindAndLoseTheValue(t *testing.T) {
	cause := errors.New("at " + value)
	for _, given := range []error{
		env.Fail(env.Moved, "the page is at %s: %w", value, cause), fmt.Errorf("look at %s: %w", value, env.ErrLost),
	} {
		p := on("https://a.test/")
		p.err = given
		g := &secret.Guard{Environment: p, Store: keep(t, value)}
		_, observed := g.Observe(t.Context())
		p.obs.URL = "https://a.test/"
		_, read := g.Read(t.Context())
		_, did := g.Perform(t.Context(), env.Action{Kind: env.Type, Text: pw})
		for _, err := range []error{observed, read, did} {
			var was, is *env.ActionError
			if err == nil || strings.Contains(err.Error(), value) || errors.Is(err, env.ErrLost) != errors.Is(given, env.ErrLost) || errors.As(given, &was) != errors.As(err, &is) {
				t.Errorf("of %v: got %v", given, err)
			}
			if was != nil && (is.Code != was.Code || !errors.Is(err, cause)) {
				t.Errorf("of %v: got code %s", given, is.Code)
			}
		}
	}
}

func TestOnlyTypingNothingButSecretsOnTheirSiteIsTheUsersWish(t *testing.T) {
	st := keep(t, value)
	field := &env.Element{Tag: "input", Type: "password", Editable: true, Document: "https://a.test/"}
	elsewhere := *field
	elsewhere.Document = "https://b.test/"
	for _, c := range []struct {
		act  env.Action
		hit  *env.Element
		page string
		want bool
	}{
		{env.Action{Kind: env.Type, Text: pw}, field, "https://a.test/", true},
		{env.Action{Kind: env.Type, Text: pw, Enter: true}, field, "https://a.test/", true}, // what Enter does is judged beside it
		{env.Action{Kind: env.Type, Text: "my own word"}, field, "https://a.test/", false},
		{env.Action{Kind: env.Type, Text: pw + " and more"}, field, "https://a.test/", false},
		{env.Action{Kind: env.Type, Text: ""}, field, "https://a.test/", false},
		{env.Action{Kind: env.Type, Text: "<secret>PIN</secret>"}, field, "https://a.test/", false},
		{env.Action{Kind: env.Type, Text: pw}, &elsewhere, "https://a.test/", false},
		{env.Action{Kind: env.Type, Text: pw}, field, "https://b.test/", false},
		{env.Action{Kind: env.Type, Text: pw}, nil, "https://a.test/", false},
		{env.Action{Kind: env.LeftClick}, field, "https://a.test/", false},
	} {
		if got := st.Binds(c.act, c.hit, c.page); got != c.want {
			t.Errorf("%+v on %s: got %v, want %v", c.act, c.page, got, c.want)
		}
	}
}
