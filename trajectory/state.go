package trajectory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// stateFile holds what an environment needs to go on where it is. It may hold
// logins, so only its owner can read it, and a run that is over has none.
const stateFile = "state.json"

// Keep stores what an environment needs to go on from here, in the place of what
// was kept before. What no longer holds a secret's value is kept.
func (w *Writer) Keep(state []byte) error {
	if w.clean != nil {
		state = w.clean(state)
	}
	if err := writeFileMode(filepath.Join(w.dir, stateFile), state, 0o600); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// State gives what was kept last; nil when nothing was.
func (r *Run) State() ([]byte, error) {
	state, err := os.ReadFile(filepath.Join(r.Dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return state, err
}

// forget removes it.
func (w *Writer) forget() error {
	err := os.Remove(filepath.Join(w.dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
