package main

import "golang.org/x/sys/unix"

// forget throws away what was typed before a question was put: it is no answer.
func forget(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
