//go:build unix

package chrome

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockFile makes the file when needed and takes its lock, which ends with the
// process that holds it. It returns errHeld at once when another process has it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errHeld
	}
	return nil, err
}

// singleton reads the link that Chromium leaves in a profile while it uses it:
// "host-pid". Without one, pid is 0.
func singleton(dir string) (host string, pid int) {
	target, err := os.Readlink(filepath.Join(dir, "SingletonLock"))
	if err != nil {
		return "", 0
	}
	i := strings.LastIndexByte(target, '-')
	if i < 0 {
		return "", 0
	}
	if pid, err = strconv.Atoi(target[i+1:]); err != nil {
		return "", 0
	}
	return target[:i], pid
}

// browserLives reports whether a browser that uses the profile answers. One that
// was started on it would hand over to that browser instead of running.
func browserLives(dir string) bool {
	if _, pid := singleton(dir); pid == 0 {
		return false
	}
	c, err := net.DialTimeout("unix", filepath.Join(dir, "SingletonSocket"), time.Second)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// programName is the name of a running process as far as the system tells.
func programName(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return "another browser"
	}
	return strings.TrimSpace(string(name))
}
