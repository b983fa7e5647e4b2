package chrome

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// process is a running browser of ours.
type process struct {
	cmd    *exec.Cmd
	stderr *tail
	exited chan struct{} // closed when the main process was waited for
}

// startProcess starts the browser with the two pipes of its protocol as files 3
// and 4. Where the system can, the browser dies when the thread that started it
// does, so one goroutine keeps that thread until the browser has ended. temp is
// the folder of its temporary files; empty is the system's.
func startProcess(binary string, args []string, temp string) (*process, *pipe, error) {
	childIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	ourIn, childOut, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, childIn.Close(), ourOut.Close())
	}
	p := &process{cmd: exec.Command(binary, args...), stderr: &tail{}, exited: make(chan struct{})}
	p.cmd.Stderr = p.stderr
	if temp != "" {
		p.cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	}
	p.cmd.ExtraFiles = []*os.File{childIn, childOut}
	p.cmd.SysProcAttr = ownGroup()
	p.cmd.WaitDelay = 2 * time.Second // a child that keeps stderr open must not hold Wait
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait()
			close(p.exited)
		}
	}()
	err = <-started
	_, _ = childIn.Close(), childOut.Close()
	if err != nil {
		return nil, nil, errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	return p, newPipe(ourIn, ourOut), nil
}

// stop ends the browser and everything it started, and waits for the end. It
// gives the browser until ctx ends to leave by itself.
func (p *process) stop(ctx context.Context) error {
	select {
	case <-p.exited:
	case <-ctx.Done():
	}
	killGroup(p.cmd.Process)
	limit := time.NewTimer(5 * time.Second)
	defer limit.Stop()
	select {
	case <-p.exited:
		return nil
	case <-limit.C:
		return fmt.Errorf("browser process %d does not end", p.cmd.Process.Pid)
	}
}

// tail keeps the last few kilobytes written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 8 << 10

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}
	return len(b), nil
}

// lines gives the last n lines that say something.
func (t *tail) lines(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.FieldsFunc(string(t.text), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
