//go:build unix && !linux

package chrome

import (
	"os"
	"syscall"
)

// ownGroup puts the browser into a process group of its own. When we die the
// browser notices that its protocol pipe has ended and quits.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// SmallSharedMemory reports whether /dev/shm is too small for a browser, which
// only Linux has.
func SmallSharedMemory() bool { return false }

func sandboxHere() sandbox { return sandboxed }

func noScreen() string { return "" }
