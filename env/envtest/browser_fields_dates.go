package envtest

import (
	"bytes"
	"fmt"
	"image"
	"strings"
	"testing"

	"fara/env"
)

func dateCases() []browserCase {
	return []browserCase{
		{name: "DatesAndTimesAreTyped", run: typesDates},
		{name: "AClickOnADateTellsHowToFillIt", run: tellsDates},
		{name: "LimitsOfADateAreTold", run: tellsLimits},
		{name: "PickersOfTheSystemStayClosed", run: keepsPickersClosed},
		{name: "ColoursAreSet", run: setsColours},
		{name: "SlidersGoToANumber", run: setsSliders},
	}
}

// dates are what is typed into which kind of input, and the value that is meant.
var dates = []struct{ kind, text, want string }{
	{"date", "2026-03-05", "2026-03-05"}, {"date", "03/25/2026", "2026-03-25"}, {"date", "5 March 2026", "2026-03-05"}, {"date", "1999-12-31", "1999-12-31"},
	{"time", "14:30", "14:30"}, {"time", "2:05 am", "02:05"}, {"time", "00:00", "00:00"}, {"time", "12:00 PM", "12:00"},
	{"month", "2026-03", "2026-03"}, {"month", "December 2026", "2026-12"}, {"week", "2026-W10", "2026-W10"},
	{"datetime-local", "2026-03-05T14:30", "2026-03-05T14:30"}, {"datetime-local", "2026-12-31 09:05", "2026-12-31T09:05"},
}

func typesDates(_ *testing.T, b *Tab) {
	old := map[string]string{"date": "2024-02-29", "time": "23:59", "month": "2024-02", "week": "2024-W52", "datetime-local": "2024-02-29T23:59"}
	for i, d := range dates {
		for _, value := range []string{"", old[d.kind]} {
			b.Open(fmt.Sprintf(`<title>-</title><input id=f type=%s value="%s" aria-label=When%s>`, d.kind, value, at(100, 100)) + told)
			out := b.Do(env.Action{Kind: env.Type, Text: d.text, Point: point(150, 115), Clear: i%2 == 0})
			Contains(b.T, d.text, out.Text, `"When"`, d.want)
			got := b.See().Title
			if !strings.HasSuffix(got, fmt.Sprintf("input %s, change %[1]s", d.want)) {
				b.T.Errorf("%s over %q into %s: the page saw %q, want %s at its end", d.text, value, d.kind, got, d.want)
			}
			b.write(d.text)
			if again := b.See().Title; again != got {
				b.T.Errorf("%s a second time: the page saw %q after %q", d.text, again, got)
			}
		}
	}
	b.Open(`<title>-</title><input id=f type=date value=2026-01-02` + at(100, 100) + `>` + told)
	Contains(b.T, "no date", b.Fails(env.Action{Kind: env.Type, Text: "soon", Point: point(150, 115)}, env.NoEffect), `"soon"`, "2026-03-05")
	Contains(b.T, "no such day", b.Fails(env.Action{Kind: env.Type, Text: "2026-02-30"}, env.NoEffect), "2026-02-30")
	b.Do(env.Action{Kind: env.Type, Clear: true})
	if got := b.See().Title; !strings.HasSuffix(got, "change ") && !strings.HasSuffix(got, "change") {
		b.T.Errorf("cleared: the page saw %q, want an empty value at its end", got)
	}
	b.Open(`<title>-</title><form onsubmit="document.title='sent '+f.value;return false"><input id=f type=date autofocus><button>send</button></form>`)
	b.Do(env.Action{Kind: env.Type, Text: "2026-03-05", Enter: true})
	b.Says("sent 2026-03-05")
}

func tellsDates(_ *testing.T, b *Tab) {
	for kind, want := range map[string][]string{
		"date": {`date field "Birthday"`, "now 2026-01-02", "2026-03-05"}, "time": {`time field "Birthday"`, "empty", "14:30"}, "month": {"month field", "2026-03"},
		"week": {"week field", "2026-W10"}, "datetime-local": {"date and time field", "2026-03-05T14:30"}, "color": {"colour field", "now #000000", "#ff8800"},
	} {
		b.Open(fmt.Sprintf(`<title>-</title><input id=f type=%s aria-label=Birthday%svalue=2026-01-02>`, kind, at(100, 100)))
		out := b.Click(290, 115)
		if !out.Tell {
			b.T.Errorf("%s: got %+v, want it told", kind, out)
		}
		Contains(b.T, kind, out.Text, want...)
	}
}

