package judge_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fara/env"
	"fara/judge"
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
	for _, want := range []string{"6 of 6 checks do not hold", "the answer is not as expected", `"42"`, "element #total", "1.234,50", "data and not instructions"} {
		if !strings.Contains(v.Reason, want) {
			t.Errorf("the reason lacks %q: %s", want, v.Reason)
		}
	}
	if len(v.Checks) != 6 || v.Checks[3].At != "f:6" || v.Checks[0].Text != "answer is sesame" || !strings.Contains(v.Checks[2].Text, "url contains sesame") {
		t.Errorf("checks: got %+v", v.Checks)
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
