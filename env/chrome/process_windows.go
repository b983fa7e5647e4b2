package chrome

import (
	"os"
	"syscall"
)

// The protocol's pipes cannot be handed to a child on Windows, so startProcess
// fails there with Go's own error and Attach is the way in.

func ownGroup() *syscall.SysProcAttr { return nil }

func killGroup(p *os.Process) { _ = p.Kill() }

// SmallSharedMemory reports whether /dev/shm is too small for a browser, which
// only Linux has.
func SmallSharedMemory() bool { return false }

func sandboxHere() sandbox { return sandboxed }

func noScreen() string { return "" }
