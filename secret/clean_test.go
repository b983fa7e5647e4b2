package secret_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"fara/secret"
)

// keep gives a store of one secret for a.test.
func keep(t testing.TB, value string) *secret.Store {
	t.Helper()
	return store(t, map[string]string{"VALUE": value}, "PW=env:VALUE@a.test")
}

func store(t testing.TB, vars map[string]string, texts ...string) *secret.Store {
	t.Helper()
	var all []secret.Secret
	for _, text := range texts {
		one, err := reader(vars).Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, one)
	}
	st, err := secret.New(all...)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// reader takes a site to be a host and what is below it.
func reader(vars map[string]string) secret.Reader {
	return secret.Reader{
		Getenv: func(name string) string { return vars[name] },
		Site: func(text string) (secret.Site, error) {
			if strings.ContainsAny(text, " /") || text == "" {
				return secret.Site{}, fmt.Errorf("%q is no site", text)
			}
			return secret.Site{Name: text, Covers: func(address string) bool {
				u, err := url.Parse(address)
				return err == nil && (u.Hostname() == text || strings.HasSuffix(u.Hostname(), "."+text))
			}}, nil
		},
	}
}

const pw = "<secret>PW</secret>"

// odd are values that others than letters and digits stand in.
var odd = []string{
	"kX9-vLq2-Trw7", "p@ss w&rd <1>", `qu"ote's\back/`, "50%+plus=eq?#", "пароль-Ключ1", "日本語の鍵です", "🔑key🔑fob", "a1b2", "Ünïcödé+%25",
	"-----dashes-----", "white  space  two", "$(rm -rf)`x`", strings.Repeat("long-Value_", 200), "trailing \\", "<script>k</script>", "&amp;&lt;x", "%41%42%43%44",
}

// spelled are the ways in which programs write a text.
func spelled(value string) map[string]string {
	quoted, _ := json.Marshal(value)
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	enc.Encode(value)
	var entities, units, lower, upper strings.Builder
	for _, r := range value {
		fmt.Fprintf(&entities, "&#x%x;", r)
		if r < 0x10000 {
			fmt.Fprintf(&units, `\u%04X`, r)
		} else {
			units.WriteRune(r)
		}
	}
	for _, b := range []byte(value) {
		fmt.Fprintf(&lower, "%%%02x", b)
		fmt.Fprintf(&upper, "%%%02X", b)
	}
	return map[string]string{
		"plain": value, "query": url.QueryEscape(value), "path": url.PathEscape(value), "twice": url.QueryEscape(url.QueryEscape(value)),
		"all percent, lower": lower.String(), "all percent, upper": upper.String(),
		"html": html.EscapeString(value), "entities": entities.String(), "JSON": strings.Trim(string(quoted), `"`),
		"JSON in JSON": requote(requote(value)), "JSON as it is": strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(plain.String()), `"`), `"`), "units": units.String(),
		"hex": hex.EncodeToString([]byte(value)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(value))),
		"upper case": strings.ToUpper(value), "form in an address": "https://b.test/?q=" + url.QueryEscape("x="+url.QueryEscape(value)+"&y=1"),
	}
}

func requote(text string) string {
	raw, _ := json.Marshal(text)
	return strings.Trim(string(raw), `"`)
}

func TestCleanFindsAValueHoweverItIsWritten(t *testing.T) {
	for _, value := range odd {
		st := keep(t, value)
		for way, text := range spelled(value) {
			if got := st.Clean("before " + text + " after"); got != "before "+pw+" after" && way != "form in an address" {
				t.Errorf("%s of %.20q: got %.200q", way, value, got)
			}
			if got := st.Clean("before " + text + " after"); !strings.Contains(got, pw) || strings.Contains(got, text) {
				t.Errorf("%s of %.20q: got %.200q", way, value, got)
			}
		}
	}
}

