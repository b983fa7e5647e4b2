package waits

import (
	"slices"

	"fara/env"
)

const visits = env.VisitURL

var (
	clicking = env.Action{Kind: env.LeftClick, Point: &env.Point{X: 100, Y: 50}}
	hovering = env.Action{Kind: env.MouseMove, Point: &env.Point{X: 100, Y: 50}}
	turning  = env.Action{Kind: env.Scroll, Point: &env.Point{X: 500, Y: 300}, DY: 400}
)

func typing(text string) env.Action {
	return env.Action{Kind: env.Type, Text: text, Point: &env.Point{X: 100, Y: 50}}
}

func drafts() []draft {
	return slices.Concat(plain(), noisy(), lateDrafts(), moves(), requests(), elsewhere(), loads())
}

// on is a page whose button runs a script.
func on(script string) string {
	return `<button id="go">go</button><script>go.onclick = async () => { ` + script + ` }</script>`
}

func plain() []draft {
	return []draft{
		{name: "static", idle: true, html: `<button id="go">go</button>`},
		{name: "change at once", html: on(`show()`)},
		{name: "change by style at once", html: `<i class="effect" style="visibility:hidden"></i>` + on(`document.querySelector('i').style.visibility = 'visible'`)},
		{name: "hash link", html: `<a id="go" href="#there">go</a><p style="height:2000px"><p id="there">.<i class="effect" style="position:fixed;visibility:hidden"></i><style>#there:target i { visibility: visible !important }</style>`},
		{name: "next page", html: `<a id="go" href="/later">go</a>`},
		{name: "key", due: 300, html: on(`setTimeout(show, 300)`), steps: []step{
			{env.Action{Kind: env.Key, Keys: []string{"Tab"}}, false}, {env.Action{Kind: env.Key, Keys: []string{"Enter"}}, true}}},
		{name: "hover", due: 300, html: `<button id="go" onmouseenter="setTimeout(show, 300)">go</button>`, steps: []step{{hovering, true}}},
		{name: "nobody answers", idle: true, html: on(`dispatchEvent(new Event('x'))`)},
	}
}

// noisy are pages on which something happens all the time.
func noisy() []draft {
	late := on(`setTimeout(show, 300)`)
	spinner := `<b id="spin" class="box" style="left:0;top:200px">|</b>`
	poll := `<script>setInterval(() => fetch('/slow?ms=20'), 200)</script>`
	return []draft{
		{name: "CSS spinner", due: 300, html: `<style>@keyframes s { to { transform: rotate(1turn) } } #spin { animation: s 1s linear infinite }</style>` + spinner + late},
		{name: "interval spinner", due: 300, html: spinner + `<script>setInterval(() => { spin.textContent = Date.now() }, 50)</script>` + late},
		{name: "timeout spinner", due: 300, html: spinner + `<script>(function turn() { spin.textContent = Date.now(); setTimeout(turn, 50) })()</script>` + late},
		{name: "frame spinner", due: 300, html: spinner + `<script>(function turn() { spin.style.left = Date.now() % 100 + 'px'; requestAnimationFrame(turn) })()</script>` + late},
		{name: "spinner, idle", idle: true, html: spinner + `<script>setInterval(() => { spin.textContent = Date.now() }, 50)</script>` + on(``)},
		{name: "timeout spinner, idle", idle: true, html: spinner + `<script>(function turn() { spin.textContent = Date.now(); setTimeout(turn, 50) })()</script>` + on(``)},
		{name: "frame spinner, idle", idle: true, html: spinner + `<script>(function turn() { spin.style.left = Date.now() % 100 + 'px'; requestAnimationFrame(turn) })()</script>` + on(``)},
		{name: "spinner started by the click", due: 400, html: spinner + on(`setInterval(() => { spin.textContent = Date.now() }, 50); setTimeout(show, 400)`)},
		{name: "moving picture", due: 300, html: `<img class="box" style="top:200px" src="/moving.gif">` + late},
		{name: "long poll", due: 300, html: `<script>fetch('/never')</script>` + on(`await ask(300); show()`)},
		{name: "request every 200 ms", due: 300, html: poll + on(`await ask(300, '/slow/own')`+`; show()`)},
		{name: "request every 200 ms, same address", due: 300, html: poll + on(`await ask(300); show()`)},
		{name: "request every 200 ms, idle", idle: true, html: poll + on(``)},
		{name: "long poll, idle", idle: true, html: `<script>fetch('/never')</script>` + on(``)},
		{name: "endless answer, idle", idle: true, html: `<script>fetch('/stream')</script>` + on(``)},
	}
}

