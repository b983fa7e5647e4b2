//go:build unix

package natsd

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile opens a file that only one server at a time can have open; the system lets
// go of it even when the process is killed.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		_ = f.Close()
		return nil, fmt.Errorf("%w; join the server that has it, or choose another folder", ErrInUse)
	}
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOLCK) {
		err = nil // a file system that knows no locks
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
