package chrome

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const profilePrefix = "fara-profile-"

// profile is the browser's user data folder.
type profile struct {
	dir   string
	owned *os.File // the lock of a temporary profile; nil when it is kept
}

// openProfile uses dir, or makes a temporary folder when dir is empty. On that
// occasion it removes the temporary folders of owners that were killed.
func openProfile(dir string) (*profile, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("profile folder: %w", err)
		}
		return &profile{dir: dir}, nil
	}
	sweepProfiles(os.TempDir())
	dir, err := os.MkdirTemp("", profilePrefix)
	if err != nil {
		return nil, fmt.Errorf("temporary profile: %w", err)
	}
	owned, err := lockFile(filepath.Join(dir, "owner.lock"))
	if err != nil {
		return nil, fmt.Errorf("temporary profile: %w", err)
	}
	return &profile{dir: dir, owned: owned}, nil
}

// close removes a temporary profile. A browser that has just died may still be
// writing, so it tries until ctx ends.
func (p *profile) close(ctx context.Context) error {
	if p.owned == nil {
		return nil
	}
	defer p.owned.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := os.RemoveAll(p.dir)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("temporary profile: %w", err)
		}
	}
}

// sweepProfiles removes the folders whose owner holds no lock any more. A folder
// younger than a minute may be one whose owner is about to take the lock.
func sweepProfiles(parent string) {
	dirs, _ := filepath.Glob(filepath.Join(parent, profilePrefix+"*"))
	for _, dir := range dirs {
		path := filepath.Join(dir, "owner.lock")
		if _, err := os.Stat(path); err != nil {
			info, err := os.Stat(dir)
			if err == nil && time.Since(info.ModTime()) > time.Minute {
				_ = os.RemoveAll(dir)
			}
			continue
		}
		if lock, err := lockFile(path); err == nil {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}
	}
}
