package judge

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// parser reads one assertion from its front to its end.
type parser struct {
	rest  string
	wants Wants
}

const subjects = "an assertion begins with url, title, text, answer, element, cookie, download or request, or with not"

// assertion reads the whole line.
func (p *parser) assertion() (check, error) {
	if p.take("not") || p.take("not:") {
		c, err := p.assertion()
		if err != nil {
			return nil, err
		}
		return negated{c}, nil
	}
	word := p.word()
	switch strings.ToLower(strings.TrimSuffix(word, ":")) {
	case "url":
		return p.ofAddress(urlSubject{})
	case "title":
		return p.ofText(titleSubject{}, ofText, fold)
	case "text":
		return p.ofText(textSubject{}, ofText, fold)
	case "answer":
		return p.ofText(answerSubject{}, ofText, func(s string) string { return fold(bare(s)) })
	case "element":
		return p.element()
	case "cookie":
		return p.cookie()
	case "download":
		return p.download()
	case "request":
		return p.request()
	case "":
		return nil, errors.New("the assertion is missing here; " + subjects)
	case "any", "all", "none":
		return nil, fmt.Errorf("write %s of alone on its line, and what belongs to it below, indented", word)
	}
	return nil, fmt.Errorf("no assertion begins with %q; %s", word, subjects)
}

// element reads a selector, its value or not, and what is said of it.
func (p *parser) element() (check, error) {
	selector, err := p.token("a CSS selector, such as #total or \"ul li\"")
	if err != nil {
		return nil, err
	}
	if err := checkSelector(selector); err != nil {
		return nil, err
	}
	p.wants.Selectors = append(p.wants.Selectors, selector)
	s := elementSubject{selector}
	switch {
	case p.take("value"):
		return p.ofText(s, ofValue, fold)
	case p.take("text"):
		return p.ofText(s, ofText, fold)
	}
	if c, ok, err := p.existence(s); ok || err != nil {
		return c, err
	}
	if c, ok, err := p.standing(s); ok || err != nil {
		return c, err
	}
	at := p.rest
	if p.begins("is") {
		return nil, fmt.Errorf("an element is visible, hidden, enabled, disabled, checked or unchecked, and here stands %q; what it shows is its text, as in: element %s text %s", at, selector, at)
	}
	if !p.begins(operators...) && !p.begins("number", "any") {
		return nil, fmt.Errorf("%q does not go on with %q; put a selector with spaces in quotes, then: %s", "element "+selector, firstWord(at), elementWords)
	}
	return p.ofText(s, ofText, fold)
}

const elementWords = "is visible, is hidden, is enabled, is disabled, is checked, is unchecked, exists, count >= N, or text or value with is, contains or matches"

func (p *parser) cookie() (check, error) {
	name, err := p.token("a cookie's name")
	if err != nil {
		return nil, err
	}
	p.wants.Cookies = append(p.wants.Cookies, name)
	s := cookieSubject{name}
	if c, ok, err := p.existence(s); ok || err != nil {
		return c, err
	}
	return p.ofText(s, ofText, fold)
}

func (p *parser) download() (check, error) {
	name, err := p.token("a file's name, such as report.pdf or *.csv")
	if err != nil {
		return nil, err
	}
	s := downloadSubject{name, glob(fold(name))}
	switch {
	case p.take("sha256"):
		return p.hash(s)
	case p.take("size"):
		return p.amount(s, ofSize)
	}
	if c, ok, err := p.existence(s); ok || err != nil {
		return c, err
	}
	return nil, fmt.Errorf("after a download comes exists, count, size or sha256, and here is %q; put a name with spaces in quotes", p.rest)
}

// hash reads the SHA-256 that a download has to have.
func (p *parser) hash(s subject) (check, error) {
	op, not, err := p.operator("is")
	if err != nil {
		return nil, err
	}
	value, err := p.value()
	if err != nil {
		return nil, err
	}
	want := strings.ToLower(value)
	if op != "is" || len(want) != 64 || strings.Trim(want, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("sha256 is takes the 64 hex digits of a hash, and here is %q", value)
	}
	return words{s, ofSHA256, func(text string) bool { return strings.EqualFold(text, want) }, not}, nil
}

