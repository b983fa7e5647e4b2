//go:build unix

package control_test

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"fara/control"
)

func TestSignalsPauseAndResume(t *testing.T) {
	hold := &switchboard{}
	stop := control.Signals(hold.Pause, hold.Resume)
	for range 2 {
		for sig, held := range map[syscall.Signal]bool{syscall.SIGUSR1: true, syscall.SIGUSR2: false} {
			hold.held.Store(!held)
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(5 * time.Second); hold.Paused() != held; runtime.Gosched() {
				if time.Now().After(end) {
					t.Fatalf("%v: held is %v, want %v", sig, hold.Paused(), held)
				}
			}
		}
	}
	stop()
	hold.Resume()
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil { // ends nothing any more, and is not heard
		t.Fatal(err)
	}
	if hold.Paused() {
		t.Error("a signal was heard after the end")
	}
}
