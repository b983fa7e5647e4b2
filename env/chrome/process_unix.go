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

func smallSharedMemory() bool { return false }

func sandboxless() bool { return false }

func noScreen() string { return "" }
