package taskfile

import (
	"fmt"
	"maps"
	"slices"
)

// nearest points to the name that was probably meant, or to else when there is none.
func (d *draft) nearest(name, otherwise string) string {
	names := slices.Sorted(maps.Keys(d.opt.Flags))
	names = append([]string{"id", "task", "url", "checks", "limits", "flags", "meta"}, names...)
	if len(name) > longest {
		return otherwise
	}
	best, least := "", 1+max(1, len(name)/3)
	for _, candidate := range names {
		if n := distance(flagName(name), candidate); n < least {
			best, least = candidate, n
		}
	}
	if best == "" {
		return otherwise
	}
	return fmt.Sprintf("did you mean %s?", best)
}

// distance counts the letters to put in, to take out or to change for getting from
// one name to the other.
func distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