func (p *parser) request() (check, error) {
	method, err := p.token("a method, such as POST, or * for any")
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(method, "/:.") {
		return nil, fmt.Errorf("a request has its method before its address, as in: request POST %s; * is any method", method)
	}
	where, err := p.token("an address, such as https://shop.test/order, or /order for any site")
	if err != nil {
		return nil, err
	}
	address, err := parseAddress(where)
	if err != nil {
		return nil, fmt.Errorf("%q is no address: %w", where, err)
	}
	s := requestSubject{strings.ToUpper(method), address}
	if p.take("status") {
		return p.amount(s, ofStatus)
	}
	if c, ok, err := p.existence(s); ok || err != nil {
		return c, err
	}
	return nil, fmt.Errorf("after a request comes exists, count or status, and here is %q; an address has no spaces", p.rest)
}

// existence reads exists, does not exist, count, or nothing more.
func (p *parser) existence(s subject) (check, bool, error) {
	there := amount{s, ofCount, comparison{op: ">=", want: 1}}
	switch {
	case p.rest == "":
		return there, true, nil
	case p.take("exists"):
		return there, true, p.end()
	case p.take("does not exist"):
		return negated{there}, true, p.end()
	case p.take("count"):
		c, err := p.amount(s, ofCount)
		return c, true, err
	}
	return nil, false, nil
}

// standing reads how an element stands.
func (p *parser) standing(s subject) (check, bool, error) {
	before := p.rest
	if !p.take("is") {
		return nil, false, nil
	}
	not := negation(p.take("not"))
	visible := func(i item) bool { return i.Visible }
	for _, one := range []state{
		{subject: s, name: "visible", is: visible, not: not, absent: truthOf(bool(not))},
		{subject: s, name: "hidden", is: visible, not: !not, absent: truthOf(!bool(not))},
		{subject: s, name: "enabled", is: func(i item) bool { return i.Enabled }, not: not, absent: fails},
		{subject: s, name: "disabled", is: func(i item) bool { return !i.Enabled }, not: not, absent: fails},
		{subject: s, name: "checked", is: func(i item) bool { return i.Checked }, not: not, absent: fails},
		{subject: s, name: "unchecked", is: func(i item) bool { return !i.Checked }, not: not, absent: fails},
	} {
		if p.take(one.name) {
			return one, true, p.end()
		}
	}
	p.rest = before
	return nil, false, nil
}

// take goes behind words when the rest of the line begins with them, in any case.
func (p *parser) take(phrase string) bool {
	rest := p.rest
	for _, w := range strings.Fields(phrase) {
		word := firstWord(rest)
		if !strings.EqualFold(word, w) {
			return false
		}
		rest = strings.TrimLeftFunc(rest[len(word):], unicode.IsSpace)
	}
	p.rest = rest
	return true
}

func (p *parser) begins(phrases ...string) bool {
	for _, phrase := range phrases {
		if (&parser{rest: p.rest}).take(phrase) {
			return true
		}
	}
	return false
}

func firstWord(text string) string {
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return text[:i]
	}
	return text
}

// word takes the next word.
func (p *parser) word() string {
	word := firstWord(p.rest)
	p.rest = strings.TrimLeftFunc(p.rest[len(word):], unicode.IsSpace)
	return word
}

// token takes the next word, or what stands in quotes.
func (p *parser) token(what string) (string, error) {
	if p.rest == "" {
		return "", fmt.Errorf("%s is missing here", what)
	}
	if text, rest, ok, err := unquote(p.rest); ok || err != nil {
		p.rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if err == nil && rest != "" && rest == p.rest {
			err = fmt.Errorf("a space is missing between %q and %q", text, rest)
		}
		if err == nil && text == "" {
			err = fmt.Errorf("%s is missing here; the quotes are empty", what)
		}
		return text, err
	}
	return p.word(), nil
}

// end makes sure that nothing follows.
func (p *parser) end() error {
	if p.rest != "" {
		return fmt.Errorf("the assertion ends before %q; take that away", p.rest)
	}
	return nil
}
