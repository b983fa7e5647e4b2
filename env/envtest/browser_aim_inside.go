package envtest

import (
	"errors"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"fara/env"
)

// deepForm is a form in a shadow root; its button is at (10,20) of 60×30 pixels
// and its field at (10,60) of 80×20.
func deepForm(mode string) string {
	return `<body style="margin:0"><div id=h><i>not shown</i></div><script>
h.attachShadow({mode: '` + mode + `'}).innerHTML = '<form method=post action="/deep"><button style="position:absolute;left:10px;top:20px;width:60px;height:30px">Deep</button>' +
'<input aria-label=Field style="position:absolute;left:10px;top:60px;width:80px;height:20px;border:0;padding:0"></form>'</script>`
}

// nested calls f for documents in all kinds of frames; the innermost's corner is at
// origin in the page.
func (b *Tab) nested(inner func(mode string) string, f func(name, leaf string, origin env.Point)) {
	frame := func(path, src string) string {
		return b.Site.Page(path, `<body style="margin:0"><iframe style="position:absolute;left:100px;top:50px;border:0;width:300px;height:200px" src="`+src+`"></iframe>`)
	}
	for _, mode := range []string{"open", "closed"} {
		leaf := b.Site.Page("/leaf-"+mode, inner(mode))
		for _, c := range []struct {
			name, page, leaf string
			depth            float64
		}{
			{"page", leaf, leaf, 0},
			{"own", frame("/own", leaf), leaf, 1},
			{"foreign", frame("/foreign", elsewhere(leaf)), elsewhere(leaf), 1},
			{"foreign in own", frame("/1", frame("/2", elsewhere(leaf))), elsewhere(leaf), 2},
			{"own in foreign", frame("/3", elsewhere(frame("/4", elsewhere(leaf)))), elsewhere(leaf), 2},
		} {
			b.Visit(c.page)
			f(c.name+", "+mode, c.leaf, env.Point{X: 100 * c.depth, Y: 50 * c.depth})
		}
	}
}

func aimInside(t *testing.T, b *Tab) {
	b.nested(deepForm, func(name, leaf string, o env.Point) {
		form := &env.Form{Method: "post", Action: leaf[:strings.LastIndex(leaf, "/")] + "/deep", Submits: true, Fields: []env.Field{{Type: "text", Name: "Field"}}}
		want := env.Element{Tag: "button", Role: "button", Name: "Deep", Text: "Deep", Type: "submit", Document: leaf, Form: form,
			Box: env.Rect{X: o.X + 10, Y: o.Y + 20, W: 60, H: 30}}
		if got := b.aim(o.X+40, o.Y+35); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	})
}

func aimFocus(t *testing.T, b *Tab) {
	b.nested(deepForm, func(name, leaf string, o env.Point) {
		b.Click(o.X+40, o.Y+70)
		got := b.aimKeys()
		want := env.Rect{X: o.X + 10, Y: o.Y + 60, W: 80, H: 20}
		off := math.Abs(got.Box.X-want.X) + math.Abs(got.Box.Y-want.Y) + math.Abs(got.Box.W-want.W) + math.Abs(got.Box.H-want.H)
		if got.Name != "Field" || got.Document != leaf || !got.Editable || got.Form == nil || !got.Form.Submits || off > 0.1 {
			t.Errorf("%s: got %+v of form %+v, want the field of %s in %+v", name, got, got.Form, leaf, want)
		}
	})
	b.Site.Page("/rich", `<body style="margin:0" contenteditable></body>`)
	b.Open(`<iframe src="/rich" style="position:absolute;left:0;top:0;width:300px;height:200px"></iframe>`)
	if got := b.aim(50, 150); got.Tag != "body" || !got.Editable || got.Document != b.Site.URL+"/rich" {
		t.Errorf("below the words of an editor in a frame: got %+v, want its body", got)
	}
	b.Open(`<p>nothing to focus`)
	if got := aimed(t, b.Subject, env.Action{Kind: env.Type, Text: "x"}); got != nil {
		t.Errorf("nothing has the focus: got %+v, want nil", got)
	}
}

func aimAddress(t *testing.T, b *Tab) {
	const form = `<body style='margin:0'><input style='width:100px;height:40px'>`
	for kind, want := range map[string]string{
		`srcdoc="` + form + `"`:         b.Site.URL + "/",
		`srcdoc="` + form + `" sandbox`: "about:srcdoc",
	} {
		b.Open(`<body style="margin:0"><iframe ` + kind + ` style="border:0;width:300px;height:200px"></iframe>`)
		if got := b.aim(20, 20); got.Document != want || !got.Editable {
			t.Errorf("%s: got %+v, want a field of %s", kind, got, want)
		}
	}
}

func aimChooser(t *testing.T, b *Tab) {
	give := env.Action{Kind: env.Type, Text: "a.txt"}
	for way, html := range askers(b, "") {
		b.Open(html)
		if got := aimed(t, b.Subject, give); got != nil && got.Type == "file" {
			t.Errorf("%s: before it asks: got %+v, want no field for files", way, got)
		}
		b.Click(50, 50)
		if got := aimed(t, b.Subject, give); got == nil || got.Type != "file" {
			t.Errorf("%s: got %+v, want its field for files", way, got)
		}
	}
}

func aimOther(t *testing.T, b *Tab) {
	b.Site.Handle("/a.pdf", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write(PDF("Words"))
	})
	const style = ` style="position:absolute;left:0;top:0;border:0;width:400px;height:300px"`
	for what, html := range map[string]string{
		"a PDF in a frame": `<iframe src="/a.pdf"` + style + `></iframe>`, "an embedded PDF": `<embed src="/a.pdf" type="application/pdf"` + style + `>`,
		"an empty frame": `<iframe` + style + `></iframe>`, "a frame of nowhere": `<iframe src="http://127.0.0.1:1/"` + style + `></iframe>`,
		"data": `<iframe src="data:text/html,<p>x"` + style + `></iframe>`, "an image": `<object data="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"` + style + `></object>`,
		"a film": `<video controls` + style + `></video>`,
	} {
		b.Open(html)
		if got := b.aim(200, 150); got.Editable || got.Form != nil {
			t.Errorf("%s: got %+v, want something that sends nothing", what, got)
		}
	}
	b.Visit(b.Site.URL + "/a.pdf")
	b.aim(200, 150)
	b.aimKeys()
}

// aimBusy has a frame of another site that is busy just when it is asked.
func aimBusy(t *testing.T, b *Tab) {
	busy := elsewhere(b.Site.Page("/busy", `<body style="margin:0"><form method=post><button style="width:200px;height:100px">Pay</button></form>
<script>setInterval(() => { const end = performance.now() + 1000; while (performance.now() < end); }, 1300)</script>`))
	b.Open(`<body style="margin:0"><iframe src="` + busy + `" style="position:absolute;left:0;top:0;border:0;width:400px;height:300px"></iframe>`)
	for range 5 {
		got, err := b.Aim(t.Context(), env.Action{Kind: env.LeftClick, Point: point(50, 50)})
		var action *env.ActionError
		if err == nil && (got == nil || got.Name != "Pay") || err != nil && !errors.As(err, &action) {
			t.Errorf("got %+v, %v, want the button or an action error", got, err)
		}
	}
}
