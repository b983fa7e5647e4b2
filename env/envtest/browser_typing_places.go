package envtest

import (
	"fmt"
	"testing"

	"fara/env"
)

func typingPlaceCases() []browserCase {
	return []browserCase{
		{name: "FieldsInFramesAndShadowRootsAreKnown", run: typesEverywhere},
	}
}

// typesEverywhere types into a field in each place that a document can hide one.
func typesEverywhere(_ *testing.T, b *Tab) {
	field := `<style>body{margin:0}input,textarea{position:absolute;left:20px;top:20px;width:300px;height:30px}</style>%s<script>
const f=document.querySelector('input,textarea');f.oninput=()=>top.postMessage('='+f.value,'*')</script>`
	frame := `<iframe %s style="position:absolute;left:100px;top:100px;width:500px;height:200px;border:0"></iframe>`
	line := b.Site.Page("/line", fmt.Sprintf(field, `<input value=old aria-label=Inside maxlength=12>`))
	nested := b.Site.Page("/nested", `<style>body{margin:0}</style><iframe style="border:0;width:500px;height:200px" src="`+line+`"></iframe>`)
	shadow := `<div id=host style="position:absolute;left:120px;top:120px"></div><script>
const root=host.attachShadow({mode:'%s'});root.innerHTML='<div id=in></div>';const deep=root.firstChild.attachShadow({mode:'%[1]s'});
deep.innerHTML='<input value=old aria-label=Inside maxlength=12 style="width:300px;height:30px">';deep.firstChild.oninput=e=>postMessage('='+e.target.value,'*')</script>`
	for name, html := range map[string]string{
		"same site": fmt.Sprintf(frame, `src="`+line+`"`), "other site": fmt.Sprintf(frame, `src="`+elsewhere(line)+`"`),
		"other site in the same": fmt.Sprintf(frame, `src="`+elsewhere(nested)+`"`),
		"sandboxed":              fmt.Sprintf(frame, `sandbox="allow-scripts" src="`+line+`"`),
		"written":                fmt.Sprintf(frame, `srcdoc="`+`<style>body{margin:0}input{position:absolute;left:20px;top:20px;width:300px;height:30px}</style><input value=old aria-label=Inside maxlength=12 oninput='top.postMessage(&quot;=&quot;+this.value,&quot;*&quot;)'>"`),
		"open shadow root":       fmt.Sprintf(shadow, "open"), "closed shadow root": fmt.Sprintf(shadow, "closed"),
	} {
		b.Open(`<title>-</title><script>onmessage=e=>document.title=e.data</script>` + html)
		text := "né 東\t1"
		out := b.Do(env.Action{Kind: env.Type, Point: point(200, 135), Text: text, Clear: true})
		Contains(b.T, name, out.Text, `into "Inside"`)
		b.Says("=né 東 1") // a title shows a tab as a space
		out = b.Do(env.Action{Kind: env.Type, Point: point(200, 135), Text: "much more than twelve", Clear: true})
		Contains(b.T, name, out.Text, "takes no more")
		b.Says("=much more th")
		if b.T.Failed() {
			b.T.Fatalf("in a place of the kind %s", name)
		}
	}
}
