package judge

import (
	"errors"
	"fmt"
	"strings"
)

// unquote reads the text in quotes that a line begins with, and gives what follows.
// ok is false when it begins without quotes.
func unquote(line string) (text, rest string, ok bool, err error) {
	if line == "" {
		return "", line, false, nil
	}
	for _, curly := range []string{"“", "”", "„", "‘", "’", "«"} {
		if strings.HasPrefix(line, curly) {
			return "", line, false, fmt.Errorf("%s is no quote here; use \" or '", curly)
		}
	}
	mark := line[0]
	if mark != '"' && mark != '\'' {
		return "", line, false, nil
	}
	var b strings.Builder
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == mark:
			return b.String(), line[i+1:], true, nil
		case c == '\\' && mark == '"' && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\\'):
			i++
			b.WriteByte(line[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false, fmt.Errorf("the quote that begins with %s does not end on this line", cutQuote(line))
}

func cutQuote(line string) string {
	if r := []rune(line); len(r) > 20 {
		return string(r[:20]) + " ..."
	}
	return line
}

// checkSelector finds what no browser takes for a CSS selector: the rest the
// browser says itself.
func checkSelector(selector string) error {
	switch {
	case strings.HasPrefix(selector, "/") || strings.HasPrefix(selector, "(/"):
		return fmt.Errorf("%q is no CSS selector but an XPath; write it as CSS, such as #total or \"ul li\"", selector)
	case strings.Contains(selector, ":contains(") || strings.Contains(selector, ":has-text("):
		return fmt.Errorf("%q is no CSS selector: CSS cannot look at text; use: element SELECTOR text contains WORDS", selector)
	case strings.HasPrefix(selector, "text=") || strings.HasPrefix(selector, "css=") || strings.HasPrefix(selector, "xpath="):
		return fmt.Errorf("%q is no CSS selector: leave the word before = away", selector)
	}
	if err := balanced(selector); err != nil {
		return fmt.Errorf("%q is no CSS selector: %w", selector, err)
	}
	return nil
}

// balanced checks that brackets and quotes are closed.
func balanced(selector string) error {
	closes := map[rune]rune{'(': ')', '[': ']'}
	var open []rune
	var quote rune
	escaped := false
	for _, r := range selector {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case closes[r] != 0:
			open = append(open, closes[r])
		case r == ')' || r == ']':
			if len(open) == 0 || open[len(open)-1] != r {
				return fmt.Errorf("%c closes nothing", r)
			}
			open = open[:len(open)-1]
		case r == '{' || r == '}':
			return fmt.Errorf("%c has no meaning in it", r)
		}
	}
	switch {
	case quote != 0:
		return fmt.Errorf("the quote %c is not closed", quote)
	case len(open) > 0:
		return fmt.Errorf("%c is missing", open[len(open)-1])
	}
	last := strings.TrimSpace(selector)
	if strings.ContainsAny(last[len(last)-1:], ">+~,") || strings.ContainsAny(last[:1], ">+~,") {
		return errors.New("something is missing beside " + strings.Trim(last, "abcdefghijklmnopqrstuvwxyz"))
	}
	return nil
}
