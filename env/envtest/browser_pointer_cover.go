package envtest

import (
	"strings"
	"testing"

	"fara/env"
)

func coverCases() []browserCase {
	return []browserCase{
		{name: "AClickThatACoverSwallowsIsTold", run: covered},
		{name: "AClickThatChangedSomethingTellsNothing", run: notCovered},
	}
}

// under is a page whose button at (100,100) writes its title.
const underneath = `<title>-</title><style>body{margin:0;height:3000px}#go{position:absolute;left:50px;top:80px;width:100px;height:40px}</style>
<button id=go onclick="document.title='went'">Go</button><p style="position:absolute;top:300px">words</p>`

func covered(t *testing.T, b *Tab) {
	b.Site.Page("/consent", `<body style="margin:0"><h2>We use cookies</h2>`)
	foreign := strings.Replace(b.Site.URL, "127.0.0.1", "localhost", 1)
	for name, c := range map[string]struct{ html, want string }{
		"cookie banner": {`<div style="position:fixed;inset:0 0 auto 0;height:200px;background:#eee"><h2>We use cookies</h2><button style="position:absolute;top:150px">Accept</button></div>`,
			`; nothing changed; what is at (100, 100) belongs to a layer over the page "We use cookies"`},
		"backdrop": {`<div style="position:fixed;inset:0;background:#0008"></div><div role=dialog aria-label="Sign in" style="position:fixed;left:400px;top:300px;width:200px;height:100px;background:#fff"></div>`,
			`a layer over the page, which`},
		"dialog element": {`<dialog id=d style="margin:0;left:0;top:0;width:300px;height:200px"><h3>Sale</h3></dialog><script>d.showModal()</script>`,
			`a dialog "Sale"`},
		"in a shadow root": {`<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML = '<div role=dialog aria-label=Chat style="position:fixed;left:0;top:0;width:300px;height:200px;background:#fff"></div>'</script>`,
			`a dialog "Chat"`},
		"on a page that never rests": {`<div style="position:fixed;inset:0 0 auto 0;height:200px;background:#eee"><h2>We use cookies</h2></div><p id=p></p><script>setInterval(() => { p.textContent = Date.now() }, 100)</script>`,
			`"We use cookies"`},
		"foreign frame": {`<div style="position:fixed;inset:0 0 auto 0;height:200px;background:#eee"><iframe title="Consent" style="border:0;width:100%;height:100%" src="` + foreign + `/consent"></iframe></div>`,
			`a layer over the page`},
	} {
		b.Open(underneath + c.html)
		out := b.Click(100, 100)
		if !out.Tell {
			t.Errorf("%s: got %q, want it told", name, out.Text)
		}
		Contains(t, name, out.Text, "nothing changed", c.want)
		b.Says("-")
	}
}

func notCovered(t *testing.T, b *Tab) {
	const bar = `style="position:fixed;inset:0 0 auto 0;height:200px;background:#eee"`
	const child = `style="position:absolute;left:50px;top:80px;width:100px;height:40px"`
	for name, html := range map[string]string{
		"nothing over it":  ``,
		"it closes":        `<div ` + bar + ` onclick="this.remove()"></div>`,
		"it hides":         `<div ` + bar + ` onclick="this.style.display='none'"></div>`,
		"a field in it":    `<div ` + bar + `><input ` + child + `></div>`,
		"a menu opens":     `<div ` + bar + `><button ` + child + ` onclick="m.hidden=false">menu</button><ul id=m hidden><li>one</ul></div>`,
		"page scrolls":     `<div ` + bar + `><a href="#" ` + child + ` onclick="scrollTo(0,500);return false">down</a></div>`,
		"it leads on":      `<div ` + bar + `><a href="/" ` + child + `>home</a></div>`,
		"a message":        `<div ` + bar + `><button ` + child + ` onclick="alert(1)">say</button></div>`,
		"a box is checked": `<div ` + bar + `><input type=checkbox ` + child + `></div>`,
		"an app's frame":   `<div style="position:fixed;inset:0;background:#fff">an app that fills the page</div>`,
	} {
		page := underneath
		if name == "an app's frame" {
			page = `<title>-</title>`
		}
		b.Open(page + html)
		if out := b.Click(100, 100); out.Tell {
			t.Errorf("%s: told %q", name, out.Text)
		}
	}
	b.Open(underneath + `<div ` + bar + `></div>`)
	if out := b.Do(env.Action{Kind: env.RightClick, Point: point(100, 100)}); !out.Tell {
		t.Errorf("right click: got %q, want it told", out.Text)
	}
}
