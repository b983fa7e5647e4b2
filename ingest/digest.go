package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
)

// digest remembers the files that were read, by name.
type digest struct{ sums map[string]string }

// read gives a file's bytes and remembers them under a name.
func (d *digest) read(path, name string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // reading a pipe might never end
		return nil, fmt.Errorf("it is no file")
	}
	data, err := os.ReadFile(path)
	if err == nil {
		d.add(name, data)
	}
	return data, err
}

func (d *digest) add(name string, data []byte) {
	if d.sums == nil {
		d.sums = map[string]string{}
	}
	d.sums[name] = hash(data)
}

// total is the hash over all names and contents, whatever the order of reading.
func (d *digest) total() string {
	var lines []string
	for name, sum := range d.sums {
		lines = append(lines, fmt.Sprintf("%s  %s\n", sum, name))
	}
	slices.Sort(lines)
	return hash([]byte(strings.Join(lines, "")))
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
