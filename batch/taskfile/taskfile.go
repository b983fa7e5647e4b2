package taskfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fara/batch"
	"fara/userfile"
)

// maxFile bounds a file in bytes: the largest benchmarks, with their rubrics, have
// some tens of millions.
const maxFile = 256 << 20

// Options are what the caller knows of tasks.
type Options struct {
	// Format is the file's; empty finds it out.
	Format Format
	// Flags are the flags of a run that tasks may set, by name with hyphens.
	Flags map[string]Flag
	// Check is the caller's own check of a task that is fine so far; its error
	// becomes the fault of the task's line. Nil finds everything fine.
	Check func(batch.Task) error
}

// File is what stands in a file of tasks.
type File struct {
	// Tasks are the good ones, in the file's order; no two have one id.
	Tasks []batch.Task
	// Faults are all that is wrong, by line; a line may have several. A task with a
	// fault is none of Tasks.
	Faults []*userfile.Fault
	// Format is the one that the file was read as.
	Format Format
	// SHA256 is the hash of the file's bytes, as hex digits.
	SHA256 string
}

// Read reads the file at path. The error says that it cannot be read at all, or that
// there is no task in it, good or bad; all else is a fault of the File.
func Read(path string, opt Options) (File, error) {
	raw, err := contents(path)
	if err != nil {
		return File{}, err
	}
	sum := sha256.Sum256(raw)
	file, err := parse(path, raw, opt)
	file.SHA256 = hex.EncodeToString(sum[:])
	return file, err
}

// contents are the bytes of a file, or of a pipe, that is not too large.
func contents(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; name a file of tasks in it", path)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d MB; split it", path, maxFile>>20)
	}
	return raw, nil
}

// parse reads a file's contents.
func parse(path string, raw []byte, opt Options) (File, error) {
	if opt.Format != "" && wordsOf(opt.Format) == nil {
		return File{}, fmt.Errorf("there is no format %q of task files; use %s", opt.Format, formats())
	}
	text, err := plain(path, raw)
	if err != nil {
		return File{}, err
	}
	found, err := rowsOf(path, text, opt.Format)
	if err != nil {
		return File{}, err
	}
	if len(found.rows) == 0 && len(found.faults) == 0 {
		return File{}, fmt.Errorf("%s holds no task; %s", path, known)
	}
	if opt.Format == "" {
		if opt.Format, err = found.format(path); err != nil {
			return File{}, err
		}
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return File{}, err
	}
	b := builder{words: *wordsOf(opt.Format), folder: folder, opt: opt, lines: map[string]int{}, faults: found.faults}
	b.all(found)
	return b.file(path), nil
}