// lateDrafts show the effect by a timer or a task that nothing announces.
func lateDrafts() []draft {
	return []draft{
		{name: "timer 300", due: 300, html: on(`setTimeout(show, 300)`)},
		{name: "timer 800", due: 800, html: on(`setTimeout(show, 800)`)},
		{name: "timer of text", due: 300, html: on(`setTimeout('show()', 300)`)},
		{name: "timer with arguments", due: 300, html: on(`setTimeout((f, x) => { if (x === 7) f() }, 300, show, 7)`)},
		{name: "timer 300, style only", due: 300, html: `<i class="effect" style="visibility:hidden"></i>` + on(`setTimeout(() => { document.querySelector('i').style.visibility = 'visible' }, 300)`)},
		{name: "interval, third round", due: 450, html: on(`let n = 0; const i = setInterval(() => { if (++n === 3) { clearInterval(i); show() } }, 150)`)},
		{name: "nested timers", due: 600, html: on(`setTimeout(() => setTimeout(() => setTimeout(() => setTimeout(show, 150), 150), 150), 150)`)},
		{name: "promises and timers", due: 600, html: on(`await sleep(200); await sleep(200); await sleep(200); show()`)},
		{name: "timer after a request", due: 500, html: on(`await ask(200); setTimeout(show, 300)`)},
		{name: "message channel", due: 0, html: on(`const c = new MessageChannel(); let n = 0; c.port1.onmessage = () => { const t = performance.now(); while (performance.now() - t < 5); if (++n < 20) c.port2.postMessage(0); else show(); }; c.port2.postMessage(0)`), steps: nil},
		{name: "message channel and timer", due: 300, html: on(`const c = new MessageChannel(); c.port1.onmessage = () => setTimeout(() => { c.port1.onmessage = () => show(); c.port2.postMessage(0) }, 300); c.port2.postMessage(0)`)},
		{name: "message to itself", due: 0, html: on(`onmessage = () => requestAnimationFrame(() => requestAnimationFrame(() => show())); postMessage(0)`)},
		{name: "idle callback", due: 0, html: on(`requestIdleCallback(() => show())`)},
		{name: "worker", due: 300, html: `<script>const w = new Worker('/worker.js'); w.onmessage = () => show()</script>` + on(`w.postMessage(1)`)},
		{name: "same timer, step after step", due: 300, html: on(`hide(); setTimeout(show, 300)`), steps: []step{
			{clicking, true}, {clicking, true}, {clicking, true}, {clicking, true}, {clicking, true}}},
		{name: "field shown late", due: 300, html: `<input id="text"><script>text.oninput = () => { hide(); setTimeout(show, 300) }</script>`, steps: []step{{typing("a"), true}, {typing("bcd"), true}}},
		{name: "database", due: 0, html: `<script>let db; const o = indexedDB.open('d', 1); o.onupgradeneeded = () => o.result.createObjectStore('s'); o.onsuccess = () => db = o.result</script>` +
			on(`db.transaction('s', 'readwrite').objectStore('s').put(1, 1).onsuccess = () => { db.transaction('s').objectStore('s').get(1).onsuccess = () => show() }`)},
		{name: "timers that change nothing for ever", idle: true, html: on(`(function again() { setTimeout(again, 100) })()`)},
	}
}

// moves show the effect at the end of a movement.
func moves() []draft {
	far := `<i class="effect" style="transform: translate(0, 300px)"></i>`
	return []draft{
		{name: "transition 400", due: 400, html: far + `<style>i { transition: transform 400ms }</style>` + on(`document.querySelector('i').style.transform = 'none'`)},
		{name: "animation 500", due: 500, html: far + `<style>@keyframes a { to { transform: none } } .run { animation: a 500ms forwards }</style>` + on(`document.querySelector('i').classList.add('run')`)},
		{name: "script animation 400", due: 400, html: far + on(`document.querySelector('i').animate({ transform: 'none' }, { duration: 400, fill: 'forwards' })`)},
		{name: "frame by frame 400", due: 400, html: far + on(`const i = document.querySelector('i'), t = performance.now(); requestAnimationFrame(function turn(now) { const left = Math.max(0, 1 - (now - t) / 400); i.style.transform = 'translate(0, ' + 300 * left + 'px)'; if (left) requestAnimationFrame(turn) })`)},
		{name: "interval by interval 400", due: 400, html: far + on(`const i = document.querySelector('i'), t = performance.now(); const n = setInterval(() => { const left = Math.max(0, 1 - (performance.now() - t) / 400); i.style.transform = 'translate(0, ' + 300 * left + 'px)'; if (!left) clearInterval(n) }, 15)`)},
		{name: "smooth scroll", due: 300, html: `<i class="effect" style="top:1500px"></i><p style="height:4000px">` + on(`scrollTo({ top: 1500, behavior: 'smooth' })`)},
		{name: "smooth scroll of a box", due: 300, html: `<div class="box" style="left:300px;overflow:auto;scroll-behavior:smooth" id="b"><i class="effect" style="left:0;top:1500px"></i><p style="height:4000px"></div>` + on(`b.scrollTop = 1500`)},
		{name: "wheel, then request", due: 300, html: `<p style="height:2000px"><i class="effect" style="position:fixed;display:none"></i><script>onscroll = async () => { onscroll = null; await ask(300); document.querySelector('i').style.display = 'block' }</script>`, steps: []step{{turning, true}}},
		{name: "wheel, then timer", due: 200, html: `<p style="height:2000px"><i class="effect" style="position:fixed;display:none"></i><script>let n; onscroll = () => { clearTimeout(n); n = setTimeout(() => document.querySelector('i').style.display = 'block', 200) }</script>`, steps: []step{{turning, true}}},
	}
}
