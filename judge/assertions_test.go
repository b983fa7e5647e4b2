package judge_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fara/env"
	"fara/judge"
	"fara/userfile"
)

// shop is what is known after an order in a shop.
func shop() *judge.Evidence {
	return &judge.Evidence{
		Evidence: env.Evidence{
			URL: "https://shop.test/order/12?ref=a+b#top", Title: "Order  Complete",
			Text: "Thank you for\n your “first” order. It’s on its way – 3 parcels.",
			Elements: []env.Matches{
				{Selector: "#total", Count: 1, Found: []env.State{{Text: "Total: 1.234,50 €", Visible: true, Enabled: true}}},
				{Selector: "#agree", Count: 1, Found: []env.State{{Visible: true, Enabled: true, Checked: true}}},
				{Selector: "ul li", Count: 25, Found: rows(20)},
				{Selector: ".error", Count: 0},
				{Selector: "#menu", Count: 2, Found: []env.State{{Text: "a"}, {Text: "b", Value: "Grün"}}},
				{Selector: "x[", Problem: "not a valid selector"},
			},
			Cookies:   []env.Cookie{{Name: "lang", Value: "de", Domain: "shop.test"}},
			Downloads: []env.Download{{Name: "Report (1).pdf", Size: 2048, SHA256: strings.Repeat("ab", 32)}},
			Requests: []env.Request{
				{Method: "GET", URL: "https://shop.test/"}, {Method: "POST", URL: "https://shop.test/order?x=1", Status: 201},
				{Method: "GET", URL: "https://cdn.test/a%20b.js", Status: 404},
			},
		},
		KnowsText: true, KnowsDownloads: true, KnowsRequests: true, KnowsCookies: []string{"lang", "gone"},
	}
}

func rows(n int) []env.State {
	out := make([]env.State, n)
	for i := range out {
		out[i] = env.State{Text: "row", Visible: true, Enabled: true}
	}
	return out
}

