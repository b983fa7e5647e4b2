package export

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Where an export of whole runs has them when there is but one part, and the hashes
// of its files, as sha256sum reads them.
const (
	runsDir  = "runs"
	sumsFile = "SHA256SUMS"
)

// layouts writes the runs one after another.
func (x *exporter) layouts(ctx context.Context, p *plan) error {
	writers := map[string]RunWriter{}
	for _, u := range p.units {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e := u[0]
		part := e.part
		if len(x.c.parts()) == 1 {
			part = runsDir
		}
		w, ok := writers[part]
		if !ok {
			dir := filepath.Join(x.folder.Dir, part)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			w = x.c.Layout(dir)
			writers[part] = w
		}
		if err := x.layout(p, e, w); err != nil {
			return err
		}
	}
	return x.sums()
}

func (x *exporter) layout(p *plan, e *entry, w RunWriter) error {
	s, err := Open(e.dir)
	if err == nil {
		e.sum, err = hashFile(filepath.Join(e.dir, "events.jsonl"))
	}
	if err == nil {
		_, err = w.Add(s)
	}
	if err != nil {
		return x.c.skip(p, e.dir, err)
	}
	e.rows = 1
	x.manifest.Rows.Total++
	x.manifest.Rows.Parts[e.part]++
	x.c.Told(Note{Run: e.origin.Run, Dir: e.dir, Part: e.part, Rows: 1})
	return nil
}

// sums writes the hashes of all files.
func (x *exporter) sums() error {
	out, err := x.folder.Create(sumsFile)
	if err != nil {
		return err
	}
	err = filepath.WalkDir(x.folder.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(x.folder.Dir, path)
		if err != nil || name == sumsFile {
			return err
		}
		sum, err := hashFile(path)
		if err == nil {
			_, err = fmt.Fprintf(out, "%s  %s\n", sum, filepath.ToSlash(name))
		}
		return err
	})
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, bufio.NewReaderSize(f, 1<<16))
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
