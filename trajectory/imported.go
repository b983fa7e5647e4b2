package trajectory

import (
	"path/filepath"
	"time"
)

// Imported is the origin of a run that another program recorded. Task.Fara names that
// program. What it did not record is empty: the request of a Proposed event without a
// hash is not known as it was sent, and neither are limits that are 0.
type Imported struct {
	// Format is the recording's: "datapoint", "webeval" or "ui-tars".
	Format string `json:"format"`
	// Source is the base name of the folder or file that was read, Files how many
	// files of it, SHA256 the hash over their names and contents, in hex.
	Source string `json:"source"`
	Files  int    `json:"files"`
	SHA256 string `json:"sha256"`
	// At is when it was imported.
	At time.Time `json:"at"`
	// Notes are what had to be assumed or left out, a line each.
	Notes []string `json:"notes,omitempty"`
}

// Clock has a run's events carry another clock's time: for what happened earlier, and
// elsewhere.
func (w *Writer) Clock(now func() time.Time) { w.now = now }

// Restate writes the run's task anew, as when what had to be assumed is known only at the
// end of an import.
func (w *Writer) Restate(task Task) error {
	task.Version = Version
	return writeJSON(filepath.Join(w.dir, taskFile), task, w.clean)
}
