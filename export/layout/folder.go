package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// folder is a run's folder while it is written: below a temporary name, so that a
// folder with its own name is whole.
type folder struct{ tmp, path string }

// create begins a folder. It returns an error that wraps fs.ErrExist when there is
// one of that name.
func create(dir, name string) (*folder, error) {
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s: %w; export into an empty folder", path, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(dir, ".writing-*")
	if err != nil {
		return nil, err
	}
	return &folder{tmp: tmp, path: path}, os.Chmod(tmp, 0o755)
}

// finish gives the folder its name when err is nil, and removes it otherwise.
func (f *folder) finish(err error) error {
	if err == nil {
		err = os.Rename(f.tmp, f.path)
	}
	if err != nil {
		os.RemoveAll(f.tmp)
	}
	return err
}

func (f *folder) write(name string, data []byte) error {
	path := filepath.Join(f.tmp, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func (f *folder) writeJSON(name string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	return f.write(name, b.Bytes())
}

// writeLines writes one value a line.
func (f *folder) writeLines(name string, values []any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return f.write(name, b.Bytes())
}
