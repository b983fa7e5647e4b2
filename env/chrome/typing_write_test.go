package chrome

import (
	"fmt"
	"strings"
	"testing"
)

func TestTextIsCutIntoKeysAndTheRest(t *testing.T) {
	shape := func(text string) string {
		var out []string
		for _, p := range pieces(text) {
			if p.keyed {
				out = append(out, p.text)
			} else {
				out = append(out, fmt.Sprintf("%q", p.text))
			}
		}
		return strings.Join(out, " ")
	}
	for text, want := range map[string]string{
		"aé\tb": `a "é" "\t" b`, "1️⃣x": `1 "️⃣" x`, "東京\n": `"東京" "\n"`, "": "",
	} {
		if got := shape(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	long := strings.Repeat("word ", 100)
	all := pieces(long)
	if n := len(all); n != 2*keyedEnds+1 || !all[0].keyed || !all[n-1].keyed || len(all[keyedEnds].text) != 500-2*keyedEnds {
		t.Errorf("500 characters: got %d pieces, want %d keys at either end and one between", n, keyedEnds)
	}
}