func tellsLimits(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><input id=f type=date min=2026-01-01 max=2026-12-31 step=7` + at(100, 100) + `>` + told)
	Contains(b.T, "a click", b.Click(150, 115).Text, "from 2026-01-01 to 2026-12-31")
	for text, want := range map[string]string{"2025-12-31": "before or below 2026-01-01", "2027-01-01": "after or above 2026-12-31", "2026-01-03": "steps of 7", "2026-01-08": ""} {
		out := b.write(text)
		if out.Tell != (want != "") {
			b.T.Errorf("%s: got %+v, want told %v", text, out, want != "")
		}
		Contains(b.T, text, out.Text, text, want)
	}
}

func keepsPickersClosed(_ *testing.T, b *Tab) {
	for _, kind := range []string{"date", "datetime-local", "month", "week", "time", "color"} {
		b.Open(fmt.Sprintf(`<!doctype html><title>-</title><style>*{caret-color:transparent;outline:0}</style><input id=f type=%s%s><button%sonclick="f.showPicker();document.title='asked'">pick</button><input id=g type=%[1]s style="display:none"><div id=host%[4]s></div>
<script>host.attachShadow({mode:'closed'}).innerHTML='<input type=%[1]s style="width:200px;height:30px">'</script>`, kind, at(100, 100), at(400, 100), at(100, 200)))
		for _, at := range []env.Point{{X: 290, Y: 115}, {X: 450, Y: 115}, {X: 290, Y: 215}} {
			b.Do(env.Action{Kind: env.LeftClick, Point: &at})
			if !b.blank() {
				b.T.Errorf("%s clicked at %v: something opened below it", kind, at)
			}
		}
		b.Click(110, 115)
		for _, keys := range []string{"Space", "alt+down", "F4"} {
			b.Press(keys)
			if !b.blank() {
				b.T.Errorf("%s, %s pressed: something opened below it", kind, keys)
			}
		}
		b.Says("asked")
	}
}

func setsColours(_ *testing.T, b *Tab) {
	for text, want := range map[string]string{"#ff8800": "#ff8800", "orange": "#ffa500", "#ABC": "#aabbcc", "rgb(1, 2, 3)": "#010203"} {
		b.Open(`<title>-</title><input id=f type=color aria-label=Paint` + at(100, 100) + `>` + told)
		out := b.Do(env.Action{Kind: env.Type, Text: text, Point: point(150, 115), Clear: true})
		Contains(b.T, text, out.Text, want, `"Paint"`)
		b.Says(fmt.Sprintf("input %s!, change %[1]s!", want))
	}
	Contains(b.T, "no colour", b.Fails(env.Action{Kind: env.Type, Text: "blurple"}, env.NoEffect), "blurple", "#ff8800")
}

func setsSliders(_ *testing.T, b *Tab) {
	b.Open(`<title>-</title><input id=f type=range min=0 max=200 step=5 value=10 aria-label=Volume` + at(100, 100) + `autofocus>` + told)
	for text, want := range map[string]string{"50": "50", "200": "200", "0": "0"} {
		Contains(b.T, text, b.write(text).Text, "to "+want)
		if got := b.See().Title; !strings.HasSuffix(got, fmt.Sprintf("input %s, change %[1]s", want)) {
			b.T.Errorf("%s: the page saw %q, want %s at its end", text, got, want)
		}
	}
	if out := b.write("52"); !out.Tell || !strings.Contains(out.Text, "to 50") {
		b.T.Errorf("52 in steps of 5: got %+v, want 50 told", out)
	}
	b.Fails(env.Action{Kind: env.Type, Text: "loud"}, env.NoEffect)
}

// blank reports whether nothing is drawn below y=250.
func (b *Tab) blank() bool {
	b.T.Helper()
	picture, _, err := image.Decode(bytes.NewReader(b.See().Image))
	if err != nil {
		b.T.Fatal(err)
	}
	for y := 250; y < picture.Bounds().Dy(); y += 5 {
		for x := 0; x < picture.Bounds().Dx(); x += 5 {
			if r, g, bl, _ := picture.At(x, y).RGBA(); r&g&bl != 0xffff {
				return false
			}
		}
	}
	return true
}
