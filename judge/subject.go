package judge

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fara/env"
)

// subject is what an assertion is about.
type subject interface {
	find(f facts) findings
	about() string
}

// findings are what facts have of a subject.
type findings struct {
	// missing says why nothing is known; empty when it is known.
	missing string
	items   []item
	// count is how many there are, of which items are the first. More: there may be
	// others that are not known of.
	count int
	more  bool
}

// item is one of them. A text alone is its Text.
type item struct {
	env.State
	sha256 string
	size   int64
	status int
	// label shows it to people; empty is its Text.
	label string
}

func one(text string) findings {
	return findings{items: []item{{State: env.State{Text: text}}}, count: 1}
}

func none(missing string) findings { return findings{missing: missing} }

// unknown is why something is not known: there is no evidence, or it failed.
func unknown(f facts, what string) findings {
	why := what + " is not recorded in this run"
	if f.evidence != nil && f.evidence.Missing != "" {
		why = f.evidence.Missing
	}
	return none(why)
}

type answerSubject struct{}

func (answerSubject) about() string         { return "the answer" }
func (answerSubject) find(f facts) findings { return one(f.answer) }

type urlSubject struct{}

func (urlSubject) about() string { return "the page's address" }
func (urlSubject) find(f facts) findings {
	if f.evidence == nil || f.evidence.URL == "" {
		return unknown(f, "the page's address")
	}
	return one(f.evidence.URL)
}

type titleSubject struct{}

func (titleSubject) about() string { return "the page's title" }
func (titleSubject) find(f facts) findings {
	if f.evidence == nil || f.evidence.URL == "" {
		return unknown(f, "the page's title")
	}
	return one(f.evidence.Title)
}

type textSubject struct{}

func (textSubject) about() string { return "the page's text" }
func (textSubject) find(f facts) findings {
	if f.evidence == nil || !f.evidence.KnowsText {
		return unknown(f, "the page's text")
	}
	found := one(f.evidence.Text)
	found.items[0].label = fmt.Sprintf("%d characters", len([]rune(f.evidence.Text)))
	found.more = f.evidence.cutText()
	return found
}

type elementSubject struct{ selector string }

func (s elementSubject) about() string { return "element " + s.selector }
func (s elementSubject) find(f facts) findings {
	if f.evidence == nil {
		return unknown(f, s.about())
	}
	i := slices.IndexFunc(f.evidence.Elements, func(m env.Matches) bool { return m.Selector == s.selector })
	if i < 0 {
		return unknown(f, s.about())
	}
	m := f.evidence.Elements[i]
	if m.Problem != "" {
		return none("the browser does not understand the selector: " + oneLine(m.Problem, 200))
	}
	found := findings{count: m.Count}
	for _, state := range m.Found {
		found.items = append(found.items, item{State: state})
	}
	return found
}

type cookieSubject struct{ name string }

func (s cookieSubject) about() string { return "cookie " + s.name }
func (s cookieSubject) find(f facts) findings {
	if f.evidence == nil || !slices.Contains(f.evidence.KnowsCookies, s.name) {
		return unknown(f, s.about())
	}
	var found findings
	for _, c := range f.evidence.Cookies {
		if c.Name == s.name {
			found.items = append(found.items, item{State: env.State{Text: c.Value}, label: "a cookie of " + c.Domain})
		}
	}
	found.count = len(found.items)
	return found
}

type downloadSubject struct {
	name    string
	pattern *regexp.Regexp // of the folded name
}

func (s downloadSubject) about() string { return "download " + s.name }
func (s downloadSubject) find(f facts) findings {
	if f.evidence == nil || !f.evidence.KnowsDownloads {
		return unknown(f, s.about())
	}
	var found findings
	for _, d := range f.evidence.Downloads {
		if s.pattern.MatchString(fold(d.Name)) {
			label := fmt.Sprintf("%s, %d bytes, sha256 %s", d.Name, d.Size, d.SHA256)
			found.items = append(found.items, item{State: env.State{Text: d.Name}, sha256: d.SHA256, size: d.Size, label: label})
		}
	}
	found.count = len(found.items)
	return found
}

type requestSubject struct {
	method  string // upper case; "*" is any
	address address
}

func (s requestSubject) about() string { return "request " + s.method + " " + s.address.text }
func (s requestSubject) find(f facts) findings {
	if f.evidence == nil || !f.evidence.KnowsRequests {
		return unknown(f, s.about())
	}
	found := findings{more: len(f.evidence.Requests) >= requestsLimit}
	for _, r := range f.evidence.Requests {
		if (s.method == "*" || strings.EqualFold(s.method, r.Method)) && s.address.matches(r.URL) {
			answer := cmp.Or(fmt.Sprint(r.Status), "0")
			if r.Status == 0 {
				answer = "no reply"
			}
			label := fmt.Sprintf("%s %s (%s)", r.Method, r.URL, answer)
			found.items = append(found.items, item{State: env.State{Text: r.URL}, status: r.Status, label: label})
		}
	}
	found.count = len(found.items)
	return found
}
