package judge

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// operators are the words that say what a text is held to, longest first.
var operators = []string{"is not", "is", "does not contain", "not contains", "contains", "does not match", "not matches", "matches"}

// operator takes one of the words. contains and matches stand for their negations
// too, which not tells.
func (p *parser) operator(expected string) (op string, not negation, err error) {
	for _, o := range operators {
		if !p.take(o) {
			continue
		}
		switch o {
		case "is not", "is":
			op = "is"
		case "does not contain", "not contains", "contains":
			op = "contains"
		default:
			op = "matches"
		}
		return op, negation(strings.Contains(o, "not")), nil
	}
	if p.rest == "" {
		return "", false, fmt.Errorf("it is not said what is expected; here comes %s", expected)
	}
	return "", false, fmt.Errorf("here comes %s, and not %q", expected, firstWord(p.rest))
}

const textWords = "is, is not, contains, does not contain, matches, does not match, number or any number"

// ofText reads what is said of a text. plain is how texts are compared as a whole.
func (p *parser) ofText(s subject, of part, plain func(string) string) (check, error) {
	switch {
	case p.take("any number"):
		return p.numeric(s, of, true)
	case p.take("number"):
		return p.numeric(s, of, false)
	case p.begins("<", "<=", ">", ">="):
		return nil, fmt.Errorf("write number before %s", firstWord(p.rest))
	}
	op, not, err := p.operator(textWords)
	if err != nil {
		return nil, err
	}
	switch op {
	case "is":
		if p.take("empty") {
			return words{s, of, func(text string) bool { return fold(text) == "" }, not}, p.end()
		}
		want, err := p.value()
		want = plain(want)
		return words{s, of, func(text string) bool { return plain(text) == want }, not}, err
	case "contains":
		want, err := p.some()
		want = fold(want)
		return words{s, of, func(text string) bool { return strings.Contains(fold(text), want) }, not}, err
	}
	pattern, err := p.pattern()
	if err != nil {
		return nil, err
	}
	return words{s, of, pattern.MatchString, not}, nil
}

// ofAddress reads what is said of an address.
func (p *parser) ofAddress(s subject) (check, error) {
	op, not, err := p.operator("is, is not, contains, does not contain, matches or does not match")
	if err != nil {
		return nil, err
	}
	switch op {
	case "is":
		value, err := p.some()
		if err != nil {
			return nil, err
		}
		want, err := parseAddress(value)
		if err != nil {
			return nil, fmt.Errorf("%q is no address: %w", value, err)
		}
		return words{s, ofText, want.matches, not}, nil
	case "contains":
		want, err := p.some()
		return words{s, ofText, func(text string) bool {
			return strings.Contains(text, want) || strings.Contains(unescaped(text), want)
		}, not}, err
	}
	pattern, err := p.pattern()
	if err != nil {
		return nil, err
	}
	return words{s, ofText, pattern.MatchString, not}, nil
}

// value takes the rest of the line, or what stands in quotes.
func (p *parser) value() (string, error) {
	text, rest, ok, err := unquote(p.rest)
	switch {
	case err != nil:
		return "", err
	case !ok && p.rest == "":
		return "", errors.New(`the value is missing here; an empty text is written as: is empty`)
	case !ok:
		text, p.rest = p.rest, ""
		return text, nil
	}
	if p.rest = strings.TrimSpace(rest); p.rest != "" {
		return "", fmt.Errorf("the value ends at its quote, and here follows %q; put all of it in '...' or \"...\", with \\\" for a quote", p.rest)
	}
	return text, nil
}

// some takes a value that is not empty.
func (p *parser) some() (string, error) {
	text, err := p.value()
	if err == nil && fold(text) == "" {
		err = errors.New("the value is empty, and everything contains that; write what is expected")
	}
	return text, err
}

// patternForm has a pattern between slashes, in which \/ is a slash.
var patternForm = regexp.MustCompile(`(?s)^/((?:[^/\\]|\\.)*)/([a-zA-Z]*)$`)

func (p *parser) pattern() (*regexp.Regexp, error) {
	m := patternForm.FindStringSubmatch(p.rest)
	if m == nil {
		return nil, fmt.Errorf(`matches takes a pattern between slashes, such as /^\d+ km$/i, with \/ for a slash in it, and here is %q`, p.rest)
	}
	if strings.Trim(m[2], "ims") != "" {
		return nil, fmt.Errorf("behind a pattern may stand i, m and s, and not %q", m[2])
	}
	if m[1] == "" {
		return nil, errors.New("the pattern is empty, and everything matches that")
	}
	text := strings.ReplaceAll(m[1], `\/`, `/`)
	if m[2] != "" {
		text = "(?" + m[2] + ")" + text
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		var e interface{ Error() string } = err
		return nil, fmt.Errorf("/%s/ is no pattern of Go: %s", m[1], strings.TrimPrefix(e.Error(), "error parsing regexp: "))
	}
	p.rest = ""
	return pattern, nil
}

// quantityForm has a plain number, perhaps a unit, perhaps how much room there is.
var quantityForm = regexp.MustCompile(`^([-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\s\d.,'][^\s]*)?(?:\s+within\s+(\d+(?:\.\d+)?|\.\d+)\s*(%)?)?$`)

// quantity reads how a number compares, with its unit.
func (p *parser) quantity() (comparison, string, error) {
	var c comparison
	for _, op := range []string{"is not", "is", "<=", "<", ">=", ">"} {
		if p.take(op) {
			c.op = op
			break
		}
	}
	if c.op == "" {
		return c, "", fmt.Errorf("here comes is, is not, <, <=, > or >= with spaces around it, and not %q", p.rest)
	}
	text := p.rest
	if quoted, rest, ok, err := unquote(text); err != nil {
		return c, "", err
	} else if ok {
		text = quoted + rest
	}
	text = strings.ReplaceAll(text, "within", " within")
	m := quantityForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || m[2] == "within" {
		return c, "", fmt.Errorf("a number is written plainly, such as 1234.5, with a unit behind if it matters, as 12.50 € or 5 %%, and `within 0.5` or `within 5%%` for room; here is %q", p.rest)
	}
	var err error
	if c.want, err = strconv.ParseFloat(m[1], 64); err != nil {
		return c, "", fmt.Errorf("%q is no number that can be held", m[1])
	}
	if m[3] != "" {
		if c.op != "is" && c.op != "is not" {
			return c, "", fmt.Errorf("within goes with is or is not, and not with %s", c.op)
		}
		c.room, _ = strconv.ParseFloat(m[3], 64) // the form has checked it
		if m[4] != "" {
			c.room *= max(c.want, -c.want) / 100
		}
	}
	p.rest = ""
	return c, m[2], nil
}

// amount reads what is said of how many, how large or which status.
func (p *parser) amount(s subject, of part) (check, error) {
	c, unit, err := p.quantity()
	if err == nil && unit != "" {
		err = fmt.Errorf("%s has no unit, and here is %q", of, unit)
	}
	return amount{s, of, c}, err
}

// numeric reads what is said of a number in a text.
func (p *parser) numeric(s subject, of part, anyOf bool) (check, error) {
	c, unit, err := p.quantity()
	return numeric{s, of, anyOf, unit, c}, err
}
