package envtest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"fara/env"
)

func readCases() []browserCase {
	return []browserCase{
		{"reading gives what is visible", nil, readVisible},
		{"reading goes into frames of every kind", nil, readFrames},
		{"reading a huge page is cut and says so", nil, readHuge},
		{"documents that are no pages are read", nil, readOthers},
	}
}

func readVisible(t *testing.T, b *Tab) {
	b.Open(`<title>Shop</title><style>.h{display:none}</style><h1>Mugs</h1><p>A <a href="/buy">cheap</a> one</p><p class=h>hidden words</p><p style="visibility:hidden">unseen words</p>
<script>var secret='script words'</script><input value=typed><input type=password value=hunter2><input type=hidden value=token><select><option>S<option selected>M</select>
<input type=checkbox checked>gift<textarea>noted</textarea><table><tr><th>a<th>b<tr><td>1<td>2</table><div id=host></div><details><summary>more</summary>folded words</details>
<script>host.attachShadow({mode:'open'}).innerHTML='<p>from the shadow</p><slot></slot>'</script>`)
	doc, err := b.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	Contains(t, "read", doc.Markdown, "# Mugs", "[cheap]("+b.Site.URL+"/buy)", "typed", "[x]", "gift", "noted", "from the shadow", "| 1 | 2 |", "M", "more")
	for _, no := range []string{"hidden words", "unseen words", "script words", "hunter2", "token", "S\n", "folded words"} {
		if strings.Contains(doc.Markdown, no) {
			t.Errorf("read: %q is in it:\n%s", no, doc.Markdown)
		}
	}
	if doc.Title != "Shop" || doc.URL != b.Site.URL+"/page" {
		t.Errorf("read: got %q at %q", doc.Title, doc.URL)
	}
}

func readFrames(t *testing.T, b *Tab) {
	b.Site.Page("/inner", `<p>inside <b>words</b></p>`)
	b.Site.Page("/deep", `<p>around it</p><iframe src="`+b.Site.URL+`/inner"></iframe>`)
	deep := elsewhere(b.Site.URL + "/deep")
	for name, html := range map[string]string{
		"same site":      `<iframe src=/inner></iframe>`,
		"other site":     `<iframe src="` + elsewhere(b.Site.URL+"/inner") + `"></iframe>`,
		"nested":         `<iframe src="` + deep + `"></iframe>`,
		"sandboxed":      `<iframe sandbox src=/inner></iframe>`,
		"written":        `<iframe srcdoc="<p>inside <b>words</b></p>"></iframe>`,
		"in a shadow":    `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<iframe src="` + elsewhere(b.Site.URL+"/inner") + `"></iframe>'</script>`,
		"two of a kind":  `<iframe src="` + elsewhere(b.Site.URL+"/deep") + `"></iframe><iframe src="` + elsewhere(b.Site.URL+"/inner") + `"></iframe>`,
		"old frame sets": `<frameset cols="50%,50%"><frame src=/inner><frame src="` + deep + `"></frameset>`,
	} {
		b.visitTo(html)
		doc, err := b.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		Contains(t, name, doc.Markdown, "inside **words**")
	}
	b.visitTo(`<p>page</p><iframe style="display:none" src="` + elsewhere(b.Site.URL+"/inner") + `"></iframe><iframe width=1 height=1 style="border:0" src="` + elsewhere(b.Site.URL+"/inner") + `"></iframe>`)
	if doc, err := b.Read(t.Context()); err != nil || strings.Contains(doc.Markdown, "inside") || !strings.Contains(doc.Markdown, "page") {
		t.Errorf("hidden frames: got %q, %v; want the page alone", doc.Markdown, err)
	}
}

func readHuge(t *testing.T, b *Tab) {
	b.Open(`<div id=d></div><script>d.textContent='word '.repeat(1000000)</script>`)
	doc, err := b.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(doc.Markdown); n > 201000 || !strings.Contains(doc.Markdown[n-60:], "cut here") {
		t.Errorf("read of 5000000 characters: got %d, ending in %q", n, doc.Markdown[n-60:])
	}
}

func readOthers(t *testing.T, b *Tab) {
	for kind, c := range map[string]struct{ text, want string }{
		"text/plain":       {"plain <words> & more\n  indented", "plain <words> & more\n  indented"},
		"application/json": {`{"price": [1, 2], "name": "mug"}`, `"price": [1, 2]`},
		"application/xml":  {`<list><item n="1">mug</item></list>`, `<item n="1">mug</item>`},
		"image/svg+xml":    {`<svg xmlns="http://www.w3.org/2000/svg"><text>drawn</text></svg>`, "drawn"},
	} {
		b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.Handle("/document", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, c.text)
		})})
		doc, err := b.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		Contains(t, kind, doc.Markdown, c.want)
	}
}