// result is what one check came to: "yes", "no" or "open".
func result(t *testing.T, text string, c judge.Case) string {
	t.Helper()
	a, err := judge.Parse("", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	v, err := a.Verify(t.Context(), c)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	switch {
	case v.Accepted && !v.Unsure && v.Class == "" && v.Checks[0].Holds && !v.Checks[0].Unproven:
		return "yes"
	case !v.Accepted && !v.Unsure && v.Class == judge.Wrong && !v.Checks[0].Holds && !v.Checks[0].Unproven:
		return "no"
	case !v.Accepted && v.Unsure && v.Class == judge.Unproven && !v.Checks[0].Holds && v.Checks[0].Unproven:
		return "open"
	}
	t.Fatalf("%s: a verdict that contradicts itself: %+v", text, v)
	return ""
}

func TestAssertionsOnThePage(t *testing.T) {
	for text, want := range map[string]string{
		"url is https://shop.test/order/12":                    "yes",
		"url is HTTPS://SHOP.test:443/order/12/":               "yes",
		"url is https://shop.test/order/*":                     "yes",
		"url is shop.test/order/12":                            "yes",
		"url is /order/12":                                     "yes",
		"url is /order/1":                                      "no",
		"url is https://shop.test":                             "no",
		"url is https://shop.test/Order/12":                    "no",
		"url is http://shop.test/order/12":                     "no",
		"url is https://shop.test.evil.test/order/12":          "no",
		"url is https://shop.test/order/12?ref=a%20b":          "yes",
		"url is https://shop.test/order/12?ref=a":              "no",
		"url is https://shop.test/order/12#top":                "yes",
		"url is /order/12#end":                                 "no",
		"url is not /cart":                                     "yes",
		"url contains ref=a b":                                 "yes",
		"url contains /Order/":                                 "no",
		`url matches /\/order\/\d+/`:                           "yes",
		`url does not match /\/ORDER\//`:                       "yes",
		`url matches /\/ORDER\//i`:                             "yes",
		"title is order complete":                              "yes",
		`title is "Order Complete"`:                            "yes",
		"title is not empty":                                   "yes",
		"title is empty":                                       "no",
		`title is "empty"`:                                     "no",
		"text contains thank you for your":                     "yes",
		`text contains your "FIRST" order. It's`:               "yes",
		`text contains 'on its way - 3'`:                       "yes",
		"text does not contain sold out":                       "yes",
		"not text contains sold out":                           "yes",
		"text contains sold out":                               "no",
		"text number is 3":                                     "yes",
		`text matches /your .first. order/`:                    "yes",
		"element #total is visible":                            "yes",
		"element #total exists":                                "yes",
		"element #total":                                       "yes",
		"element #total does not exist":                        "no",
		"element #total number is 1234.5 €":                    "yes",
		"element #total number is 1234.5 EUR":                  "yes",
		"element #total number is 1234.5 USD":                  "no",
		"element #total text number > 1000":                    "yes",
		"element #total text contains total":                   "yes",
		"element #total contains total":                        "yes",
		"element #total is hidden":                             "no",
		"element #agree is checked":                            "yes",
		"element #agree is not checked":                        "no",
		"element #agree is unchecked":                          "no",
		"element #agree is enabled":                            "yes",
		"element #agree is disabled":                           "no",
		`element "ul li" count is 25`:                          "yes",
		`element "ul li" count >= 26`:                          "no",
		`element "ul li" text is row`:                          "yes",
		`element "ul li" text is other`:                        "open", // it may be among the last 5
		`element "ul li" text is not other`:                    "open",
		"element .error is hidden":                             "yes",
		"element .error is not visible":                        "yes",
		"element .error is visible":                            "no",
		"element .error is not hidden":                         "no",
		"element .error does not exist":                        "yes",
		"element .error count is 0":                            "yes",
		"element .error text is not failed":                    "no", // there is none
		"not element .error text is failed":                    "yes",
		"element #menu is hidden":                              "yes",
		"element #menu is not visible":                         "yes",
		"element #menu text is b":                              "yes",
		"element #menu text is not b":                          "no",
		"element #menu text is not c":                          "yes",
		"element #menu value is grün":                          "yes",
		"element #menu value is empty":                         "yes",
		"element x[] exists":                                   "open", // nobody looked for it
		"element #nobody exists":                               "open",
		"not element #nobody exists":                           "open",
		"cookie lang is de":                                    "yes",
		"cookie lang":                                          "yes",
		"cookie lang is not de":                                "no",
		"cookie gone exists":                                   "no",
		"cookie gone does not exist":                           "yes",
		"cookie other does not exist":                          "open",
		"download *.pdf exists":                                "yes",
		"download report*.PDF count is 1":                      "yes",
		`download "Report (1).pdf" size >= 2048`:               "yes",
		"download *.csv exists":                                "no",
		"download * sha256 is " + strings.Repeat("AB", 32):     "yes",
		"download * sha256 is " + strings.Repeat("ac", 32):     "no",
		"download * sha256 is not " + strings.Repeat("ac", 32): "yes",
		"request POST /order":                                  "yes",
		"request post https://shop.test/order count is 1":      "yes",
		"request POST /order?x=1 status is 201":                "yes",
		"request POST /order?x=2":                              "no",
		"request * * count is 3":                               "yes",
		"request GET https://* count is 2":                     "yes",
		"request GET https://cdn* count is 1":                  "yes",
		"request GET https://cdn*/ count is 0":                 "yes",
		"request GET /a%20b.js status >= 400":                  "yes",
		"request GET /a*js":                                    "yes",
		"request PUT /order":                                   "no",
		"not request DELETE /*":                                "yes",
		"request GET / status < 100":                           "yes", // no reply counts as 0
		"any of\n  url contains /cart\n  title contains order": "yes",
		"any of:\n  url contains /cart\n  title contains cart": "no",
		"any of\n  cookie x exists\n  title contains cart":     "open",
		"any of\n  cookie x exists\n  title contains order":    "yes",
		"all of\n  cookie x exists\n  title contains cart":     "no",
		"all of\n  url contains order\n  title contains order": "yes",
		"none of\n  url contains cart\n  title contains cart":  "yes",
		"none of\n  url contains order\n  title contains cart": "no",
		"none of\n  cookie x exists\n  title contains cart":    "open",
		"not all of\n  title contains order\n  url contains x": "yes",
		"not any of\n  title contains order\n  url contains x": "no",
		"not none of\n  title contains cart\n  url contains x": "no",
		"any of\n  all of\n    title contains order\n    text contains thank\n  url is /x": "yes",
		"- title contains order":            "yes",
		"NOT Title IS Order":                "yes",
		"not: title is order":               "yes",
		"not not title contains ord":        "yes",
		"# no\n\n title contains order\r\n": "yes",
	} {
		if got := result(t, text, judge.Case{Answer: "x", Evidence: shop()}); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestAssertionsOnTheAnswer(t *testing.T) {
	for _, c := range []struct{ answer, text, want string }{
		{"Paris", "answer is paris", "yes"},
		{"**Paris**.", "answer is Paris", "yes"},
		{"“Paris”", "answer is Paris", "yes"},
		{"Paris, France", "answer is Paris", "no"},
		{"Paris, France", "answer contains PARIS", "yes"},
		{"Cafe\u0301 au lait", "answer is Café au\u00a0lait", "yes"},
		{"STRASSE", "answer is Straße", "yes"},
		{"don’t", "answer is don't", "yes"},
		{"", "answer is empty", "yes"},
		{" \n", "answer is not empty", "no"},
		{"42 km", `answer matches /^\d+ km$/`, "yes"},
		{"42 KM", `answer matches /^\d+ km$/`, "no"},
		{"a\nb", `answer matches /^b$/m`, "yes"},
		{"The price is 1,234.50 €.", "answer number is 1234.5", "yes"},
		{"1.234,50 €", "answer number is 1234.5", "yes"},
		{"1 234,50 €", "answer number is 1234.50 €", "yes"},
		{"1\u202f234,50 €", "answer number is 1234.50 €", "yes"},
		{"CHF 1'234.50", "answer number is 1234.5 CHF", "yes"},
		{"$1,234", "answer number is 1234 USD", "yes"},
		{"$1,234", "answer number is 1.234", "yes"},
		{"1.234", "answer number is 1234", "yes"},
		{"1.234", "answer number > 1000", "open"},
		{"1.234", "answer number > 1", "yes"},
		{"1.234", "answer number is not 1234", "no"},
		{"0.125", "answer number is 125", "no"},
		{"12 %", "answer number is 12", "yes"},
		{"12%", "answer number is 12 %", "yes"},
		{"12 percent", "answer number is 12%", "yes"},
		{"12 €", "answer number is 12 %", "no"},
		{"−5 °C", "answer number is -5 °C", "yes"},
		{"-5", "answer number < 0", "yes"},
		{"3.5 million people", "answer number is 3500000", "yes"},
		{"3,5 Mio. €", "answer number is 3500000 EUR", "yes"},
		{"12.3k stars", "answer number is 12300", "yes"},
		{"1.5e6", "answer number is 1500000", "yes"},
		{"١٢٣", "answer number is 123", "yes"},
		{"１２", "answer number is 12", "yes"},
		{"12,34,567", "answer number is 1234567", "yes"},
		{"1,234,567.891", "answer number is 1234567.891", "yes"},
		{"3.14159", "answer number is 3.14 within 0.01", "yes"},
		{"3.2", "answer number is 3.14 within 0.01", "no"},
		{"103", "answer number is 100 within 5%", "yes"},
		{"106", "answer number is 100 within 5 %", "no"},
		{"0.1", "answer number <= 0.1", "yes"},
		{"between 41 and 43", "answer number is 42", "no"},
		{"42 or 43", "answer number is 42", "no"},
		{"42 or 43", "answer any number is 43", "yes"},
		{"42 or 43", "answer any number > 43", "no"},
		{"999 € (19 % VAT)", "answer number is 999 €", "yes"},
		{"999 € (19 % VAT)", "answer number is 999", "no"},
		{"iPhone15 costs 999", "answer number is 999", "yes"},
		{"v1.2.3", "answer number > 0", "no"},
		{"on 12.03.2026", "answer number is 12", "no"},
		{"10-20", "answer any number is 20", "yes"},
		{"10–20", "answer any number is -20", "no"},
		{"no idea", "answer number is 0", "no"},
		{"", "answer number is 0", "no"},
		{"Room B-12", "answer number is -12", "no"},
		{"5 / 10", "answer number is 5", "no"},
		{".5", "answer number is 0.5", "yes"},
		{"-.5", "answer number is -0.5", "yes"},
		{"US$ 12", "answer number is 12 $", "yes"},
		{"12 US$", "answer number is 12 USD", "yes"},
		{"R$ 12", "answer number is 12 BRL", "yes"},
		{"R$ 12", "answer number is 12 USD", "no"},
		{"-€5", "answer number is -5 €", "yes"},
		{"$1.5M", "answer number is 1500000 USD", "yes"},
		{"€1.2bn", "answer number is 1200000000 EUR", "yes"},
		{"120 km/h", "answer number is 120 km/h", "yes"},
		{"120 km/h", "answer number is 120 km", "no"},
		{"80 m²", "answer number is 80 m²", "yes"},
		{"5'11", "answer number is 511", "no"},
		{"A4 paper: 500", "answer number is 500", "yes"},
		{"99999999999999999999", "answer number > 1e19", "yes"},
	} {
		if got := result(t, c.text, judge.Case{Answer: c.answer}); got != c.want {
			t.Errorf("%q held to %s: got %s, want %s", c.answer, c.text, got, c.want)
		}
	}
}

func TestNothingKnownIsNeverPassed(t *testing.T) {
	for _, text := range []string{
		"url contains x", "url does not contain x", "title is x", "title is not x", "text contains x", "text does not contain x",
		"element #a", "element #a is hidden", "element #a does not exist", "element #a count is 0", "cookie a", "cookie a does not exist",
		"download a", "not download a", "download a count is 0", "request GET /", "not request GET /", "request GET / count is 0",
	} {
		for name, e := range map[string]*judge.Evidence{"none": nil, "empty": {}, "failed": {Missing: "the page was gone"}} {
			if got := result(t, text, judge.Case{Answer: "x", Evidence: e}); got != "open" {
				t.Errorf("%s with evidence %s: got %s, want open", text, name, got)
			}
		}
	}
}

func TestWhatWasCutOffDecidesNothing(t *testing.T) {
	e := shop()
	e.Text = strings.Repeat("x", 200_000)
	for range 2_000 {
		e.Requests = append(e.Requests, env.Request{Method: "GET", URL: "https://shop.test/tick"})
	}
	for text, want := range map[string]string{
		"text contains x": "yes", "text contains y": "open", "text does not contain y": "open", "text does not contain x": "no",
		"request GET /tick": "yes", "request GET /tick count >= 2000": "yes", "request GET /tick count is 2000": "open",
		"request GET /tick count < 100": "no", "request GET /tick count is 7": "no", "request GET /tick count is not 7": "yes",
		"request PUT /x": "open", "not request PUT /x": "open", "request GET /tick count > 5000": "open",
	} {
		if got := result(t, text, judge.Case{Evidence: e}); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestReasonsNeverTellWhatWasWanted(t *testing.T) {
	text := "answer is sesame\nanswer number is 4711\nany of\n  answer contains sesame\n  url contains sesame\ntext contains sesame\nelement #total text is sesame\nnot title contains complete"
	a, err := judge.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	v, err := a.Verify(t.Context(), judge.Case{Answer: "42", Evidence: shop()})
	if err != nil {
		t.Fatal(err)
	}
	if v.Accepted || strings.Contains(v.Reason, "sesame") || strings.Contains(v.Reason, "4711") {
		t.Errorf("got %+v", v)
	}
	for _, want := range []string{"6 of 6 checks do not hold", "the answer is not as expected", `"42"`, "element #total", "1.234,50"} {
		if !strings.Contains(v.Reason, want) {
			t.Errorf("the reason lacks %q: %s", want, v.Reason)
		}
	}
	if len(v.Checks) != 6 || v.Checks[3].At != "f:6" || v.Checks[0].Text != "answer is sesame" || !strings.Contains(v.Checks[2].Text, "url contains sesame") {
		t.Errorf("checks: got %+v", v.Checks)
	}
}

func TestFaultsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "f:1: there is no assertion here",
		"# only words\n":                       "f:1: there is no assertion here",
		"\n\nurl contains":                     "f:3: the value is missing",
		"title is x\nlink is y":                `f:2: no assertion begins with "link"; an assertion begins with url, title`,
		"url equals /x":                        "f:1: here comes is, is not, contains",
		"title":                                "f:1: it is not said what is expected; here comes is, is not",
		`title is "x`:                          `f:1: the quote that begins with "x does not end`,
		`title is "x" y`:                       `f:1: the value ends at its quote, and here follows "y"`,
		"title is “x”":                         `f:1: “ is no quote here`,
		"title contains \"\"":                  "f:1: the value is empty",
		"text matches order":                   "f:1: matches takes a pattern between slashes",
		"text matches /(/":                     "f:1: /(/ is no pattern of Go: missing closing )",
		"text matches /a/g":                    `f:1: behind a pattern may stand i, m and s, and not "g"`,
		"text matches //":                      "f:1: the pattern is empty",
		"text matches /(?=a)/":                 "f:1: /(?=a)/ is no pattern of Go",
		"element":                              "f:1: a CSS selector, such as #total",
		"element ul li is visible":             `f:1: "element ul" does not go on with "li"; put a selector with spaces in quotes`,
		"element #a is visble":                 `f:1: an element is visible, hidden`,
		"element #a is not green":              `f:1: an element is visible, hidden`,
		"element //div exists":                 "f:1: \"//div\" is no CSS selector but an XPath",
		`element "a[href" exists`:              `f:1: "a[href" is no CSS selector: ] is missing`,
		`element "a >" exists`:                 `f:1: "a >" is no CSS selector`,
		`element "a:contains(b)"`:              `f:1: "a:contains(b)" is no CSS selector: CSS cannot look at text`,
		"element #a count is x":                "f:1: a number is written plainly",
		"element #a count is 1 €":              "f:1: count has no unit",
		"element #a exists now":                `f:1: the assertion ends before "now"`,
		"answer > 3":                           "f:1: write number before >",
		"answer number is 1,234":               "f:1: a number is written plainly",
		"answer number is":                     "f:1: a number is written plainly",
		"answer number =3":                     "f:1: here comes is, is not, <, <=, > or >= with spaces around it",
		"answer number > 3 within 1":           "f:1: within goes with is or is not",
		"answer number is 3 within":            "f:1: a number is written plainly",
		"download a.csv is x":                  "f:1: after a download comes exists",
		"download a sha256 is 12":              "f:1: sha256 is takes the 64 hex digits",
		"request /order":                       "f:1: a request has its method before its address",
		"request POST":                         "f:1: an address, such as https://shop.test/order",
		"request POST https:// exists":         `f:1: "https://" is no address`,
		"request POST /a b":                    "f:1: after a request comes exists, count or status",
		"url is https://a b/":                  `f:1: "https://a b/" is no address`,
		"cookie":                               "f:1: a cookie's name is missing",
		"any of":                               "f:1: nothing belongs to any of",
		"any of\ntitle is x":                   "f:1: nothing belongs to any of",
		"any of title is x":                    "f:1: write any of alone on its line",
		"title is x\n  title is y":             "f:2: the line is indented by 2",
		"any of\n  title is x\n    title is y": "f:3: the line is indented by 4",
		"any of\n    title is x\n  title is y": "f:3: the line is indented by 2",
		"any of\n \ttitle is x":                "f:2: the line is indented with tabs and spaces",
		"title is \xff":                        "f:1: this is no text in UTF-8",
		"title is \x00":                        "f:1: this is no text in UTF-8",
		strings.Repeat("# words\n", 200_000):   "f: it is larger than a megabyte",
		deep(12):                               "f:9: groups stand more than 8 deep",
	} {
		fails(t, "f", text, want)
	}
}

func deep(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "any of\n")
	}
	return b.String() + strings.Repeat(" ", n) + "title is x"
}

// fails checks that a text is refused with a fault that begins so.
func fails(t *testing.T, name, text, want string) {
	t.Helper()
	_, err := judge.Parse(name, []byte(text))
	var f *userfile.Fault
	if !errors.As(err, &f) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%.80q: got %v, want one line that begins with %q", text, err, want)
	}
}

