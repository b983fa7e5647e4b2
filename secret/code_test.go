package secret_test

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fara/env"
	"fara/env/envtest"
	"fara/secret"
)

// The seeds of RFC 6238, appendix B.
var (
	seed20 = base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	seed32 = base32.StdEncoding.EncodeToString([]byte("12345678901234567890123456789012"))
	seed64 = base32.StdEncoding.EncodeToString([]byte(strings.Repeat("1234567890", 6) + "1234"))
)

// typist is a page with one field, which remembers what was typed.
type typist struct {
	*page
	typed []string
}

func (p *typist) Perform(_ context.Context, act env.Action) (env.Outcome, error) {
	p.typed = append(p.typed, act.Text)
	return env.Outcome{Text: fmt.Sprintf("typed %d characters: %s", len(act.Text), act.Text)}, nil
}

func TestCodesAreThoseOfTheStandard(t *testing.T) {
	for _, c := range []struct {
		at         int64
		algo, want string
	}{
		{1111111109, "SHA256", "68084774"}, {1111111109, "SHA512", "25091201"},
		{1111111109, "SHA1", "07081804"}, {1111111111, "SHA1", "14050471"}, {1234567890, "SHA256", "91819424"},
		{2000000000, "SHA512", "38618901"},
	} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Unix(c.at, 0).Truncate(30 * time.Second)))
			seed := map[string]string{"SHA1": seed20, "SHA256": seed32, "SHA512": seed64}[c.algo]
			st := store(t, map[string]string{"V": "otpauth://totp/x?digits=8&algorithm=" + c.algo + "&secret=" + seed}, "OTP=totp:env:V@a.test")
			p := &typist{page: on("https://a.test/")}
			g := &secret.Guard{Environment: p, Store: st}
			act(t, g, env.Action{Kind: env.Type, Text: "<secret>OTP</secret>"})
			if len(p.typed) != 1 || p.typed[0] != c.want {
				t.Errorf("%s at %d: typed %q, want %q", c.algo, c.at, p.typed, c.want)
			}
		})
	}
}

func TestACodeIsTypedOnceAndNotShortlyBeforeItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock begins at a full minute
		st := store(t, map[string]string{"V": seed20}, "OTP=totp:env:V@a.test")
		p := &typist{page: on("https://a.test/")}
		g := &secret.Guard{Environment: p, Store: st}
		type3 := func() time.Duration {
			began := time.Now()
			act(t, g, env.Action{Kind: env.Type, Text: "<secret>OTP</secret>"})
			return time.Since(began)
		}
		if took := type3(); took != 0 {
			t.Errorf("the first code: waited %v", took)
		}
		time.Sleep(5 * time.Second)
		if took := type3(); took < 24*time.Second || took > 26*time.Second || p.typed[0] == p.typed[1] {
			t.Errorf("the second code: waited %v for %q after %q, want the rest of 30 s for another one", took, p.typed[1], p.typed[0])
		}
		time.Sleep(58 * time.Second) // 2 s before the end of another
		if took := type3(); took < time.Second || took > 3*time.Second {
			t.Errorf("a code that is about to end: waited %v", took)
		}
		for _, typed := range p.typed {
			if got := st.Clean("code " + typed + "."); got != "code <secret>OTP</secret>." {
				t.Errorf("a code that was typed: got %q", got)
			}
			if !strings.Contains(strings.Join(st.Values(), " "), typed) {
				t.Errorf("%s is not among the values that frames must not show", typed)
			}
		}
		if got := st.Clean("seed " + strings.ToLower(seed20)); strings.Contains(strings.ToUpper(got), seed20[:8]) {
			t.Errorf("the seed: got %q", got)
		}
	})
}

func TestCodesOfAnEarlierSessionAreStillKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		vars := map[string]string{"V": seed20}
		p := &typist{page: on("https://a.test/")}
		time.Sleep(100 * time.Second)
		at := time.Now()
		act(t, &secret.Guard{Environment: p, Store: store(t, vars, "OTP=totp:env:V@a.test")}, env.Action{Kind: env.Type, Text: "<secret>OTP</secret>"})
		time.Sleep(10 * time.Minute)
		later := store(t, vars, "OTP=totp:env:V@a.test")
		if got := later.Clean(p.typed[0]); got != p.typed[0] {
			t.Errorf("before it was told: got %q", got)
		}
		later.Recall("x <secret>OTP</secret> <secret>PW</secret>", at)
		if got := later.Clean(p.typed[0]); got != "<secret>OTP</secret>" {
			t.Errorf("got %q", got)
		}
		began := time.Now()
		act(t, &secret.Guard{Environment: p, Store: later}, env.Action{Kind: env.Type, Text: "<secret>OTP</secret>"})
		if took := time.Since(began); took != 0 {
			t.Errorf("the next code was waited for: %v", took)
		}
	})
}

func TestAWaitForACodeEndsWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store(t, map[string]string{"V": seed20}, "OTP=totp:env:V@a.test")
		g := &secret.Guard{Environment: &typist{page: on("https://a.test/")}, Store: st}
		typing := env.Action{Kind: env.Type, Text: "<secret>OTP</secret>"}
		act(t, g, typing)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errOver)
		defer cancel()
		if _, err := g.Perform(ctx, typing); !errors.Is(err, errOver) {
			t.Errorf("got %v, want %v", err, errOver)
		}
	})
}

var errOver = errors.New("over")

var _ secret.Environment = (*envtest.Env)(nil)
