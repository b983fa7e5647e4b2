package chrome_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/env"
	"fara/env/chrome"
)

const hidden = "Tr0ub4dor-x"

// hiding is a browser with a site of its own whose mask a test sets.
type hiding struct {
	tab
	t      *testing.T
	values []string
	site   *httptest.Server
	page   string
	scale  float64
}

func newHiding(t *testing.T, cfg chrome.Config) *hiding {
	t.Helper()
	h := &hiding{t: t, scale: max(cfg.Scale, 1)}
	h.site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/frame":
			fmt.Fprint(w, `<!doctype html><body style="margin:0"><p style="margin:30px 0 0 40px;font:20px monospace">pre <b>`+hidden+`</b> post`)
		case "/hang":
			fmt.Fprint(w, `<!doctype html><p>shown<script>setTimeout(() => { for (;;); }, 300)</script>`)
		default:
			fmt.Fprint(w, h.page)
		}
	}))
	t.Cleanup(h.site.Close)
	if cfg.Viewport == (env.Size{}) {
		cfg.Viewport = env.Size{W: 800, H: 600}
	}
	cfg.Mask = func() []string { return h.values }
	h.tab = ownTab(t, cfg)
	return h
}

func (h *hiding) show(page string) {
	h.t.Helper()
	h.page = strings.ReplaceAll(page, "OTHER", "http://"+elsewhereHost(h.site.URL))
	h.Visit(h.site.URL + "/?" + fmt.Sprint(time.Now().UnixNano()))
}

func elsewhereHost(url string) string {
	return strings.Replace(strings.TrimPrefix(url, "http://"), "127.0.0.1", "localhost", 1)
}

// both takes a picture without the mask and one with it.
func (h *hiding) both(values ...string) (bare, masked image.Image) {
	h.t.Helper()
	h.values = nil
	bare = h.look()
	h.values = values
	masked = h.look()
	return bare, masked
}

func (h *hiding) look() image.Image {
	h.t.Helper()
	obs := h.See()
	img, _, err := image.Decode(bytes.NewReader(obs.Image))
	if err != nil {
		h.t.Fatal(err)
	}
	return img
}

func rgb(c color.Color) [3]uint32 { r, g, b, _ := c.RGBA(); return [3]uint32{r >> 8, g >> 8, b >> 8} }

