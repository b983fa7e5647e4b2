package envtest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"fara/env"
)

func listCases() []browserCase {
	return []browserCase{
		{name: "AnOptionCanBeClickedByItsPlace", run: clicksOptions},
		{name: "AnOptionCanBeChosenByItsName", run: choosesByName},
		{name: "AListOfAnySizeIsToldOrDrawn", run: tellsLists},
		{name: "ListsOpenUnderEveryStyleAndPolicy", run: choosesEverywhere},
		{name: "AListThatCannotBeDrawnIsToldAndChosenFrom", run: choosesUndrawn},
		{name: "KeysChooseInAList", run: choosesByKeys},
		{name: "SeveralOptionsAreChosenByName", run: choosesSeveral},
	}
}

// list is a select with the id f; its options are given by their text, with a "-"
// before those that are disabled.
func list(style string, options ...string) string {
	var html strings.Builder
	html.WriteString(`<select id=f aria-label=Country` + style + `>`)
	for _, o := range options {
		if name, off := strings.CutPrefix(o, "-"); off {
			html.WriteString("<option disabled>" + name)
			continue
		}
		html.WriteString("<option>" + o)
	}
	return `<!doctype html><title>-</title>` + html.String() + "</select>" + told
}

func numbered(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("number %d", i))
	}
	return names
}

// whereIs adds to a page that says, as long as its list is open, where option n is.
func whereIs(n int) string {
	return fmt.Sprintf(`<script>setInterval(()=>{if(!f.matches(':open')||!/^(-|at)/.test(document.title))return;f.options[%d].scrollIntoView({block:'nearest'});
const r=f.options[%[1]d].getBoundingClientRect();document.title='at '+Math.round(r.x+20)+' '+Math.round(r.y+r.height/2)},20)</script>`, n)
}

func clicksOptions(_ *testing.T, b *Tab) {
	for _, c := range []struct{ y, n, pick int }{{100, 3, 2}, {860, 3, 1}, {100, 60, 59}, {400, 300, 123}, {860, 60, 30}} {
		b.Open(list(at(100, c.y), numbered(c.n)...) + whereIs(c.pick))
		b.Click(150, float64(c.y)+15)
		var x, y float64
		if !Eventually(func() bool { n, _ := fmt.Sscanf(b.See().Title, "at %f %f", &x, &y); return n == 2 }) {
			b.T.Fatalf("%d options at %d: the list did not open: %q", c.n, c.y, b.See().Title)
		}
		b.Click(x, y)
		b.Says(fmt.Sprintf("input number %d, change number %[1]d", c.pick))
	}
}

func choosesByName(_ *testing.T, b *Tab) {
	page := list(at(100, 100), "Choose", "Germany", "-Ghana", "Greece", "United Kingdom")
	for text, want := range map[string]string{"Germany": "Germany", "united kingdom": "United Kingdom", "Gree": "Greece", "kingdom\n": "United Kingdom"} {
		b.Open(page)
		out := b.Do(env.Action{Kind: env.Type, Text: text, Point: point(150, 115)})
		Contains(b.T, text, out.Text, fmt.Sprintf("chose %q", want), `"Country"`)
		b.Says(fmt.Sprintf("input %s, change %[1]s", want))
		b.Do(env.Action{Kind: env.Type, Text: text})
		b.Do(env.Action{Kind: env.Type, Text: text, Point: point(150, 115), Clear: true, Enter: true})
		b.Says(fmt.Sprintf("input %s, change %[1]s", want)) // nothing more: it was chosen
		b.write("Choose")
		b.Says(fmt.Sprintf("input %s, change %[1]s, input Choose, change Choose", want))
	}
	b.Open(page)
	b.Click(150, 115)
	Contains(b.T, "a disabled option", b.Fails(env.Action{Kind: env.Type, Text: "Ghana"}, env.NoEffect), "cannot be chosen", `"Germany"`)
	Contains(b.T, "a wrong name", b.Fails(env.Action{Kind: env.Type, Text: "Germny"}, env.NoEffect), `no "Germny"`, `"Germany"`)
	Contains(b.T, "two options", b.Fails(env.Action{Kind: env.Type, Text: "g"}, env.NoEffect), `"Germany" or "Greece"`)
	b.Says("-")
	b.write("Greece")
	b.Says("input Greece, change Greece")

	b.Open(page + `<script>f.addEventListener('change',()=>{f.selectedIndex=0})</script>`)
	b.Do(env.Action{Kind: env.Type, Text: "Greece", Point: point(150, 115)})
	b.Says("input Greece, change Greece") // once, though the page took it back

	b.Open(`<title>-</title><select id=f autofocus><optgroup label=One><option>a<option>b</optgroup><optgroup label=Two disabled><option>c</optgroup></select>` + told)
	b.Fails(env.Action{Kind: env.Type, Text: "c"}, env.NoEffect)
	b.write("b")
	b.Says("input b, change b")
}

