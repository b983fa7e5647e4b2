package policy_test

import (
	"slices"
	"testing"

	"fara/policy"
)

func TestQuestionsOfPagesCountByTheirWords(t *testing.T) {
	for text, class := range map[string]policy.Class{
		"Delete your account for ever?":           policy.Delete,
		"Möchten Sie das Konto wirklich löschen?": policy.Delete,
		"Voulez-vous vraiment supprimer ?":        policy.Delete,
		"Pay 40 € now?":                           policy.Pay,
		"Send this message to 200 people?":        policy.Send,
		"Leave this page?":                        "",
		"Changes you made may not be saved.":      "",
		"Are you older than 18?":                  "",
		"Allow cookies?":                          "",
	} {
		d := policy.Policy{}.Question(text, "https://shop.test/")
		want := policy.Ask
		if class == "" {
			want = policy.Allow
		}
		if d.Do != want || class != "" && !slices.Contains(d.Classes, class) {
			t.Errorf("%q: got %+v, want %s %s", text, d, want, class)
		}
	}
	never := policy.Policy{Approve: policy.Never}
	if d := never.Question("Delete it?", "https://shop.test/"); d.Do != policy.Allow {
		t.Errorf("with nobody asked: got %+v", d)
	}
	denied := policy.Policy{Approve: policy.Never, Rules: []policy.Rule{{Classes: []policy.Class{policy.Delete}, Do: policy.Deny}}}
	if d := denied.Question("Delete it?", "https://shop.test/"); d.Do != policy.Deny {
		t.Errorf("with a rule: got %+v", d)
	}
}
