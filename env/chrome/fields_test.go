package chrome_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fara/env"
	"fara/env/chrome"
)

// localized is a browser whose fields of dates follow the language of their
// element, which stands for a browser in that language.
func localized(t *testing.T) string {
	t.Helper()
	needBrowser(t)
	path, err := chrome.Find()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "browser")
	text := fmt.Sprintf("#!/bin/sh\nexec '%s' --enable-blink-features=LangAttributeAwareFormControlUI \"$@\"\n", path)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return script
}

func TestDatesAreTypedInEveryLanguage(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{Binary: localized(t)})
	for _, language := range []string{"en-US", "de-DE", "ja", "ar", "fa", "ko", "hu"} {
		for kind, text := range map[string]string{"date": "2026-03-05", "time": "14:30", "month": "2026-03", "week": "2026-W10", "datetime-local": "2026-03-05T14:30"} {
			b.Open(fmt.Sprintf(`<title>-</title><input id=f lang=%s type=%s style="position:absolute;left:100px;top:100px;width:250px;height:30px">
<script>const s=[];for(const k of ['input','change'])f.addEventListener(k,()=>{s.push(k+' '+f.value);document.title=s.slice(-2).join(', ')})</script>`, language, kind))
			b.Do(env.Action{Kind: env.Type, Text: text, Point: at(150, 115)})
			if got, want := b.See().Title, fmt.Sprintf("input %s, change %[1]s", text); got != want {
				t.Errorf("%s into %s in %s: the page saw %q, want %q at its end", text, kind, language, got, want)
			}
		}
	}
	b.Open(`<title>-</title><input id=f lang=de-DE type=date autofocus onchange="document.title=this.value">`)
	b.Do(env.Action{Kind: env.Type, Text: "03/05/2026"})
	b.Says("2026-05-03") // as the field shows it: the day first
}

func TestAnUploadThatIsNoFileIsRefused(t *testing.T) {
	needBrowser(t)
	dir := t.TempDir()
	for path, want := range map[string]string{filepath.Join(dir, "missing.pdf"): "no such file", dir: "not a file"} {
		b, err := chrome.Launch(t.Context(), chrome.Config{Uploads: []string{path}})
		if err == nil {
			_ = b.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("launch with upload %s: got %v, want %q and the path in it", path, err, want)
		}
	}
}

func TestNoModifierStaysDownAfterACrash(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{})
	b.Open(`<title>-</title><input id=f autofocus><script>f.oninput=()=>document.title=f.value;f.onkeydown=e=>{if(e.ctrlKey)location='/gone'}</script>`)
	b.Do(env.Action{Kind: env.Key, Keys: []string{"ctrl+shift+k"}})
	b.Fails(env.Action{Kind: env.VisitURL, URL: "chrome://crash"}, env.PageFailed)
	b.Open(`<title>-</title><input id=f autofocus><script>f.onkeydown=e=>document.title=e.key+[e.ctrlKey,e.shiftKey,e.altKey,e.metaKey].join()</script>`)
	b.Do(env.Action{Kind: env.Key, Keys: []string{"x"}})
	b.Says("xfalse,false,false,false")
}