func tellsLists(_ *testing.T, b *Tab) {
	for _, c := range []struct {
		y, n int
		tell bool
	}{{100, 3, false}, {860, 3, false}, {100, 60, true}, {100, 300, true}} {
		b.Open(list(at(100, c.y), numbered(c.n)...))
		before := b.See().Image
		out := b.Click(150, float64(c.y)+15)
		if out.Tell != c.tell {
			b.T.Errorf("%d options at %d: got %+v, want told %v", c.n, c.y, out, c.tell)
		}
		if c.tell {
			Contains(b.T, "a long list", out.Text, `list "Country"`, `now "number 0"`, `"number 7"`, "use type")
		}
		if string(b.See().Image) == string(before) {
			b.T.Errorf("%d options at %d: the picture does not show the list", c.n, c.y)
		}
		if len(out.Text) > 2500 {
			b.T.Errorf("%d options: told in %d bytes", c.n, len(out.Text))
		}
	}
	b.Open(list(at(100, 100), numbered(5)...) + `<script>f.addEventListener('mousedown',()=>setTimeout(()=>f.add(new Option('late one')),50))</script>`)
	b.Click(150, 115)
	b.write("late one")
	b.Says("input late one, change late one")
}

// styles are what pages do to their lists.
var styles = map[string]string{
	"plain": ``, "bare": `#f{appearance:none;-webkit-appearance:none;border:0;background:#eee}`, "unseen": `#f{opacity:0}`,
	"turned": `#f{transform:rotate(5deg) scale(1.2)}`, "zoomed": `body{zoom:1.1}`, "clear": `#f{color:transparent;font-size:0}`,
	"dark": `#f,option{background:#222;color:#fff}`, "native by force": `*{appearance:auto!important;-webkit-appearance:auto!important}`,
}

func choosesEverywhere(_ *testing.T, b *Tab) {
	body := `<!doctype html><title>-</title><style>body{margin:0}%s</style>` + `<select id=f aria-label=Country` + at(20, 20) + `><option>one<option>two<option>three</select>` + told
	pages := map[string]string{}
	for name, style := range styles {
		pages[name] = b.Site.Page("/"+strings.ReplaceAll(name, " ", ""), fmt.Sprintf(body, style))
	}
	pages["sheets thrown out"] = b.Site.Page("/out", fmt.Sprintf(body, "")+`<script>document.adoptedStyleSheets=[]</script>`)
	for name, policy := range map[string]string{"no styles": "style-src 'none'", "nothing": "default-src 'none'; script-src 'unsafe-inline'", "sandbox": "sandbox allow-scripts; style-src 'none'"} {
		pages[name] = b.Site.Handle("/"+strings.ReplaceAll(name, " ", ""), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Security-Policy", policy)
			_, _ = io.WriteString(w, strings.ReplaceAll(fmt.Sprintf(body, ""), `style="position:absolute;left:20px;top:20px`, `data-x="`))
		})
	}
	frame := `<title>-</title><script>onmessage=e=>document.title=e.data</script><iframe style="position:absolute;left:0;top:0;width:700px;height:300px;border:0" %s src="%s"></iframe>`
	plain := pages["plain"]
	pages["frame"] = b.Site.Page("/frame", fmt.Sprintf(frame, "", plain))
	pages["frame of another site"] = b.Site.Page("/other", fmt.Sprintf(frame, "", elsewhere(plain)))
	pages["sandboxed frame"] = b.Site.Page("/sandboxed", fmt.Sprintf(frame, `sandbox="allow-scripts"`, plain))
	for _, mode := range []string{"open", "closed"} {
		pages[mode+" root"] = b.Site.Page("/root"+mode, `<title>-</title><div id=host></div><script>const r=host.attachShadow({mode:'`+mode+`'});r.innerHTML='<select aria-label=Country style="position:absolute;left:20px;top:20px;width:200px;height:30px"><option>one<option>two<option>three</select>';
const f=r.querySelector('select'),seen=[];for(const k of ['input','change'])f.addEventListener(k,e=>{seen.push(k+' '+f.value+(e.isTrusted?'':'!'));document.title=seen.join(', ')})</script>`)
	}
	for name, address := range pages {
		b.Visit(address)
		y := 35.0
		if strings.Contains(name, "no styles") || name == "nothing" || name == "sandbox" {
			y = 20 // their lists lie where the browser puts them
		}
		before := b.See().Image
		out := b.Do(env.Action{Kind: env.LeftClick, Point: point(60, y)})
		if string(b.See().Image) == string(before) && !out.Tell {
			b.T.Errorf("%s: the list is neither drawn nor told: %q", name, out.Text)
		}
		b.write("three")
		b.Says("input three, change three")
		b.Do(env.Action{Kind: env.Type, Text: "two", Point: point(60, y)})
		b.Says("input three, change three, input two, change two")
		if b.T.Failed() {
			b.T.Fatalf("on a page of the kind %s", name)
		}
	}
}

