//go:build unix

package chrome

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// reaperScript is what the system's shell does for us after our death.
//
//go:embed reaper.sh
var reaperScript string

// reaper is a shell that holds the other end of a pipe of ours. When that ends
// without a word, we were killed; then it waits until the browser has gone too and
// removes the temporary profile.
type reaper struct {
	cmd *exec.Cmd
	in  *os.File
}

// startReaper gives nil where it cannot be: then the next start sweeps. It is in a
// group of its own, so that what kills ours spares it.
func startReaper(dir string) *reaper {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer theirs.Close()
	cmd := exec.Command("/bin/sh", "-c", reaperScript, "fara-reaper", dir)
	cmd.Dir, cmd.Stdin = "/", theirs
	cmd.Env = []string{"PATH=" + os.Getenv("PATH") + ":/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		_ = ours.Close()
		return nil
	}
	return &reaper{cmd, ours}
}

// watch names the process that has to be gone first.
func (r *reaper) watch(pid int) { _, _ = fmt.Fprintln(r.in, pid) }

// dismiss ends it: there is nothing left to do for it.
func (r *reaper) dismiss() {
	_, _ = fmt.Fprintln(r.in, "done")
	_ = r.in.Close()
	stuck := time.AfterFunc(2*time.Second, func() { _ = r.cmd.Process.Kill() })
	defer stuck.Stop()
	_ = r.cmd.Wait()
}