// painted are the pixels that differ, as the smallest box around them; they must all
// be of one colour.
func painted(t *testing.T, bare, masked image.Image) (image.Rectangle, int) {
	t.Helper()
	if bare.Bounds() != masked.Bounds() {
		t.Fatalf("got a picture of %v, want %v", masked.Bounds(), bare.Bounds())
	}
	var all image.Rectangle
	var cloth [3]uint32
	n := 0
	for y := range bare.Bounds().Dy() {
		for x := range bare.Bounds().Dx() {
			c := rgb(masked.At(x, y))
			if c == rgb(bare.At(x, y)) {
				continue
			}
			if n++; n == 1 {
				cloth = c
			} else if c != cloth {
				t.Fatalf("(%d, %d): got the colour %v, want %v as at the other places", x, y, c, cloth)
			}
			all = all.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	return all, n
}

// tellBox has a page tell in its title where the element v lies.
const tellBox = `<script>onload = () => { const r = v.getBoundingClientRect(); document.title = [r.left, r.top, r.right, r.bottom].join(' ') }</script>`

// boxOf is what tellBox tells, in the picture's pixels.
func (h *hiding) boxOf() image.Rectangle {
	h.t.Helper()
	var l, t, r, b float64
	if _, err := fmt.Sscan(h.See().Title, &l, &t, &r, &b); err != nil {
		h.t.Fatal(err)
	}
	s := h.scale
	return image.Rect(int(l*s), int(t*s), int(r*s+0.99), int(b*s+0.99))
}

// over says whether paint lies over a box, give or take a few pixels.
func over(paint, box image.Rectangle, slack int) bool {
	return box.Inset(1).In(paint) && paint.In(box.Inset(-slack))
}

func TestMaskPaintsExactlyOverTheValue(t *testing.T) {
	t.Parallel()
	for _, scale := range []float64{1, 2} {
		h := newHiding(t, chrome.Config{Scale: scale})
		for name, page := range map[string]string{
			"text":                            `<p>before <b id=v>` + hidden + `</b> after`,
			"in a longer text":                `<style>p { font: 20px monospace } #v { position: absolute; left: 132px; top: 100px; width: 132px; height: 24px } p { position: absolute; left: 0; top: 100px; margin: 0; line-height: 24px }</style><p>01234567890` + hidden + `89</p><i id=v></i>`,
			"a field":                         `<p>Name: <input id=v value="` + hidden + `"><p>other`,
			"a hidden password":               `<input id=v type=password value="` + hidden + `">`,
			"a placeholder":                   `<input id=v placeholder="like ` + hidden + `">`,
			"a textarea":                      `<textarea id=v>one ` + hidden + ` two</textarea>`,
			"a button's value":                `<input id=v type=button value="` + hidden + `">`,
			"a button":                        `<button><span id=v>` + hidden + `</span></button>`,
			"an editable text":                `<div contenteditable style="width:300px">some <span id=v>` + hidden + `</span> text</div>`,
			"a list":                          `<select id=v><option>` + hidden + `<option>other</select>`,
			"a long list":                     `<select size=3 style="font:16px monospace"><option>one<option id=v>` + hidden + `<option>other</select>`,
			"a letter per span":               `<p>x <b id=v>` + "<span>" + strings.Join(strings.Split(hidden, ""), "</span><span>") + "</span></b> y",
			"letters in boxes":                `<div id=v style="display:inline-flex"><i>` + strings.Join(strings.Split(hidden, ""), "</i><i>") + "</i></div>",
			"another case":                    `<p>x <b id=v>` + strings.ToUpper(hidden) + `</b> y`,
			"set in capitals":                 `<p>x <b id=v style="text-transform:uppercase">` + hidden + `</b> y`,
			"white space in it":               `<p>x <b id=v>Tr0u b4do&nbsp;r -<!-- -->&shy;x</b> y`,
			"one digit per field":             `<div id=v style="display:inline-block"><input size=4 value=Tr0u><input size=4 value=b4do><input size=4 value=r-x></div>`,
			"an open shadow root":             `<div id=v style="display:inline-block"></div><script>v.attachShadow({mode: "open"}).innerHTML = "` + hidden + `"</script>`,
			"a closed shadow root":            `<p>a</p><div id=v style="display:inline-block"></div><script>v.attachShadow({mode: "closed"}).innerHTML = "<b>` + hidden + `</b>"</script>`,
			"a declared closed root":          `<p>a</p><div id=v style="display:inline-block"><template shadowrootmode=closed><b>` + hidden + `</b></template></div>`,
			"a field in a closed shadow root": `<p>a</p><div id=v style="display:inline-block"></div><script>v.attachShadow({mode: "closed"}).innerHTML = "<input style='margin:0' value='` + hidden + `'>"</script>`,
			"made up by a style":              `<style>#v::before { content: "` + hidden + `" }</style><p>some <b id=v></b> text`,
			"zoomed":                          `<p style="zoom:1.7">x <b id=v>` + hidden + `</b> y`,
			"scaled and turned":               `<p style="transform:translate(100px,100px) rotate(25deg) scale(1.4);width:300px">x <b id=v>` + hidden + `</b> y`,
			"scrolled":                        `<body style="height:3000px"><p style="margin-top:700px">x <b id=v>` + hidden + `</b> y<script>scrollTo(0, 400)</script>`,
			"a drawn text":                    `<svg width=400 height=60><text id=v x=20 y=40 font-size=20>` + hidden + `</text></svg>`,
			"a copied drawing":                `<svg width=0 height=0><defs><text id=o y=30>` + hidden + `</text></defs></svg><svg width=400 height=60><use id=v href="#o" x=20 /></svg>`,
			"a missing picture":               `<img id=v src=/none.png alt="` + hidden + `" width=200 height=40>`,
		} {
			if scale == 2 && !slices.Contains([]string{"text", "a field", "a closed shadow root", "made up by a style", "scrolled"}, name) {
				continue
			}
			h.show(`<!doctype html><meta charset=utf-8>` + page + `<p>the end of the page` + tellBox)
			bare, masked := h.both(hidden)
			paint, n := painted(t, bare, masked)
			want := h.boxOf()
			if !over(paint, want, int(10*scale)) || n < paint.Dx()*paint.Dy()/4 {
				t.Errorf("%s at %v: %d pixels painted in %v, want over %v", name, scale, n, paint, want)
			}
		}
	}
}

func TestMaskReachesFramesOfOtherSites(t *testing.T) {
	t.Parallel()
	h := newHiding(t, chrome.Config{})
	for name, page := range map[string]string{
		"of the same site":   `<iframe id=f src=/frame style="position:absolute;left:100px;top:120px;width:500px;height:100px;border:3px solid"></iframe>`,
		"of another site":    `<iframe id=f src=OTHER/frame style="position:absolute;left:100px;top:120px;width:500px;height:100px;border:3px solid"></iframe>`,
		"scrolled":           `<body style="height:2000px"><iframe id=f src=OTHER/frame style="position:absolute;left:100px;top:420px;width:500px;height:100px;border:3px solid"></iframe><script>scrollTo(0, 300)</script>`,
		"in a closed root":   `<div id=x></div><script>x.attachShadow({mode: "closed"}).innerHTML = '<iframe src=OTHER/frame style="position:absolute;left:100px;top:120px;width:500px;height:100px;border:3px solid"></iframe>'</script>`,
		"in a frame's frame": `<iframe srcdoc='<body style="margin:0"><iframe src=OTHER/frame style="position:absolute;left:50px;top:60px;width:500px;height:100px;border:3px solid">' style="position:absolute;left:47px;top:57px;width:700px;height:300px;border:3px solid"></iframe>`,
	} {
		h.show(`<!doctype html>` + page)
		bare, masked := h.both(hidden)
		paint, n := painted(t, bare, masked)
		want := image.Rect(148+43, 120+3+30, 148+43+121, 120+3+30+22) // 11 letters of 12 pixels behind "pre "
		if !want.In(paint) || !paint.In(want.Inset(-18)) || n < want.Dx()*want.Dy() {
			t.Errorf("%s: %d pixels painted in %v, want over %v", name, n, paint, want)
		}
	}
}

func TestMaskPaintsOverAFrameThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	h := newHiding(t, chrome.Config{})
	h.show(`<!doctype html><p>page</p><iframe src=OTHER/hang style="position:absolute;left:100px;top:120px;width:300px;height:100px;border:3px solid"></iframe>`)
	_, err := h.Perform(t.Context(), env.Action{Kind: env.Wait, For: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	bare, masked := h.both(hidden)
	paint, n := painted(t, bare, masked)
	if want := image.Rect(103, 123, 403, 223); !over(paint, want, 3) || n < want.Dx()*want.Dy()-400 {
		t.Errorf("%d pixels painted in %v, want all of the frame %v", n, paint, want)
	}
}

func TestMaskIsAllThatChangesAPicture(t *testing.T) {
	t.Parallel()
	h := newHiding(t, chrome.Config{})
	h.show(`<!doctype html><p>Tr0ub4dor and x and ` + hidden[:9] + `</p>`)
	h.values = nil
	bare := h.See().Image
	h.values = []string{hidden, "", "4711"}
	if masked := h.See().Image; !bytes.Equal(bare, masked) {
		t.Error("a page that shows none of the values has another picture with a mask")
	}
}

func TestMaskHidesAFieldThatASecretWasTypedInto(t *testing.T) {
	t.Parallel()
	h := newHiding(t, chrome.Config{})
	h.show(`<!doctype html><input id=v type=password style="position:absolute;left:50px;top:50px;width:200px;height:30px">
		<button style="position:absolute;left:300px;top:50px;width:100px;height:30px" onclick="v.type = 'text'; v.value = [...v.value].reverse().join('-')">Show</button>
		<button style="position:absolute;left:300px;top:150px;width:100px;height:30px" onclick="v.value = ''">Empty</button>`)
	document := h.See().URL
	typed := env.Action{Kind: env.Type, Text: hidden, Point: at(100, 65), Document: document + "#part"}
	h.Do(typed)
	box := image.Rect(50, 50, 254, 84)
	grey := func(what string, want bool) {
		t.Helper()
		img := h.look()
		cloth, same := rgb(img.At(60, 55)), true
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				same = same && rgb(img.At(x, y)) == cloth
			}
		}
		if same != want {
			t.Errorf("%s: got a field of one colour %v, want %v", what, same, want)
		}
	}
	grey("typed", true)
	h.Click(350, 65)
	grey("shown and turned", true)
	h.Click(350, 165)
	grey("empty", false)
	typed.Document = h.site.URL + "/elsewhere"
	h.Fails(typed, env.Moved)
	grey("refused", false)
	typed.Document, typed.Text = "", "public"
	h.Do(typed)
	grey("typed again, no secret", true)
}

// colours says whether a picture shows any of a colour that only the value has.
func colours(img image.Image) (n int) {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if c := rgb(img.At(x, y)); c[0] > 180 && c[1] < 90 && c[2] < 90 {
				n++
			}
		}
	}
	return n
}

