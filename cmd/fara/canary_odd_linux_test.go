package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOddSecretsAreTypedExactlyAndStayHidden(t *testing.T) {
	needBrowser(t)
	for name, value := range map[string]string{
		"markup":        `<b>"x"&amp;'y'</b>`,
		"percent":       `50%25+%2B=?#&;`,
		"unicode":       "пароль-日本🔑é",
		"four":          "z!9Q",
		"spaces":        "two  white   spaces",
		"long":          strings.Repeat("Very-long_9", 60),
		"like a mark":   "</secret><secret>",
		"like a script": "');alert(1)//${x}`",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CANARY_PW", value)
			c := newCanary(t, value)
			endpoint := c.model(t,
				typing("<secret>PW</secret>", "270"),
				clicking("200", "710"), // shows the password
				clicking("700", "710"), // logs in
				tool("Done.", `{"action": "terminate", "answer": "in"}`),
			)
			out := t.TempDir()
			p := start(t, nil, "run", "Log in.", "--url", c.bank, "--endpoint", endpoint, "--approve", "never", "--secret", "PW=env:CANARY_PW@"+c.host, "--json", "--out", out)
			if code := p.Ends(t, 2*time.Minute); code != exitSuccess {
				t.Fatalf("exit code %d: %s%s", code, p.Printed.String(), p.Complained.String())
			}
			if c.landed != 1 {
				t.Errorf("the value was not typed exactly")
			}
			c.nowhere(t, "what was said", []byte(p.Printed.String()+p.Complained.String()))
			c.nowhere(t, "what others were told", c.told.Bytes())
			dirs, _ := filepath.Glob(filepath.Join(out, "*"))
			if len(dirs) != 1 || c.searchRun(t, dirs[0]) < 3 {
				t.Errorf("got runs %v, want one with frames of the bank", dirs)
			}
		})
	}
}
