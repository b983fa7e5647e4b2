package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	profilePrefix = "fara-profile-"
	ownerFile     = "owner.lock"
)

// errHeld means that another process has a lock.
var errHeld = errors.New("another process has it")

// profile is the browser's user data folder.
type profile struct {
	dir       string
	lock      *os.File
	temporary bool
	reaper    *reaper // nil when there is none
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
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("temporary profile: %w", err)
	}
	lock, err := lockFile(filepath.Join(dir, ownerFile))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("temporary profile: %w", err), os.RemoveAll(dir))
	}
	return &profile{dir: dir, lock: lock, temporary: true, reaper: startReaper(dir)}, nil
}

// keepProfile uses a folder of the user's. Its lock is ours, since two browsers
// that start in the same instant do not always notice each other.
func keepProfile(dir string) (*profile, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("profile folder: %w; choose another --profile-dir", err)
	}
	path := filepath.Join(dir, ownerFile)
	lock, err := lockFile(path)
	if errors.Is(err, errHeld) {
		return nil, fmt.Errorf("the profile %s is in use by another run%s; wait for it or choose another --profile-dir", dir, nameInLock(path))
	}
	if err != nil {
		return nil, fmt.Errorf("the profile %s cannot be used: %w; choose another --profile-dir", dir, err)
	}
	p := &profile{dir: dir, lock: lock}
	if browserLives(dir) {
		defer lock.Close()
		return nil, fmt.Errorf("the profile %s is in use%s; close that browser or choose another --profile-dir", dir, p.heldBy())
	}
	_ = lock.Truncate(0)
	_, _ = fmt.Fprintf(lock, "%s, process %d\n", filepath.Base(os.Args[0]), os.Getpid())
	return p, nil
}

// nameInLock says who has written themselves into a lock file: " (fara, process 12)".
func nameInLock(path string) string {
	text, err := os.ReadFile(path)
	name := strings.TrimSpace(string(text))
	if err != nil || name == "" {
		return ""
	}
	return " (" + cut(name, 60) + ")"
}

// heldBy says which browser has the profile, as that has noted it there:
// " by chromium, process 12".
func (p *profile) heldBy() string {
	host, pid := singleton(p.dir)
	if pid == 0 {
		return " by another browser"
	}
	if own, err := os.Hostname(); err == nil && own != host {
		return fmt.Sprintf(" by a browser on the computer %s, process %d", cut(host, 60), pid)
	}
	return fmt.Sprintf(" by %s, process %d", programName(pid), pid)
}

// tempDir is where the browser may put its own temporary files, so that they go
// with the profile. The path must not be too long for the socket it makes there,
// which may have 107 bytes in all; "" leaves it the system's folder.
func (p *profile) tempDir() string {
	const socket = len("/org.chromium.Chromium.XXXXXX/SingletonSocket")
	switch {
	case p.temporary && len(p.dir)+socket <= 100:
		return p.dir
	case len(os.TempDir())+socket > 100:
		return "/tmp"
	}
	return ""
}

// tidy removes what a killed browser leaves outside its profile: the folder of
// the socket by which a second start would find it.
func (p *profile) tidy() {
	socket, err := os.Readlink(filepath.Join(p.dir, "SingletonSocket"))
	if err != nil || !filepath.IsAbs(socket) || filepath.Base(socket) != "SingletonSocket" {
		return
	}
	dir := filepath.Dir(socket)
	_ = os.Remove(socket)
	_ = os.Remove(filepath.Join(dir, "SingletonCookie"))
	_ = os.Remove(dir) // only when nothing else is in it
}

// inUseBy tells the reaper whose end it has to wait for.
func (p *profile) inUseBy(pid int) {
	if p.reaper != nil {
		p.reaper.watch(pid)
	}
}

// close removes a temporary profile. A browser that has just died may still be
// writing, so it tries until ctx ends, five seconds at most.
func (p *profile) close(ctx context.Context) error {
	defer p.lock.Close()
	p.tidy()
	if !p.temporary {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := poll(ctx, 20*time.Millisecond, func() (bool, error) { return os.RemoveAll(p.dir) == nil, nil })
	if p.reaper != nil {
		p.reaper.dismiss()
	}
	if err != nil {
		return fmt.Errorf("temporary profile: %w", os.RemoveAll(p.dir))
	}
	return nil
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
