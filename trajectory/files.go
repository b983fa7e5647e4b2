package trajectory

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// WriteJSON writes v as indented JSON under a temporary name and renames it, onto the
// disk, so that the file is either whole or as it was.
func WriteJSON(path string, v any) error { return writeJSON(path, v, nil) }

// writeJSON writes v under a temporary name and renames it, so that the file is
// either whole or not there.
func writeJSON(path string, v any, clean func([]byte) []byte) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	if clean != nil {
		return WriteFile(path, clean(buf.Bytes()))
	}
	return WriteFile(path, buf.Bytes())
}

// WriteFile writes data the same way, for all to read.
func WriteFile(path string, data []byte) error { return writeFileMode(path, data, 0o644) }

func writeFileMode(path string, data []byte, mode os.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err = os.Chmod(f.Name(), mode); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
