package envtest

import (
	"strings"
	"testing"

	"fara/env"
)

// workers starts workers of every kind, in pages and frames of both kinds.
func workers(t *testing.T, b *Tab) {
	const blob = `const code=s=>URL.createObjectURL(new Blob([s],{type:'text/javascript'}));`
	for name, script := range map[string]string{
		"dedicated": `new Worker(code("postMessage('works')")).onmessage=e=>say(e.data)`,
		"module":    `new Worker(code("postMessage('works')"),{type:'module'}).onmessage=e=>say(e.data)`,
		"nested":    `new Worker(code("new Worker(URL.createObjectURL(new Blob([\"postMessage('works')\"]))).onmessage=e=>postMessage(e.data)")).onmessage=e=>say(e.data)`,
		"shared":    `new SharedWorker(code("onconnect=e=>e.ports[0].postMessage('works')")).port.onmessage=e=>say(e.data)`,
		"service":   `navigator.serviceWorker.register('/sw.js').then(()=>navigator.serviceWorker.ready).then(()=>say('works'))`,
	} {
		b.Site.Handle("/sw.js", serveScript(`oninstall=()=>skipWaiting();onactivate=e=>e.waitUntil(clients.claim())`))
		b.Open(`<title>-</title><script>` + blob + `const say=t=>document.title=t;` + script + `</script>`)
		b.Says("works")
		inner := b.Site.Page("/inner", `<script>`+blob+`const say=t=>parent.postMessage(t,'*');`+script+`</script>`)
		for _, frame := range []string{inner, elsewhere(inner)} {
			b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.Page("/outer", `<title>-</title><script>onmessage=e=>document.title=e.data</script><iframe src="`+frame+`"></iframe>`)})
			if obs := b.until(name+" in "+frame, func(obs env.Observation) bool { return obs.Title != "-" }); !strings.Contains(obs.Title, "works") {
				t.Errorf("%s in %s: page says %q", name, frame, obs.Title)
			}
		}
	}
}
