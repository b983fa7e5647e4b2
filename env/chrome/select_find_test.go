package chrome

import (
	"errors"
	"strings"
	"testing"

	"fara/env"
)

func TestAnOptionIsFoundByItsName(t *testing.T) {
	var l list
	for i, label := range []string{"Germany", "Ghana", "Greece", "Guinea", "Guinea-Bissau", "United States", "united kingdom", "US", "Utopia", "Two  words"} {
		l.Options = append(l.Options, option{At: i, Label: strings.Join(strings.Fields(label), " "), Value: "v" + label[:2] + label[len(label)-1:], Disabled: label == "Utopia"})
	}
	f := field{Name: "Country"}
	for name, want := range map[string]string{
		"Germany": "Germany", "germany": "Germany", "Guinea": "Guinea", "guinea-b": "Guinea-Bissau", "vGha": "Ghana", "Unit": "", "kingdom": "united kingdom", "US": "US", "us": "US",
		"ger": "Germany", "G": "", "reec": "Greece", " two words ": "Two words", "Utopia": "", "Germny": "", "Nowhere": "",
	} {
		got, err := l.find(f, name)
		var action *env.ActionError
		switch {
		case want != "" && (err != nil || got.Label != want):
			t.Errorf("%q: got %q, %v, want %q", name, got.Label, err, want)
		case want == "" && (!errors.As(err, &action) || action.Code != env.NoEffect):
			t.Errorf("%q: got %q, %v, want it refused", name, got.Label, err)
		}
	}
	for name, want := range map[string]string{"Germny": `"Germany"`, "Guine": `"Guinea" or "Guinea-Bissau"`, "Utopia": "cannot be chosen", "Nowhere": `"Ghana"`} {
		if _, err := l.find(f, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s named", name, err, want)
		}
	}
}
