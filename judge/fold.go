package judge

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// plainer writes typographic quotes and dashes as keyboards do, and leaves out what
// has no width.
var plainer = strings.NewReplacer(
	"‘", "'", "’", "'", "‚", "'", "‛", "'", "′", "'", "`", "'",
	"“", `"`, "”", `"`, "„", `"`, "‟", `"`, "«", `"`, "»", `"`, "″", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-",
	"\u00ad", "", "\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "",
)

// fold writes a text so that two which read the same are the same: without regard
// to case, to how white space, quotes and dashes are written, and to the form of
// Unicode.
func fold(text string) string {
	text = norm.NFKC.String(text)
	text = cases.Fold().String(plainer.Replace(text))
	return strings.Join(strings.Fields(text), " ")
}

// bare takes off what models put around an answer: quotes, backticks, asterisks, and
// a full stop at its end.
func bare(answer string) string {
	answer = strings.TrimSpace(answer)
	for {
		before := answer
		if n := len(answer); n > 1 && strings.HasSuffix(answer, ".") && !strings.HasSuffix(answer, "..") {
			answer = strings.TrimSpace(answer[:n-1])
		}
		for _, pair := range []string{"**", "__", "`", `"`, "'", "*"} {
			if len(answer) > 2*len(pair) && strings.HasPrefix(answer, pair) && strings.HasSuffix(answer, pair) {
				answer = strings.TrimSpace(answer[len(pair) : len(answer)-len(pair)])
			}
		}
		for _, pair := range []string{"“”", "„“", "„”", "«»", "‘’"} {
			r := []rune(pair)
			if strings.HasPrefix(answer, string(r[0])) && strings.HasSuffix(answer, string(r[1])) {
				answer = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(answer, string(r[0])), string(r[1])))
			}
		}
		if answer == before {
			return answer
		}
	}
}

// oneLine folds white space, takes out what a terminal would obey, and cuts at a
// limit of characters.
func oneLine(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > limit {
		return string(r[:limit]) + " ..."
	}
	return text
}
