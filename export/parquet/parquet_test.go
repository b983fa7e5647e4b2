package parquet_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"fara/export"
	"fara/export/exporttest"
	"fara/export/parquet"
)

// wide is a row as it is read back.
type wide struct {
	ID       string    `parquet:"id,optional"`
	Messages []message `parquet:"messages,list,optional" parquet-element:",optional"`
	Images   []struct {
		Bytes []byte `parquet:"bytes,optional"`
		Path  string `parquet:"path,optional"`
	} `parquet:"images,list,optional" parquet-element:",optional"`
	Tools    string    `parquet:"tools,optional"`
	Chosen   []message `parquet:"chosen,list,optional" parquet-element:",optional"`
	Rejected []message `parquet:"rejected,list,optional" parquet-element:",optional"`
	Fara     string    `parquet:"fara,optional"`
}

type message struct {
	Role    string `parquet:"role,optional"`
	Content []struct {
		Type string  `parquet:"type,optional"`
		Text *string `parquet:"text,optional"`
	} `parquet:"content,list,optional" parquet-element:",optional"`
	Weight *int64 `parquet:"weight,optional"`
}

func exported(t *testing.T, runs []string, change func(c *export.Config)) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	c := export.Config{
		Runs: runs, Out: out, Name: "parquet", Format: &parquet.Format{}, Kind: export.Replies, Per: export.PerStep,
		Trained: export.Trained{export.Model: true}, Fara: "test", SkipUnfinished: true,
	}
	var err error
	if c.Split, err = export.ParseSplit("train=1"); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&c)
	}
	m, err := export.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if m.Requests.Refused > 0 {
		t.Fatalf("%d requests were refused: %+v", m.Requests.Refused, m.Refusals)
	}
	return out
}

func oddRuns(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var out []string
	odd := exporttest.Odd()
	for _, name := range slices.Sorted(maps.Keys(odd)) {
		teller := odd[name](dir)
		if err := teller.Err(); err != nil {
			t.Fatal(err)
		}
		out = append(out, teller.Dir())
	}
	return out
}

func rowsOf(t *testing.T, files ...string) []wide {
	t.Helper()
	var out []wide
	for _, file := range files {
		rows, err := pq.ReadFile[wide](file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rows...)
	}
	return out
}

func TestRowsHoldThePicturesOfTheirPlaces(t *testing.T) {
	out := exported(t, oddRuns(t), nil)
	rows := rowsOf(t, filepath.Join(out, "data", "train-00000-of-00001.parquet"))
	if len(rows) < 40 {
		t.Fatalf("got %d rows, want those of all odd runs", len(rows))
	}
	for _, r := range rows {
		places, weighted := 0, int64(0)
		for _, m := range r.Messages {
			for _, p := range m.Content {
				if p.Type == "image" {
					places++
				}
			}
			if (m.Role == "assistant") != (m.Weight != nil) {
				t.Errorf("row %s: a turn of %s has weight %v", r.ID, m.Role, m.Weight)
			}
			if m.Weight != nil {
				weighted += *m.Weight
			}
		}
		if places != len(r.Images) || places == 0 || weighted != 1 {
			t.Errorf("row %s has %d places for %d pictures and %d answers to learn", r.ID, places, len(r.Images), weighted)
		}
		for _, p := range r.Images {
			sum := sha256.Sum256(p.Bytes)
			if !strings.HasPrefix(p.Path, "frames/"+hex.EncodeToString(sum[:])) {
				t.Errorf("row %s: the picture %s is another", r.ID, p.Path)
			}
		}
		var known struct {
			Answers []struct {
				Request string `json:"request_sha256"`
			} `json:"answers"`
		}
		if err := json.Unmarshal([]byte(r.Fara), &known); err != nil || len(known.Answers) != 1 || len(known.Answers[0].Request) != 64 {
			t.Errorf("row %s: the column fara is %s", r.ID, r.Fara)
		}
	}
}

