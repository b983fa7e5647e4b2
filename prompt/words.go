package prompt

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Limits of texts in a turn, in characters.
const (
	urlLimit    = 100
	quoteLimit  = 300
	errorLimit  = 500
	answerLimit = 1000
	// A bad reply is shown to the model again, for which its ends are enough.
	badReplyLimit = 2000
	pageLimit     = 20_000
)

// defuse breaks what chat templates and servers take for their own marks, in
// texts that come from pages: a page must not end a turn or insert a picture.
var defuse = strings.NewReplacer("<|", "< |", "|>", "| >", "[img-", "[img -", "<tool_call", "< tool_call", "</tool_call", "< /tool_call")

// trimURL leaves out the query, which is long and may hold private data, and
// cuts what is still longer than the models were trained to see.
func trimURL(url string) string {
	url, _, _ = strings.Cut(defuse.Replace(url), "?")
	if r := []rune(url); len(r) > urlLimit {
		return string(r[:urlLimit]) + " ..."
	}
	return url
}

// oneLine folds white space, so that foreign text cannot look like lines of
// ours, breaks foreign marks, and cuts at a limit of characters.
func oneLine(text string, limit int) string {
	text = defuse.Replace(strings.Join(strings.Fields(text), " "))
	if r := []rune(text); len(r) > limit {
		return string(r[:limit]) + " ..."
	}
	return text
}

// quoted is a page's text for a place between quotation marks, which it cannot
// close.
func quoted(text string, limit int) string {
	return strings.ReplaceAll(oneLine(text, limit), `"`, "'")
}

// fence puts a text that comes from a page between two marks of its own. They are
// made of its hash, so that nobody can write a text that holds them.
func fence(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("<page-%x>\n%s\n</page-%[1]x>", sum[:8], text)
}

// fenceTokens are more than the marks of a fence take.
const fenceTokens = 60

// middleCut keeps the head and the tail of a text that is too long and says how
// many characters it left out.
func middleCut(text string, limit int) string {
	r := []rune(text)
	if len(r) <= limit {
		return text
	}
	half := limit / 2
	return fmt.Sprintf("%s\n... [%d characters left out] ...\n%s", string(r[:half]), len(r)-2*half, string(r[len(r)-half:]))
}

// blobLimit is the longest run of characters as base64 has them that a text may
// hold: words are shorter, and a picture written as text would cost more than
// all the rest.
const blobLimit = 1000

// withoutBlobs leaves out longer runs and says how long they were.
func withoutBlobs(text string) string {
	if len(text) <= blobLimit {
		return text
	}
	var b strings.Builder
	run := 0
	flush := func(end int) {
		if run > blobLimit {
			fmt.Fprintf(&b, "[%d characters left out]", run)
		} else {
			b.WriteString(text[end-run : end])
		}
		run = 0
	}
	for i := range len(text) {
		if isBlob(text[i]) {
			run++
			continue
		}
		flush(i)
		b.WriteByte(text[i])
	}
	flush(len(text))
	return b.String()
}

func isBlob(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("+/=-_", c) >= 0
}

// sentence ends a line of ours with a full stop.
func sentence(text string) string {
	text = oneLine(text, errorLimit)
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
