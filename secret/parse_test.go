package secret_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fara/secret"
)

func TestParseReadsNameSourceAndSites(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pass@word.txt")
	if err := os.WriteFile(path, []byte("\ufefffrom a file \r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"V": "kX9-vLq2-Trw7\n", "SEED": "gezd gnbv gy3t qojq gezd gnbv gy3t qojq"}
	for text, want := range map[string]string{
		"PW=env:V@a.test":                   "PW=env:V@a.test",
		" PW =env:V@a.test,b.test":          "PW=env:V@a.test,b.test",
		"api.key-2=env:V@a.test":            "api.key-2=env:V@a.test",
		"PW=file:" + path + "@a.test":       "PW=file:" + path + "@a.test",
		"OTP=totp:env:SEED@a.test":          "OTP=totp:env:SEED@a.test",
		"OTP=totp:file:" + path + "@a.test": "",
	} {
		s, err := reader(vars).Parse(text)
		if want == "" {
			if err == nil {
				t.Errorf("%s: got %v, want an error", text, s)
			}
			continue
		}
		if err != nil || s.String() != want || fmt.Sprintf("%v %+v %#v", s, s, s) != want+" "+want+" "+want {
			t.Errorf("%s: got %v, %v, want %s and nothing more however it is printed", text, s, err, want)
		}
	}
	s, err := reader(nil).Parse("PW=file:" + path + "@a.test")
	if err != nil {
		t.Fatal(err)
	}
	st, err := secret.New(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := st.Clean("[from a file ]"); got != "["+pw+"]" {
		t.Errorf("what a file holds: got %q, want it without the mark before and the line's end", got)
	}
}

func TestARelativeFileIsKeptByItsWholePath(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("pw", []byte("kX9-vLq2-Trw7"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := reader(nil).Parse("PW=file:pw@a.test")
	whole, absErr := filepath.Abs("pw")
	if err != nil || absErr != nil || s.From != "file:"+whole {
		t.Errorf("got %q, %v, want file:%s", s.From, err, whole)
	}
}

func TestParseRefusesWhatCannotBeASecretInOneLineWithoutTheValue(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	vars := map[string]string{
		"V": "kX9-vLq2-Trw7", "EMPTY": "", "BLANK": "  \n", "SHORT": "abc", "SPACED": " a b c ", "LINES": "one\ntwo-three", "TAB": "one\ttwo", "NUL": "one\x00two",
		"LATIN": "caf\xe9-cr\xe8me", "SITE": "a.test", "NAME": "passw", "LONG": strings.Repeat("x", 9000), "WORDS": "hunter2 is no seed!", "STUB": "GEZDGNBV",
		"HOTP": "otpauth://hotp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBV&counter=1", "ODD": "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBV&period=0",
	}
	for text, want := range map[string]string{
		"":                       "begins with its name",
		"kX9-vLq2-Trw7":          "begins with its name",
		"=env:V@a.test":          "begins with its name",
		"a b=env:V@a.test":       "begins with its name",
		"<x>=env:V@a.test":       "begins with its name",
		"PW":                     "begins with its name",
		"PW=":                    "where its value comes from",
		"PW=kX9-vLq2-Trw7":       "where its value comes from",
		"PW=kX9@vLq2-Trw7":       "where its value comes from",
		"PW=env:":                "where its value comes from",
		"PW=env:@a.test":         "where its value comes from",
		"PW=totp:V@a.test":       "where its value comes from",
		"PW=plain:V@a.test":      "where its value comes from",
		"PW=env:NOPE@a.test":     "empty or not set",
		"PW=env:$V@a.test":       "empty or not set",
		"PW=env:EMPTY@a.test":    "empty or not set",
		"PW=env:BLANK@a.test":    "is empty",
		"PW=env:SHORT@a.test":    "fewer than 4",
		"PW=env:SPACED@a.test":   "fewer than 4",
		"PW=env:LINES@a.test":    "several lines",
		"PW=env:TAB@a.test":      "several lines or a tab",
		"PW=env:NUL@a.test":      "cannot be typed",
		"PW=env:LATIN@a.test":    "UTF-8",
		"PW=env:LONG@a.test":     "longer than",
		"PW=env:SITE@a.test":     "name of its site",
		"passwd=env:NAME@a.test": "its name holds its value",
		"PW=env:V":               "no site",
		"PW=env:V@":              "no site",
		"PW=env:V@a.test,":       "is no site",
		"PW=env:V@a b":           "is no site",
		"PW=file:@a.test":        "where its value comes from",
		"PW=file:" + filepath.Join(dir, "kX9-none") + "@a.test": "cannot be opened",
		"PW=file:" + dir + "@a.test":                            "cannot be read",
		"PW=file:" + write("empty", "") + "@a.test":             "is empty",
		"PW=file:" + write("lines", "one1\ntwo2\n") + "@a.test": "several lines",
		"OTP=totp:env:WORDS@a.test":                             "no seed",
		"OTP=totp:env:STUB@a.test":                              "no seed",
		"OTP=totp:env:HOTP@a.test":                              "no seed",
		"OTP=totp:env:ODD@a.test":                               "no seed",
		"OTP=totp:env:NOPE@a.test":                              "empty or not set",
	} {
		s, err := reader(vars).Parse(text)
		if err == nil {
			t.Errorf("%q: got %v, want an error with %q", text, s, want)
			continue
		}
		if got := err.Error(); !strings.Contains(got, want) || strings.ContainsAny(got, "\n\r") {
			t.Errorf("%q: got %q, want one line with %q", text, got, want)
		}
		for _, part := range []string{"kX9", "Trw7", "abc", "one", "hunter", "GEZD", "caf"} {
			if strings.Contains(strings.NewReplacer("one-time", "", "one of", "", "one line", "", "choose another one", "", "a longer one", "", "one ", "").Replace(err.Error()), part) {
				t.Errorf("%q: the error repeats %q: %q", text, part, err)
			}
		}
	}
}

func TestNamesDifferAndHoldNoOtherValue(t *testing.T) {
	parse := func(text string) secret.Secret {
		s, err := reader(map[string]string{"A": "admin", "B": "kX9-vLq2-Trw7"}).Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if _, err := secret.New(parse("PW=env:A@a.test"), parse("PW=env:B@a.test")); err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("the same name: got %v", err)
	}
	if _, err := secret.New(parse("USER=env:A@a.test"), parse("ADMIN_PW=env:B@a.test")); err == nil || strings.Contains(strings.ToLower(err.Error()), "admin") {
		t.Errorf("a name that holds a value: got %v, want an error that does not repeat it", err)
	}
	if st, err := secret.New(); st != nil || err != nil || st.Clean("x kX9-vLq2-Trw7") != "x kX9-vLq2-Trw7" || st.Values() != nil {
		t.Errorf("no secrets: got %v, %v, want nil, which cleans nothing", st, err)
	}
}
