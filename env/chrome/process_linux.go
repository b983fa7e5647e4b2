package chrome

import (
	"os"
	"syscall"
)

// ownGroup puts the browser into a process group of its own, which can be ended
// as a whole, and has the kernel end it when we die, however we die.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// SmallSharedMemory reports whether /dev/shm is too small for a browser, as
// containers have it by default (64 MB). Launch then has it use files instead.
func SmallSharedMemory() bool {
	var fs syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &fs); err != nil {
		return true
	}
	return fs.Blocks*uint64(fs.Bsize) < 256<<20
}

// sandboxHere says whether Chromium's sandbox can work for this user.
func sandboxHere() sandbox {
	if os.Geteuid() == 0 {
		return unsandboxed
	}
	return sandboxed
}

// noScreen says what is missing for showing a window, empty when nothing is.
func noScreen() string {
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return "DISPLAY is not set; start from a desktop session, use xvfb-run, or leave --headful out"
	}
	return ""
}
