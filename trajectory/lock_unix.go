//go:build unix

package trajectory

import (
	"errors"
	"os"
	"syscall"
)

// Lock takes a file for this process, for as long as it is open: the system
// lets go of it even when the process is killed. It reports false when another
// process has it.
func Lock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOLCK) {
		return true, nil // a file system that knows no locks
	}
	return err == nil, err
}
