package chrome

import (
	"os"
	"syscall"
)

// The protocol's pipes cannot be handed to a child on Windows, so startProcess
// fails there with Go's own error and Attach is the way in.

func ownGroup() *syscall.SysProcAttr { return nil }

func killGroup(p *os.Process) { _ = p.Kill() }

func smallSharedMemory() bool { return false }

func sandboxless() bool { return false }

func noScreen() string { return "" }
