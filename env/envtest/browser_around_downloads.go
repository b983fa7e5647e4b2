package envtest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/env"
)

// waysToAFile are pages whose target sends for a file that holds "a,b".
var waysToAFile = map[string]string{
	"a link with the download attribute": `<a href=/plain download=list.csv` + target + `>file</a>`,
	"a link to an attachment":            `<a href=/file` + target + `>file</a>`,
	"a link in a new tab":                `<a href=/file target=_blank` + target + `>file</a>`,
	"a window":                           `<button` + target + `onclick="window.open('/file')">file</button>`,
	"a redirect":                         `<a href=/moved` + target + `>file</a>`,
	"a form":                             `<form method=post action=/file><button` + target + `>file</button></form>`,
	"a frame":                            `<button` + target + `onclick="document.body.append(Object.assign(document.createElement('iframe'),{src:'/file'}))">file</button>`,
	"a blob":                             `<button` + target + `onclick="Object.assign(document.createElement('a'),{href:window.URL.createObjectURL(new Blob(['a,b'])),download:'list.csv'}).click()">file</button>`,
	"a data address":                     `<a href="data:text/csv,a,b" download=list.csv` + target + `>file</a>`,
}

func downloadCases() []browserCase {
	cases := []browserCase{
		{"a file is refused without a folder", nil, refusedFile},
	}
	for name, html := range waysToAFile {
		cases = append(cases, fileCase("a file comes by "+name, func(t *testing.T, b *Tab, dir string) {
			b.Open(html)
			b.Click(50, 50)
			arrives(t, b, dir, "list.csv", "a,b")
			if obs := b.See(); obs.URL != b.Site.URL+"/page" || len(obs.Tabs) != 1 {
				t.Errorf("afterwards at %s of %+v, want the page, alone", obs.URL, obs.Tabs)
			}
		}))
	}
	return append(cases,
		fileCase("an address that is a file is downloaded", visitedFile),
		fileCase("several files at once all come", severalFiles),
		fileCase("files of one name do not clash", sameNames),
		fileCase("no name leads out of the folder", hostileNames),
		fileCase("an empty file is a file", emptyFile),
		fileCase("a file of a second is there with the next picture", slowFile),
		fileCase("a file that never ends is told and leaves nothing", endlessFile),
		fileCase("a file that breaks off is told and leaves nothing", brokenFile),
	)
}

// fileCase is a case with a folder of its own, in which /file and /plain are files.
func fileCase(name string, run func(t *testing.T, b *Tab, dir string)) browserCase {
	var dir string
	options := func(t *testing.T) Options {
		dir = t.TempDir()
		return Options{DownloadDir: dir}
	}
	return browserCase{name, options, func(t *testing.T, b *Tab) {
		b.Site.Handle("/plain", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a,b") })
		b.Site.Handle("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/file", http.StatusFound) })
		b.attachment("/file", "filename=list.csv", "a,b")
		run(t, b, dir)
	}}
}

// attachment serves a text as a file.
func (b *Tab) attachment(path, name, text string) {
	b.Site.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; "+name)
		fmt.Fprint(w, text)
	})
}

// arrives waits for the one note of a finished file and checks what it says.
func arrives(t *testing.T, b *Tab, dir, name, text string) {
	t.Helper()
	obs := b.until("downloaded", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteDownload)) > 0 })
	notes := Noted(obs.Notes, env.NoteDownload)
	if len(notes) != 1 {
		t.Errorf("notes: got %+v, want one", notes)
	}
	Contains(t, "note", notes[0].Text, "downloaded a file", fmt.Sprintf("%d bytes", len(text)), dir)
	if notes[0].Quote != name {
		t.Errorf("quoted: got %q, want the file's name %q", notes[0].Quote, name)
	}
	if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
		t.Errorf("%s holds %q, %v; want %q", name, got, err, text)
	}
}

// names are what a folder holds, in order.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

func refusedFile(t *testing.T, b *Tab) {
	b.attachment("/file", "filename=list.csv", "a,b")
	b.Open(`<title>page</title><a href=/file` + target + `>file</a>`)
	b.Click(50, 50)
	obs := b.until("told", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteDownload)) > 0 })
	note := Noted(obs.Notes, env.NoteDownload)[0]
	Contains(t, "note", note.Text, "refused")
	if note.Quote != "list.csv" || obs.Title != "page" {
		t.Errorf("got %+v at %q, want the name quoted and the page there", note, obs.Title)
	}
	out := b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.URL + "/file"})
	if Contains(t, "visit", out.Text, "refused"); !out.Tell {
		t.Errorf("visit: %+v is not told", out)
	}
}

func visitedFile(t *testing.T, b *Tab, dir string) {
	for i, path := range []string{"/file", "/moved"} {
		out := b.Do(env.Action{Kind: env.VisitURL, URL: b.Site.URL + path})
		if Contains(t, path, out.Text, "download"); !out.Tell {
			t.Errorf("%s: %+v is not told", path, out)
		}
		arrives(t, b, dir, []string{"list.csv", "list (2).csv"}[i], "a,b")
	}
}