func TestCleanFindsAValueInBase64AtEveryAlignment(t *testing.T) {
	for _, value := range odd {
		st := keep(t, value)
		for shift := range 6 {
			for _, behind := range []string{"", "x", "yz", ":tail"} {
				for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
					text := enc.EncodeToString([]byte(strings.Repeat("u", shift) + value + behind))
					got := st.Clean("Basic " + text + " end")
					if left := strings.Replace(got, pw, "", 1); !strings.Contains(got, pw) || len(left) > len("Basic  end")+len(text)-len(value)*4/3+4 {
						t.Errorf("%.20q in base64 behind %d bytes, before %q: got %.200q", value, shift, behind, got)
					}
				}
			}
		}
	}
}

func TestCleanFindsAValueInPiecesOfAPage(t *testing.T) {
	st := keep(t, "kX9-vLq2-Trw7")
	for _, text := range []string{
		"k X 9 - v L q 2 - T r w 7", "k\nX\n9\n-\nv\nL\nq\n2\n-\nT\nr\nw\n7", "kX9-\u200bvLq2\u00ad-Trw7", "kX9-vLq2\\-Trw7", "KX9-VLQ2-TRW7",
		"a1g5LXZMcTItVHJ3Nw==\n", "a1g5LXZM\ncTItVHJ3Nw==",
	} {
		if got := st.Clean("[" + text + "]"); !strings.Contains(got, pw) || strings.Contains(got, "Lq2") || strings.Contains(got, "LXZM") {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestCleanLeavesOtherWordsAlone(t *testing.T) {
	text := "The latest test of the contest: a key is pressed, {\"action\": \"left_click\", \"coordinate\": [512, 384]} at https://a.test/x?y=1&z=%41 dGhpcyBpcyBwbGFpbg== " + strings.Repeat("deadbeef", 20)
	for _, value := range []string{"kX9-vLq2-Trw7", "correct horse", "Hunter22", "12345678"} {
		if got := keep(t, value).Clean(text); got != text {
			t.Errorf("%q: got %q", value, got)
		}
	}
	// What separates words does not make one of two.
	if got := keep(t, "hotels").Clean("a hot elsewhere, hot els"); strings.Contains(got, pw) {
		t.Errorf("got %q", got)
	}
	// A value within the name of its own site or of itself is none.
	st := store(t, map[string]string{"V": "shop"}, "LOGIN=env:V@shop.test")
	if got := st.Clean("https://shop.test/login <secret>LOGIN</secret> shop"); got != "https://shop.test/login <secret>LOGIN</secret> <secret>LOGIN</secret>" {
		t.Errorf("got %q", got)
	}
}

func TestOfTwoValuesThatContainEachOtherNothingIsLeft(t *testing.T) {
	st := store(t, map[string]string{"A": "Tr0ub4dor", "B": "Tr0ub4dor&3-longer"}, "SHORT=env:A@a.test", "LONG=env:B@a.test")
	for text, want := range map[string]string{
		"x Tr0ub4dor&3-longer y":          "x <secret>LONG</secret> y",
		"x Tr0ub4dor y":                   "x <secret>SHORT</secret> y",
		"Tr0ub4dorTr0ub4dor&3-longer":     "<secret>SHORT</secret><secret>LONG</secret>",
		"Tr0ub4dor%263-longer, Tr0ub4dor": "<secret>LONG</secret>, <secret>SHORT</secret>",
	} {
		if got := st.Clean(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	st = store(t, map[string]string{"A": "alpha-beta-1", "B": "beta-1-gamma"}, "ONE=env:A@a.test", "TWO=env:B@a.test")
	if got := st.Clean("alpha-beta-1-gamma"); strings.Contains(got, "alpha") || strings.Contains(got, "gamma") || strings.Contains(got, "beta") {
		t.Errorf("of two that overlap: got %q", got)
	}
}

func TestCleanJSONStaysJSONAndSparesWordsOfOurs(t *testing.T) {
	st := store(t, map[string]string{"A": "click", "B": `qu"ote-it\1`}, "WORD=env:A@a.test", "LONG=env:B@a.test")
	text := `{"kind":"acting","acting":{"action":{"kind":"left_click","text":"click","n":4711}},"click":"qu\"ote-it\\1","list":["q\u0075\"ote-it\\1",{"kind":"click"}]}`
	got := st.CleanJSON([]byte(text), func(path string) bool { return strings.HasSuffix(path, "kind") || strings.HasSuffix(path, ".") })
	want := `{"kind":"acting","acting":{"action":{"kind":"left_click","text":"<secret>WORD</secret>","n":4711}},"click":"<secret>LONG</secret>","list":["<secret>LONG</secret>",{"kind":"click"}]}`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := st.CleanJSON([]byte(`{"click":{"items":{"click":1}}}`), nil); strings.Contains(string(got), "click") {
		t.Errorf("keys of a page: got %s", got)
	}
	lines := `{"kind":"click"}` + "\n" + `{"text":"click"}` + "\n"
	if got := st.CleanJSON([]byte(lines), func(path string) bool { return path == "kind" }); string(got) != `{"kind":"click"}`+"\n"+`{"text":"<secret>WORD</secret>"}`+"\n" {
		t.Errorf("lines: got %s", got)
	}
	if got := st.CleanJSON([]byte(`{"text":"cli`+`ck`), nil); strings.Contains(string(got), "click") {
		t.Errorf("a broken line: got %s", got)
	}
}

func TestCleanReplyLeavesTheWordsThatTheModelWasTaught(t *testing.T) {
	st := store(t, map[string]string{"A": "click", "B": "kX9-vLq2-Trw7", "C": "hunter2"}, "WORD=env:A@a.test", "LONG=env:B@a.test", "SHORT=env:C@a.test")
	text := `{"action": "left_click", "text": "kX9-vLq2-Trw7 hunter2"}`
	if got, want := st.CleanReply(text, "left_click: click somewhere"), `{"action": "left_click", "text": "<secret>LONG</secret> <secret>SHORT</secret>"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWriterCleansWhatIsPrinted(t *testing.T) {
	var out bytes.Buffer
	w := keep(t, "kX9-vLq2-Trw7").Writer(&out, nil)
	n, err := fmt.Fprintf(w, "at https://a.test/?p=%s\n", url.QueryEscape("kX9-vLq2-Trw7"))
	if err != nil || n != len("at https://a.test/?p=kX9-vLq2-Trw7\n") || out.String() != "at https://a.test/?p="+pw+"\n" {
		t.Errorf("got %q, %d, %v", out.String(), n, err)
	}
	if w := (*secret.Store)(nil).Writer(io.Discard, nil); w != io.Discard {
		t.Errorf("without secrets: got %T", w)
	}
}

func TestLongTextsAreCleanedEverywhereAndInTime(t *testing.T) {
	st := store(t, map[string]string{"A": "kX9-vLq2-Trw7", "B": strings.Repeat("long-Value_", 700)}, "PW=env:A@a.test", "LONG=env:B@a.test")
	filler := strings.Repeat("Lorem ipsum 100% &amp; dolor\\n sit+amet ", 1+(1<<16)/40)
	began := time.Now()
	for _, cut := range []int{0, 1, 6, 12, 13} { // around the seams of windows
		text := filler[:1<<16-cut] + "kX9-vLq2-Trw7" + filler
		if got := st.Clean(text); strings.Contains(got, "vLq2") || !strings.Contains(got, pw) {
			t.Errorf("%d before a seam: it is left", cut)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("5 texts of 130 kB took %v", took)
	}
}

func FuzzCleanEndsAndLeavesNothing(f *testing.F) {
	for _, value := range odd {
		for _, text := range spelled(value) {
			f.Add("", text, "")
		}
	}
	f.Add("%", "%25%32%35", "&amp;amp;#38;#x26;\\\\\\u005cu005c")
	st := keep(f, "kX9-vLq2-Trw7")
	f.Fuzz(func(t *testing.T, before, text, after string) {
		began := time.Now()
		st.Clean(text)
		got := st.Clean(before + "kX9-vLq2-Trw7" + after)
		if strings.Contains(got, "kX9-vLq2-Trw7") {
			t.Errorf("left in %q", got)
		}
		if !strings.Contains(got, pw) {
			t.Errorf("no mark in %q", got)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%d bytes took %v", len(before)+len(text)+len(after), took)
		}
	})
}
