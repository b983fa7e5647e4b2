package layout

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"fara/trajectory"
)

// longest is the length in bytes from which on a name is cut: file systems take
// 255, and something is put before and behind it.
const longest = 180

// names gives each run a folder of its own. The zero value is ready.
type names struct{ taken map[string]bool }

// of names a run's folder: prefix and the task's id, behind the first of the task's
// runs ".sample2" and so on, and ".run-ID" when the name is taken, as it is for runs
// of the same task in two batches. Names that differ in case alone count as the same,
// as they do for some file systems.
func (n *names) of(prefix string, run *trajectory.Run) string {
	name := prefix + safe(taskID(run))
	if s := run.Task.Sample; s != nil && s.Number > 1 {
		name += fmt.Sprintf(".sample%d", s.Number)
	}
	if n.taken[strings.ToLower(name)] {
		name += ".run-" + safe(run.Task.Run)
	}
	for base, i := name, 2; n.taken[strings.ToLower(name)]; i++ { // the same run again
		name = fmt.Sprintf("%s.%d", base, i)
	}
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	n.taken[strings.ToLower(name)] = true
	return name
}

// taskID is the id of the run's task in its batch, or the run's own.
func taskID(run *trajectory.Run) string {
	if s := run.Task.Sample; s != nil {
		return cmp.Or(s.Task, run.Task.Run)
	}
	return run.Task.Run
}

// safe gives a file name for an id, another one for every id: what is no ASCII
// letter, digit, "-" or "_" is written as % and two hexadecimal digits for each byte,
// and so are a dot and a space at either end. "a/b" is "a%2Fb"; "BBC News--3" stays,
// since WebVoyager's evaluation looks for it so. A name that is too long ends with the
// hash of what it stands for.
func safe(id string) string {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_',
			(c == '.' || c == ' ') && i > 0 && i < len(id)-1:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() <= longest {
		return b.String()
	}
	sum := sha256.Sum256([]byte(id))
	return b.String()[:longest-33] + "-" + hex.EncodeToString(sum[:16])
}
