package export

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FramesDir is where an export has its frames, by their content.
const FramesDir = "frames"

// Images says where rows have their pictures.
type Images string

// Where they can be.
const (
	// Linked: in files of their own, which rows name.
	Linked Images = "files"
	// Embedded: in the rows.
	Embedded Images = "embed"
)

// Folder is an export while it is written: beside the folder it is to become, under
// a temporary name. It belongs to one goroutine.
type Folder struct {
	// Dir is where it is written.
	Dir    string
	images Images
	out    string
	// Files are those that were written and closed, without frames.
	Files []File
	// Frames counts the frames that were stored, FrameBytes their bytes.
	Frames     int
	FrameBytes int64
	stored     map[string]bool
}

// File is a file of an export.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	// Rows is 0 for files that hold none.
	Rows int `json:"rows,omitempty"`
}

// newFolder begins one that is to become out.
func newFolder(out string, images Images) (*Folder, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+"-*")
	if err != nil {
		return nil, err
	}
	return &Folder{Dir: tmp, out: out, images: images, stored: map[string]bool{}}, os.Chmod(tmp, 0o755)
}

// discard leaves nothing of it.
func (f *Folder) discard() { os.RemoveAll(f.Dir) }

// publish gives it its name. What had the name before is moved aside first and goes
// when the new one is there.
func (f *Folder) publish() error {
	old := f.Dir + "-old"
	err := os.Rename(f.out, old)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.Rename(f.Dir, f.out)
	case err != nil:
		return err
	}
	if err := os.Rename(f.Dir, f.out); err != nil {
		return errors.Join(err, os.Rename(old, f.out))
	}
	return os.RemoveAll(old)
}

// Create begins a file of the export. Its Close adds it to Files.
func (f *Folder) Create(name string) (*Output, error) {
	path := filepath.Join(f.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	o := &Output{folder: f, name: name, file: file, sum: sha256.New()}
	o.buf = bufio.NewWriterSize(io.MultiWriter(file, o.sum), 1<<16)
	o.enc = json.NewEncoder(o)
	o.enc.SetEscapeHTML(false)
	return o, nil
}

// Output is a file that is being written.
type Output struct {
	// Rows is how many rows it holds; its writer counts them.
	Rows   int
	folder *Folder
	name   string
	file   *os.File
	buf    *bufio.Writer
	sum    hash.Hash
	enc    *json.Encoder
	size   int64
}

// Write writes bytes.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.buf.Write(p)
	o.size += int64(n)
	return n, err
}

// Line writes a row as a line of JSON.
func (o *Output) Line(v any) error {
	o.Rows++
	return o.enc.Encode(v)
}

// Close puts the file onto the disk and writes down what it is.
func (o *Output) Close() error {
	err := errors.Join(o.buf.Flush(), o.file.Sync(), o.file.Close())
	if err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	o.folder.Files = append(o.folder.Files, File{o.name, hex.EncodeToString(o.sum.Sum(nil)), o.size, o.Rows})
	return nil
}

// writeText writes a whole file.
func (f *Folder) writeText(name, text string) error {
	out, err := f.Create(name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return errors.Join(err, out.Close())
}

// Picture gives what a row has for a frame: its file's name, which is then in the
// folder, or a data: URL where pictures are embedded.
func (f *Folder) Picture(p Frame) (string, error) {
	if f.images == Embedded {
		data, err := f.Bytes(p)
		if err != nil {
			return "", err
		}
		return "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(data), nil
	}
	if f.stored[p.File] {
		return p.File, nil
	}
	size, err := f.store(p)
	if err != nil {
		return "", err
	}
	f.stored[p.File] = true
	f.Frames++
	f.FrameBytes += size
	return p.File, nil
}

// Bytes gives a frame's bytes, which are those that were recorded or an error.
func (f *Folder) Bytes(p Frame) ([]byte, error) {
	data, err := os.ReadFile(p.Path)
	if err != nil {
		return nil, err
	}
	if hexOf(data) != p.SHA256 {
		return nil, fmt.Errorf("%s: %w", p.Path, errFrame)
	}
	return data, nil
}

// store copies a frame. A copy, and no link: who changes the export's must not change
// the run's.
func (f *Folder) store(p Frame) (int64, error) {
	data, err := f.Bytes(p)
	if err != nil {
		return 0, err
	}
	path := filepath.Join(f.Dir, filepath.FromSlash(p.File))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return 0, err
	}
	return int64(len(data)), os.WriteFile(path, data, 0o644)
}
