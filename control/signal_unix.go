//go:build unix

package control

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals has SIGUSR1 pause and SIGUSR2 resume until stop is called.
func Signals(pause, resume func()) (stop func()) {
	got := make(chan os.Signal, 8)
	signal.Notify(got, syscall.SIGUSR1, syscall.SIGUSR2)
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case s := <-got:
				if s == syscall.SIGUSR1 {
					pause()
				} else {
					resume()
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		// Ignored from here on, since what they do by default is to end the program.
		signal.Ignore(syscall.SIGUSR1, syscall.SIGUSR2)
		signal.Stop(got)
		close(done)
		<-gone
	}
}
