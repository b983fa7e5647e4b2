package judge_test

import (
	"errors"
	"strings"
	"testing"

	"fara/judge"
	"fara/userfile"
)

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
