package envtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fara/env"
)

func fileCases() []browserCase {
	return []browserCase{
		{name: "WithoutFilesAPageIsGivenNone", run: givesNone},
		{name: "TheOnlyFileIsGivenAtOnce", options: files("report.pdf"), run: givesTheOnly},
		{name: "AFileIsGivenByItsName", options: files("a.txt", "b.png", "Brief é.txt"), run: givesByName},
	}
}

// files makes the options of a browser that may give the named files, each with its
// name as its content.
func files(names ...string) func(t *testing.T) Options {
	return func(t *testing.T) (o Options) {
		dir := t.TempDir()
		for _, name := range names {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
			o.Uploads = append(o.Uploads, path)
		}
		return o
	}
}

// took has the function took write into the title which files an input holds, and
// what is in the first.
const took = `<title>-</title><script>let n=0;onmessage=e=>document.title=e.data;const took=async i=>{n++;const f=[...i.files];top.postMessage(n+': '+f.map(x=>x.name).join('+')+' '+(f[0]?await f[0].text():''),'*')}</script>`

// askers are the ways in which pages ask for a file; each is clicked at (50, 50).
func askers(b *Tab, attributes string) map[string]string {
	input := `<input type=file aria-label=Attachment ` + attributes + ` onchange="took(this)" oncancel="document.title='cancelled'" `
	inner := b.Site.Page("/inner", took+input+target+`>`)
	frame := `<iframe style="position:absolute;left:0;top:0;width:300px;height:150px;border:0" src="%s"></iframe>`
	return map[string]string{
		"an input":     took + input + target + `>`,
		"a label":      took + `<label` + target + `>Upload` + input + ` style="display:none"></label>`,
		"a button":     took + input + ` id=i hidden><button` + target + `onclick="i.click()">Upload</button>`,
		"a made input": took + `<button` + target + `onclick="const i=document.createElement('input');i.type='file';for(const a of '` + attributes + `'.split(' '))if(a)i[a]=true;i.onchange=()=>took(i);i.oncancel=()=>document.title='cancelled';i.click()">Upload</button>`,
		"showPicker":   took + input + ` id=i hidden><button` + target + `onclick="i.showPicker()">Upload</button>`,
		"a frame":      took + fmt.Sprintf(frame, inner), "a frame of another site": took + fmt.Sprintf(frame, elsewhere(inner)),
	}
}

// seeSoon observes within the time that a file dialog may hold up a picture.
func (b *Tab) seeSoon() env.Observation {
	b.T.Helper()
	began := time.Now()
	obs := b.See()
	if took := time.Since(began); took > 2*time.Second {
		b.T.Errorf("the picture after the file dialog took %v", took)
	}
	return obs
}

// askedFor checks that just one note tells of a file and gives it.
func (b *Tab) askedFor(way string, parts ...string) {
	b.T.Helper()
	notes := Noted(b.seeSoon().Notes, env.NoteDialog)
	if len(notes) != 1 {
		b.T.Fatalf("%s: got notes %+v, want one", way, notes)
	}
	Contains(b.T, way, notes[0].Text, parts...)
	if strings.Contains(notes[0].Text, string(filepath.Separator)) {
		b.T.Errorf("%s: the note tells a path: %q", way, notes[0].Text)
	}
}

func givesNone(_ *testing.T, b *Tab) {
	for way, html := range askers(b, "") {
		b.Open(html)
		b.Click(50, 50)
		b.askedFor(way, "asked for a file", "none")
		if !strings.Contains(way, "frame") {
			b.Says("cancelled")
		}
	}
	b.Open(`<title>-</title><button` + target + `onclick="(window.showOpenFilePicker?showOpenFilePicker():Promise.reject({name:'AbortError'})).then(()=>document.title='opened',e=>document.title=e.name)">open</button>`)
	b.Click(50, 50)
	b.seeSoon()
	b.Says("AbortError")
}

func givesTheOnly(_ *testing.T, b *Tab) {
	for _, attributes := range []string{"", "multiple", "accept=.png"} {
		for way, html := range askers(b, attributes) {
			if way == "a made input" && attributes != "" {
				continue
			}
			b.Open(html)
			b.Click(50, 50)
			b.askedFor(way, "given: report.pdf")
			b.Says("1: report.pdf report.pdf")
		}
	}
	b.Open(askers(b, "")["an input"])
	out := b.Do(env.Action{Kind: env.Type, Text: "report.pdf", Point: point(50, 50)})
	Contains(b.T, "typed as well", out.Text, "given")
	b.Says("1: report.pdf report.pdf")
	b.Open(askers(b, "webkitdirectory")["an input"])
	b.Click(50, 50)
	b.askedFor("a folder", "whole folder", "none")
}

func givesByName(_ *testing.T, b *Tab) {
	for way, html := range askers(b, "") {
		b.Open(html)
		b.Click(50, 50)
		b.askedFor(way, "type", "a.txt, b.png, Brief é.txt")
		b.Says("-")
		Contains(b.T, way, b.Fails(env.Action{Kind: env.Type, Text: "c.txt"}, env.NoEffect), `"c.txt"`, "b.png")
		Contains(b.T, way, b.Fails(env.Action{Kind: env.Type, Text: "a.txt\nb.png"}, env.NoEffect), "one file")
		if strings.Contains(way, "frame") || way == "an input" {
			b.write("Brief é.txt")
			b.Says("1: Brief é.txt Brief é.txt")
			continue
		}
		b.Click(50, 50)
		b.See()
		Contains(b.T, way, b.write("b.png").Text, "given", "b.png")
		b.Says("1: b.png b.png")
		b.Do(env.Action{Kind: env.Type, Text: "a.txt", Point: point(50, 50)})
		b.Says("2: a.txt a.txt")
	}
	for way, html := range askers(b, "multiple") {
		b.Open(html)
		b.Click(50, 50)
		b.askedFor(way, "one a line")
		b.write("a.txt\nb.png\n")
		b.Says("1: a.txt+b.png a.txt")
	}
	b.Open(took + `<input type=file autofocus onchange="took(this)"><input id=t style="position:absolute;left:0;top:200px;width:200px;height:30px">`)
	b.write("a.txt")
	b.Says("1: a.txt a.txt")
	b.Do(env.Action{Kind: env.Type, Text: "a.txt", Point: point(50, 215)})
	b.Says("1: a.txt a.txt")
}
