package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// maxResident is the most memory a command that has ended held, in KiB.
func maxResident(cmd *exec.Cmd) int {
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return int(usage.Maxrss)
	}
	return 0
}

// resident is the memory of a process in KiB; 0 when it is gone.
func resident(pid int) int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	n, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kib, err := strconv.Atoi(n)
	if err != nil {
		return 0
	}
	return kib
}

// browsers counts the processes whose profile is below a folder.
func browsers(dir string) (n int) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0
	}
	for _, path := range files {
		if line, err := os.ReadFile(path); err == nil && bytes.Contains(line, []byte("user-data-dir="+dir)) {
			n++
		}
	}
	return n
}
