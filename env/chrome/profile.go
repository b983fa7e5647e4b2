package chrome

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	profilePrefix = "fara-profile-"
	ownerFile     = "owner.lock"
)

// profile is the browser's user data folder.
type profile struct {
	dir       string
	lock      *os.File
	temporary bool
}

// openProfile uses dir, or makes a temporary folder when dir is empty. On that
// occasion it removes the temporary folders of owners that were killed.
func openProfile(dir string) (*profile, error) {
	if dir != "" {
		return keepProfile(dir)
	}
	sweepProfiles(os.TempDir())
	dir, err := os.MkdirTemp("", profilePrefix)
	if err != nil {
		return nil, fmt.Errorf("temporary profile: %w", err)
	}
	lock, err := lockFile(filepath.Join(dir, ownerFile))
	if err != nil {
		return nil, fmt.Errorf("temporary profile: %w", err)
	}
	return &profile{dir: dir, lock: lock, temporary: true}, nil
}

// keepProfile uses a folder of the user's. Its lock is ours, since two browsers
// that start in the same instant do not always notice each other.
func keepProfile(dir string) (*profile, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("profile folder: %w", err)
	}
	lock, err := lockFile(filepath.Join(dir, ownerFile))
	if err != nil {
		return nil, fmt.Errorf("the profile %s is in use by another run, or cannot be written; choose another --profile-dir (%w)", dir, err)
	}
	return &profile{dir: dir, lock: lock}, nil
}

// tempDir is where the browser may put its own temporary files, so that they go
// with the profile: "" when the path would be too long for the socket it makes
// there, which may have 107 bytes in all.
func (p *profile) tempDir() string {
	const socket = len("/org.chromium.Chromium.XXXXXX/SingletonSocket")
	if !p.temporary || len(p.dir)+socket > 100 {
		return ""
	}
	return p.dir
}

// close removes a temporary profile. A browser that has just died may still be
// writing, so it tries until ctx ends.
func (p *profile) close(ctx context.Context) error {
	defer p.lock.Close()
	if !p.temporary {
		return nil
	}
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
		path := filepath.Join(dir, ownerFile)
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
