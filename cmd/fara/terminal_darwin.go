package main

import "golang.org/x/sys/unix"

// forget throws away what was typed before a question was put: it is no answer.
func forget(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, 1) } // 1 is FREAD