func severalFiles(t *testing.T, b *Tab, dir string) {
	for _, n := range []string{"1", "2", "3"} {
		b.attachment("/"+n, "filename="+n+".txt", n)
	}
	b.Open(`<button` + target + `onclick="for(const n of '123')Object.assign(document.createElement('a'),{href:'/'+n,download:''}).click()">files</button>`)
	b.Click(50, 50)
	b.until("all there", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteDownload)) == 3 })
	if got := names(t, dir); !slices.Equal(got, []string{"1.txt", "2.txt", "3.txt"}) {
		t.Errorf("got %q", got)
	}
}

func sameNames(t *testing.T, b *Tab, dir string) {
	b.Open(`<a href=/file` + target + `>file</a>`)
	for range 3 {
		b.Click(50, 50)
		b.until("there", func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteDownload)) == 1 })
	}
	if got := names(t, dir); !slices.Equal(got, []string{"list (2).csv", "list (3).csv", "list.csv"}) {
		t.Errorf("got %q", got)
	}
}

func hostileNames(t *testing.T, b *Tab, dir string) {
	hostile := []string{
		`filename="../../up.txt"`, `filename="..\\..\\up.txt"`, `filename*=UTF-8''..%2f..%2fup.txt`, `filename="CON"`, `filename="aux.txt"`,
		`filename=".bashrc"`, `filename=""`, ``, `filename*=UTF-8''invoice%E2%80%AEgpj.exe`, `filename="/etc/passwd"`, `filename="a:b|c?.txt"`,
		`filename*=UTF-8''` + strings.Repeat("%E4%B8%AD", 300) + ".txt", `filename="   "`, `filename="x.txt\x00.exe"`, `filename="desktop.ini"`,
	}
	for i, name := range hostile {
		b.attachment(fmt.Sprintf("/f%d", i), name, "x")
		b.Do(env.Action{Kind: env.VisitURL, URL: fmt.Sprintf("%s/f%d", b.Site.URL, i)})
		b.until("there: "+name, func(obs env.Observation) bool { return len(Noted(obs.Notes, env.NoteDownload)) == 1 })
	}
	got := names(t, dir)
	if len(got) != len(hostile) {
		t.Errorf("got %d files for %d names: %q", len(got), len(hostile), got)
	}
	for _, name := range got {
		stem, _, _ := strings.Cut(strings.ToLower(name), ".")
		if strings.ContainsAny(name, "/\\:|?\x00\u202e") || name[0] == '.' || len(name) > 200 || stem == "con" || stem == "aux" {
			t.Errorf("unsafe name %q", name)
		}
	}
	if outside := names(t, filepath.Dir(dir)); len(outside) != 1 {
		t.Errorf("beside the folder: %q", outside)
	}
}

func emptyFile(t *testing.T, b *Tab, dir string) {
	b.attachment("/none", "filename=none.txt", "")
	b.Open(`<a href=/none` + target + `>file</a>`)
	b.Click(50, 50)
	arrives(t, b, dir, "none.txt", "")
}

// slowFile takes a second, and the observation after the click has it.
func slowFile(t *testing.T, b *Tab, dir string) {
	b.Site.Handle("/slow", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=slow.txt")
		fmt.Fprint(w, "begin")
		w.(http.Flusher).Flush()
		select {
		case <-time.After(time.Second):
			fmt.Fprint(w, " end")
		case <-r.Context().Done():
		}
	})
	b.Open(`<a href=/slow` + target + `>file</a>`)
	b.Click(50, 50)
	notes := Noted(b.See().Notes, env.NoteDownload)
	if len(notes) != 1 || notes[0].Quote != "slow.txt" || !strings.Contains(notes[0].Text, "9 bytes") {
		t.Errorf("the picture after the click: notes %+v, want the file finished", notes)
	}
}

func endlessFile(t *testing.T, b *Tab, dir string) {
	b.Site.Handle("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=endless.bin")
		w.Header().Set("Content-Type", "application/octet-stream")
		fmt.Fprint(w, strings.Repeat("x", 1<<16))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	b.Open(`<a href=/endless` + target + `>file</a>`)
	b.Click(50, 50)
	notes := Noted(b.See().Notes, env.NoteDownload)
	if len(notes) != 1 || notes[0].Quote != "endless.bin" {
		t.Fatalf("notes: got %+v, want one of a file that is still coming", notes)
	}
	Contains(t, "note", notes[0].Text, "still running")
	if notes := Noted(b.See().Notes, env.NoteDownload); len(notes) != 0 {
		t.Errorf("told again: %+v", notes)
	}
	if err := b.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left in the folder: %q", got)
	}
}

func brokenFile(t *testing.T, b *Tab, dir string) {
	b.Site.Handle("/broken", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=broken.bin")
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	b.Open(`<a href=/broken` + target + `>file</a>`)
	b.Click(50, 50)
	obs := b.until("told", func(obs env.Observation) bool {
		notes := Noted(obs.Notes, env.NoteDownload)
		return len(notes) > 0 && strings.Contains(notes[len(notes)-1].Text, "broke off")
	})
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left in the folder: %q; notes %+v", got, obs.Notes)
	}
}
