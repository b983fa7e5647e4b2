package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fara/trajectory"
)

// Files and folders of a replay.
const (
	framesDir    = "frames"
	downloadsDir = "downloads"
	reportFile   = "replay.json"
	pageFile     = "report.html"
)

// Folder is where a replay is written:
//
//	replay.json      the Report, written last, by rename
//	report.html      the same for people, with the run's frames beside the replay's
//	frames/<n>.png   what was seen then and now, an identical frame once
//	downloads/       what the pages gave
//
// It belongs to one goroutine.
type Folder struct {
	id, dir string
	clean   func([]byte) []byte
	frames  map[string]string // by the hash of their bytes
}

// Create makes a replay's folder below out. What is written there, but for pictures, goes
// through clean first, which leaves JSON as it is read; nil takes out nothing.
func Create(out string, clean func([]byte) []byte) (*Folder, error) {
	id := trajectory.NewID(time.Now())
	dir, err := filepath.Abs(filepath.Join(out, id))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, framesDir), 0o755); err != nil {
		return nil, err
	}
	return &Folder{id: id, dir: dir, clean: clean, frames: map[string]string{}}, nil
}

// Dir is the folder's absolute path.
func (f *Folder) Dir() string { return f.dir }

// Downloads is the folder for what pages give. It need not exist yet.
func (f *Folder) Downloads() string { return filepath.Join(f.dir, downloadsDir) }

// Discard removes the folder of a replay that never began.
func (f *Folder) Discard() error { return os.RemoveAll(f.dir) }

// folderError is a replay that cannot be written.
type folderError struct{ err error }

func (e *folderError) Error() string { return e.err.Error() }
func (e *folderError) Unwrap() error { return e.err }

// frame stores a picture and gives its file below the folder.
func (f *Folder) frame(data []byte, mime string) (string, error) {
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	if file, ok := f.frames[hash]; ok {
		return file, nil
	}
	ending := ".png"
	if mime == "image/jpeg" {
		ending = ".jpg"
	}
	file := fmt.Sprintf("%s/%d%s", framesDir, len(f.frames)+1, ending)
	if err := os.WriteFile(filepath.Join(f.dir, filepath.FromSlash(file)), data, 0o644); err != nil {
		return "", &folderError{err}
	}
	f.frames[hash] = file
	return file, nil
}

// finish writes the page and then the report, and gives the report as it was written.
func (f *Folder) finish(r Report) (Report, error) {
	_ = os.Remove(f.Downloads()) // which fails when something is in it, or it is not there
	if f.clean != nil {
		raw, err := json.Marshal(r)
		if err != nil {
			return r, err
		}
		var cleaned Report
		if err := json.Unmarshal(f.clean(raw), &cleaned); err != nil {
			return r, err
		}
		r = cleaned
	}
	page, err := html(r)
	if err != nil {
		return r, err
	}
	if err := trajectory.WriteFile(filepath.Join(f.dir, pageFile), page); err != nil {
		return r, err
	}
	return r, trajectory.WriteJSON(filepath.Join(f.dir, reportFile), r)
}