func TestListsInYAMLAndJSON(t *testing.T) {
	for name, text := range map[string]string{
		"c.yaml": "# ours\n- title contains order\n- 'element #total exists'\n- |\n  any of\n    url is /x\n    title is order complete\n",
		"c.yml":  "[\"title contains order\", 'element #total', title is order complete]",
		"c.json": "[\n \"title contains order\",\n \"element #total\",\n \"text contains thank you\"\n]",
	} {
		a, err := judge.Parse(name, []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		v, err := a.Verify(t.Context(), judge.Case{Evidence: shop()})
		if err != nil || !v.Accepted || len(v.Checks) != 3 {
			t.Errorf("%s: got %+v, %v", name, v, err)
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"c.yaml", "- title is x\n- text contains Order #12\n", "c.yaml:2: YAML takes what follows the # for a comment"},
		{"c.yaml", "- title is x\n- text contains Total: 12\n", "c.yaml:2: [1] takes a text, and here is an object; in YAML"},
		{"c.yaml", "- title is x\n- 12\n", "c.yaml:2: [1] takes a text, and here is a number"},
		{"c.yaml", "checks:\n  - title is x\n", "c.yaml:1: a list of assertions is a list, and here is an object"},
		{"c.yaml", "- title is x\n- |\n  any of\n    title is y\n    link is z\n", `c.yaml:5: no assertion begins with "link"`},
		{"c.json", "[\"title is x\",\n\"\"]", "c.json:2: there is no assertion here"},
		{"c.json", "[\"title is x\",\n", "c.json:"},
		{"c.json", "[]", "c.json:1: there is no assertion here"},
		{"c.yaml", "", "c.yaml:1: the file is empty"},
	} {
		fails(t, c.name, c.text, c.want)
	}
}

func TestWantsAreWhatTheAssertionsLookAt(t *testing.T) {
	a, err := judge.Parse("", []byte("element #a exists\nany of\n  element \"ul li\" count > 1\n  cookie c\nelement #a is visible"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := judge.Parse("", []byte("not cookie d\nelement #b"))
	if err != nil {
		t.Fatal(err)
	}
	w := a.And(b).Wants()
	if got := strings.Join(w.Selectors, "|") + "; " + strings.Join(w.Cookies, "|"); got != "#a|ul li|#b; c|d" {
		t.Errorf("got %s", got)
	}
}

func TestAssertionsEndWithTheirContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	a, _ := judge.Parse("", []byte("title is x"))
	if _, err := a.Verify(ctx, judge.Case{}); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"any of\n  url is /x\n", "answer number is 1.5 € within 5%", `element "a[b='c']" is not visible`, "request * /x* status >= 400", `text matches /a\/b/i`, "not not title is “x”"} {
		f.Add(seed, "1.234,50 € and 12k")
	}
	f.Fuzz(func(t *testing.T, text, answer string) {
		a, err := judge.Parse("f", []byte(text))
		if err != nil {
			return
		}
		v, err := a.Verify(t.Context(), judge.Case{Answer: answer})
		if err != nil || len(v.Checks) != a.Len() || v.Accepted && v.Unsure {
			t.Errorf("%q: got %+v, %v", text, v, err)
		}
	})
}
