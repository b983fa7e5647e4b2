package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// process is what /proc says of one.
type process struct {
	pid, parent int
	defunct     bool
	command     string
}

func processes() ([]process, error) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var all []process
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it ended meanwhile
		}
		// The name stands in brackets and may have any character in it.
		_, rest, ok := bytes.Cut(stat[bytes.LastIndexByte(stat, ')'):], []byte(" "))
		fields := bytes.Fields(rest)
		if !ok || len(fields) < 2 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(dir))
		parent, _ := strconv.Atoi(string(fields[1]))
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		all = append(all, process{pid, parent, string(fields[0]) == "Z", strings.ReplaceAll(string(command), "\x00", " ")})
	}
	return all, nil
}

// below gives the processes that descend from one, without it.
func below(root int) ([]process, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	family := map[int]bool{root: true}
	var found []process
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if family[p.parent] && !family[p.pid] {
				family[p.pid], grown = true, true
				found = append(found, p)
			}
		}
	}
	return found, nil
}

// memory is what processes have to themselves, shared pages counted in parts
// (the PSS of /proc), in bytes.
func memory(all []process) (int64, error) {
	var sum int64
	for _, p := range all {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if kib, ok := strings.CutPrefix(line, "Pss:"); ok {
				n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kib), "kB")), 10, 64)
				if err != nil {
					return 0, err
				}
				sum += n << 10
			}
		}
	}
	return sum, nil
}