func TestMaskMissesNoFrameOfAPageThatMoves(t *testing.T) {
	t.Parallel()
	h := newHiding(t, chrome.Config{})
	const style = `<!doctype html><style>body { font: 22px monospace } #v, input { color: #f00; font: 22px monospace } </style>`
	const steps = `<script>let n = 0; const step = () => { n++; `
	const again = `; requestAnimationFrame(step) }; step()</script>`
	for name, page := range map[string]string{
		"moves by a style":          `<style>@keyframes m { to { transform: translate(600px, 300px) } } #v { position: absolute; animation: m .7s linear infinite alternate }</style><b id=v>` + hidden + `</b>`,
		"moves by a script":         `<b id=v style="position:absolute">` + hidden + `</b>` + steps + `v.style.left = n * 9 % 600 + "px"; v.style.top = n * 7 % 400 + "px"` + again,
		"is written every frame":    `<p><i id=o></i> <b id=v></b></p>` + steps + `o.textContent = "n".repeat(n % 30); v.textContent = "` + hidden + `"` + again,
		"comes and goes":            `<p id=v></p>` + steps + `v.textContent = n % 2 ? "` + hidden + `" : ""` + again,
		"comes and goes by a style": `<p id=v>` + hidden + `</p>` + steps + `v.style.display = n % 2 ? "" : "none"; ` + again,
		"comes and goes in a field": `<input id=v>` + steps + `v.value = n % 2 ? "` + hidden + `" : ""` + again,
		"is made anew":              `<div id=o></div>` + steps + `o.innerHTML = "<p style='margin-left:" + n % 50 * 10 + "px'><b id=v>` + hidden + `</b>"` + again,
		"scrolls":                   `<div style="height:4000px;padding-top:900px"><b id=v>` + hidden + `</b></div>` + steps + `scrollTo(0, 450 + n * 13 % 400)` + again,
		"in a closed root":          `<div id=o></div><script>const r = o.attachShadow({mode: "closed"})</script>` + steps + `r.innerHTML = "<b style='color:red'>" + (n % 2 ? "` + hidden + `" : "") + "</b>"` + again,
	} {
		h.show(style + page)
		h.values = nil
		seen := false
		for i := 0; i < 30 && !seen; i++ {
			seen = colours(h.look()) > 30
		}
		if !seen {
			t.Errorf("%s: the value is never to be seen without a mask", name)
		}
		h.values = []string{hidden}
		for range 6 {
			if n := colours(h.look()); n > 0 {
				t.Errorf("%s: got %d pixels of the value", name, n)
			}
		}
	}
}