func choosesUndrawn(_ *testing.T, b *Tab) {
	b.Open(list(strings.Replace(at(100, 100), "margin:0", "appearance:none!important", 1), "one", "two", "-three", "four"))
	out := b.Click(150, 115)
	if !out.Tell {
		b.T.Errorf("a list that stays closed: got %+v, want it told", out)
	}
	Contains(b.T, "outcome", out.Text, `now "one"`, `"two"`, `"four"`, "use type")
	b.write("four")
	b.Says("input four, change four")
	b.Press("Up")
	b.Says("input four, change four, input two, change two")
	b.Press("Space")
	b.write("one")
	b.Says("input four, change four, input two, change two, input one, change one")
	b.write("one")
	b.Says("input four, change four, input two, change two, input one, change one")
}

func choosesByKeys(_ *testing.T, b *Tab) {
	b.Open(list(at(100, 100), "one", "-two", "three", "four"))
	b.Click(150, 115)
	b.Press("ArrowDown")
	b.Press("ArrowDown")
	b.Press("Enter")
	b.Says("input four, change four")
	b.Click(150, 115)
	b.Press("Escape")
	b.Says("input four, change four")
	b.Open(`<title>-</title><button` + at(300, 100) + `onclick="f.showPicker()">open</button>` + list(at(100, 100), "one", "two", "three"))
	b.Click(350, 115)
	b.Press("Down")
	b.Press("Enter")
	b.Says("input two, change two")
}

func choosesSeveral(_ *testing.T, b *Tab) {
	box := strings.Replace(at(100, 100), "height:30px", "height:90px", 1) + "multiple"
	b.Open(list(box, numbered(20)...))
	b.Do(env.Action{Kind: env.Type, Text: "number 3\nNumber 17\nnumber 0\n", Point: point(150, 110)})
	b.Says("input number 3, change number 3, input number 3+number 17, change number 3+number 17, input number 0+number 3+number 17, change number 0+number 3+number 17")
	b.write("number 5")
	if got := b.See().Title; !strings.HasSuffix(got, "change number 5") {
		b.T.Errorf("the page saw %q, want one chosen at its end", got)
	}
	b.Fails(env.Action{Kind: env.Type, Text: "number 5\nnumber 99"}, env.NoEffect)
	out := b.Click(150, 130)
	if !out.Tell || !strings.Contains(out.Text, "one a line") {
		b.T.Errorf("a box that shows a part: got %+v, want the rest told", out)
	}
	b.Open(list(strings.Replace(at(100, 100), "height:30px", "height:90px", 1)+"size=4", "one", "two", "three"))
	b.Do(env.Action{Kind: env.Type, Text: "three", Point: point(150, 110)})
	b.Says("input three, change three")
}
