package waits

import (
	"html"

	"fara/env"
)

// frames are the documents of /frame, by what is asked for.
var frames = map[string]string{
	"":        on(`setTimeout(show, 400)`),
	"request": on(`await ask(400); show()`),
	"tell":    on(`setTimeout(() => parent.postMessage(1, '*'), 400)`),
}

// requests show the effect after the network.
func requests() []draft {
	suggest := `<input id="text"><script>let n; text.oninput = () => { hide(); clearTimeout(n); n = setTimeout(async () => { const q = text.value; await ask(200, '/slow'); if (q === text.value) show() }, 300) }</script>`
	var typed []step
	for _, text := range []string{"a", "b", "c", "d", "e"} {
		typed = append(typed, step{typing(text), true})
	}
	return []draft{
		{name: "request 800", due: 800, html: on(`await ask(800); show()`)},
		{name: "request 2500", due: 2500, html: on(`await ask(2500); show()`)},
		{name: "old request 800", due: 800, html: on(`const x = new XMLHttpRequest(); x.open('GET', '/slow?ms=800'); x.onload = () => show(); x.send()`)},
		{name: "three requests", due: 600, html: on(`await ask(200, '/slow'); await ask(200); await ask(200); show()`)},
		{name: "answer in pieces", due: 600, html: on(`await (await fetch('/drip?ms=600')).text(); show()`)},
		{name: "picture 300", due: 300, html: on(`const i = new Image(); i.className = 'effect'; i.style.background = 'none'; i.src = '/picture.svg?ms=300'; document.body.append(i)`)},
		{name: "script 300", due: 300, html: on(`const s = document.createElement('script'); s.src = '/show.js?ms=300'; document.body.append(s)`)},
		{name: "suggestions, step after step", due: 500, html: suggest, steps: typed},
		{name: "WebSocket 300", due: 300, html: `<script>const s = new WebSocket('HOME/socket'.replace('http', 'ws')); s.onmessage = () => show()</script>` + on(`s.send('x')`)},
		{name: "route and request", due: 400, html: on(`history.pushState(0, '', '#/next'); await ask(400); show()`)},
		{name: "route and timer", due: 300, html: on(`history.pushState(0, '', '#/next'); setTimeout(show, 300)`)},
		{name: "slow next page", due: 800, html: `<a id="go" href="/later?ms=800">go</a>`},
		{name: "slow next page by script", due: 1000, html: on(`await ask(200); location = '/later?ms=800'`)},
		{name: "timer, then next page", due: 600, html: on(`setTimeout(() => { location = '/later?ms=300' }, 300)`)},
		{name: "form to next page", due: 300, html: `<form action="/later"><input type="hidden" name="ms" value="300"><button id="go">go</button></form>`},
		{name: "request never answered", idle: true, endless: true, html: on(`fetch('/never')`)},
	}
}

// elsewhere have what is clicked not in the page's own tree.
func elsewhere() []draft {
	inner := `<body style='margin:0'><script>onclick = () => setTimeout(() => { const i = document.createElement("i"); i.style.cssText = "position:absolute;left:300px;top:0;width:100px;height:100px;background:rgb(0,128,0)"; document.body.append(i) }, 400)</script>`
	frame := func(rest string) string {
		return `<iframe style="border:0;position:absolute;left:0;top:0;width:500px;height:200px" ` + rest + `></iframe>`
	}
	shadow := func(mode string) string {
		return `<div id="host"></div><script>const root = host.attachShadow({ mode: '` + mode + `' }); root.innerHTML = '<button style="position:absolute;left:0;top:0;width:200px;height:100px">go</button>'; root.querySelector('button').onclick = () => setTimeout(() => { const i = document.createElement('i'); i.style.cssText = 'position:absolute;left:300px;top:0;width:100px;height:100px;background:rgb(0,128,0)'; root.append(i) }, 300)</script>`
	}
	return []draft{
		{name: "frame, timer", due: 400, html: frame(`srcdoc="` + html.EscapeString(inner) + `"`)},
		{name: "sandboxed frame, timer", due: 400, html: frame(`sandbox="allow-scripts" srcdoc="` + html.EscapeString(inner) + `"`)},
		{name: "frame of another site, timer", due: 400, html: frame(`src="FOREIGN/frame"`)},
		{name: "frame of another site, request", due: 400, html: frame(`src="FOREIGN/frame?request"`)},
		{name: "frame of another site tells the page", due: 400, html: `<script>onmessage = () => show()</script>` + frame(`src="FOREIGN/frame?tell"`)},
		{name: "frame that comes", due: 400, html: on(`const f = document.createElement('iframe'); f.className = 'effect'; f.style.border = 0; f.src = '/later?ms=400'; f.onload = () => { f.contentDocument.body.style.background = 'rgb(0,128,0)' }; document.body.append(f)`)},
		{name: "open shadow root, timer", due: 300, html: shadow("open")},
		{name: "closed shadow root, timer", due: 300, html: shadow("closed")},
	}
}

// loads are about pages that come, not about clicks.
func loads() []draft {
	visit := []step{{env.Action{Kind: visits}, true}}
	return []draft{
		{name: "page complete", html: `<script>show()</script>`, steps: visit},
		{name: "late banner", due: 600, html: `<a href="/">a</a><script>setTimeout(show, 600)</script>`, steps: visit},
		{name: "rendered by script", due: 700, html: `<div id="app"></div><script>onload = () => ask(400).then(() => setTimeout(show, 300))</script>`, steps: visit},
		{name: "sent on by the page", due: 600, html: `<script>setTimeout(() => location.replace('/later?ms=300'), 300)</script>`, steps: visit},
		{name: "page with endless answer", html: `<script>fetch('/stream'); show()</script>`, steps: visit},
		{name: "page with endless picture", endless: true, html: `<img src="/never"><script>show()</script>`, steps: visit},
		{name: "page kept by the browser", html: `<!--CACHED--><a id="go" href="/slow">go</a><script>onpageshow = e => { if (e.persisted) show() }</script>`, steps: []step{
			{clicking, false}, {env.Action{Kind: env.HistoryBack}, true}}},
		{name: "page kept by the browser, timer", due: 300, html: `<!--CACHED--><a id="go" href="/slow">go</a><script>onpageshow = e => { if (e.persisted) setTimeout(show, 300) }</script>`, steps: []step{
			{clicking, false}, {env.Action{Kind: env.HistoryBack}, true}}},
	}
}