func TestFilesAreNamedByTheirNumberAndListed(t *testing.T) {
	out := exported(t, oddRuns(t), func(c *export.Config) { c.Format = &parquet.Format{ShardBytes: 200_000} })
	found, err := filepath.Glob(filepath.Join(out, "data", "*"))
	if err != nil || len(found) < 3 {
		t.Fatalf("got files %q, %v; want several", found, err)
	}
	var manifest export.Manifest
	raw, err := os.ReadFile(filepath.Join(out, export.ManifestFile))
	if err == nil {
		err = json.Unmarshal(raw, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, ids := 0, map[string]bool{}
	for i, path := range found {
		name := fmt.Sprintf("data/train-%05d-of-%05d.parquet", i, len(found))
		at := slices.IndexFunc(manifest.Files, func(f export.File) bool { return f.Path == name })
		if !strings.HasSuffix(path, filepath.FromSlash(name)) || at < 0 {
			t.Fatalf("got file %s, want %s, also in the manifest", path, name)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if hex.EncodeToString(sum[:]) != manifest.Files[at].SHA256 {
			t.Errorf("%s is not what the manifest says", name)
		}
		rows += manifest.Files[at].Rows
		for _, r := range rowsOf(t, path) {
			ids[r.ID] = true
		}
	}
	if len(ids) != rows || rows != manifest.Rows.Total {
		t.Errorf("got %d different rows, the files' %d, want %d", len(ids), rows, manifest.Rows.Total)
	}
}

func TestSameRowsGiveTheSameBytes(t *testing.T) {
	runs := oddRuns(t)
	var files [2][]byte
	for i := range files {
		out := exported(t, runs, nil)
		data, err := os.ReadFile(filepath.Join(out, "data", "train-00000-of-00001.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = data
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two exports of the same runs differ")
	}
}

func TestPairHasTheRequestAndTwoAnswers(t *testing.T) {
	r := bare(t)
	r.Rejected = &export.Turn{Role: "assistant", Text: "worse"}
	read := write(t, &parquet.Format{}, r)
	if len(read) != 1 {
		t.Fatalf("got %d rows, want 1", len(read))
	}
	p := read[0]
	if len(p.Messages) != len(r.Turns)-1 || len(p.Chosen) != 1 || len(p.Rejected) != 1 ||
		*p.Chosen[0].Content[0].Text != r.Last().Text || *p.Rejected[0].Content[0].Text != "worse" {
		t.Errorf("got %+v, want the request, the better answer and the worse", p)
	}
}

func TestMemoryStaysFlat(t *testing.T) {
	r := bare(t)
	r.Turns[1].Text = strings.Repeat("so many words, ", 1<<16) // a megabyte
	var most uint64
	writeTo(t, &parquet.Format{}, &export.Folder{Dir: t.TempDir()}, func(w export.Writer) {
		for i := range 120 {
			r.Turns[0].Text = fmt.Sprint(i)
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
			if i%20 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	})
	if most > 90<<20 {
		t.Errorf("got %d MB in use while 120 MB were written, want less than 90", most>>20)
	}
}

// bare is a row without pictures.
func bare(t *testing.T) *export.Row {
	t.Helper()
	return &export.Row{ID: "r-1", Turns: []export.Turn{
		{Role: "system", Text: "s", By: export.Runtime}, {Role: "user", Text: "u", By: export.Person},
		{Role: "assistant", Text: "better", By: export.Model, Train: true, Answer: &export.Answer{}},
	}}
}

func write(t *testing.T, f *parquet.Format, rows ...*export.Row) []wide {
	t.Helper()
	folder := &export.Folder{Dir: t.TempDir()}
	writeTo(t, f, folder, func(w export.Writer) {
		for _, r := range rows {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
	})
	return rowsOf(t, filepath.Join(folder.Dir, "data", "train-00000-of-00001.parquet"))
}

func writeTo(t *testing.T, f *parquet.Format, folder *export.Folder, work func(w export.Writer)) {
	t.Helper()
	part := export.Part{Name: "train", Kind: export.Replies}
	w, err := f.Begin(folder, part)
	if err != nil {
		t.Fatal(err)
	}
	work(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Finish(folder, []export.Part{part}); err != nil {
		t.Fatal(err)
	}
}