func TestMaskKeepsTheFormat(t *testing.T) {
	t.Parallel()
	h := newHiding(t, chrome.Config{FrameFormat: chrome.JPEG})
	h.show(`<!doctype html><p>x <b id=v>` + hidden + `</b>` + tellBox)
	h.values = []string{hidden}
	obs := h.See()
	img, format, err := image.Decode(bytes.NewReader(obs.Image))
	if err != nil || format != "jpeg" || obs.MIME != "image/jpeg" || img.Bounds().Size() != image.Pt(800, 600) {
		t.Fatalf("got %v %v %v, want a jpeg of 800x600", format, obs.MIME, err)
	}
	box := h.boxOf()
	if c := rgb(img.At(box.Min.X+10, box.Min.Y+10)); c[0] > 120 {
		t.Errorf("got %v in the value's box, want paint", c)
	}
}

func TestMaskIsQuick(t *testing.T) {
	h := newHiding(t, chrome.Config{Viewport: env.Size{W: 1440, H: 896}})
	var rows strings.Builder
	for i := range 300 {
		fmt.Fprintf(&rows, `<p class=row>Some <b>words</b> of row %d and <a href="/x/%d">a link</a></p>`, i, i)
	}
	for _, in := range []string{"", hidden} {
		h.show(`<!doctype html><p>` + in + `</p>` + rows.String())
		for _, values := range [][]string{nil, {hidden, "another-value"}} {
			h.values = values
			h.See()
			began := time.Now()
			for range 10 {
				h.See()
			}
			t.Logf("shown %v, %d values: %v", in != "", len(values), time.Since(began)/10)
		}
	}
}
