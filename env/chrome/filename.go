package chrome

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// keep moves a finished file into dir under the name that was suggested for it,
// or that name with a number when it is taken: "list.csv", "list (2).csv". It
// never replaces what is there. It gives the file's path.
func keep(path, dir, suggested string) (string, error) {
	safe := safeName(suggested)
	ext := filepath.Ext(safe)
	stem := strings.TrimSuffix(safe, ext)
	for n := 1; n <= 1000; n++ {
		name := safe
		if n > 1 {
			name = fmt.Sprintf("%s (%d)%s", stem, n, ext)
		}
		kept := filepath.Join(dir, name)
		holder, err := os.OpenFile(kept, os.O_CREATE|os.O_EXCL, 0o644) // ours now, and nobody else's
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		_ = holder.Close()
		if err := os.Rename(path, kept); err != nil {
			_ = os.Remove(kept)
			return "", err
		}
		return kept, nil
	}
	return "", fmt.Errorf("a thousand files are called %q already", safe)
}

// reserved are names that mean devices on Windows, with any ending.
var reserved = map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true}

func isReserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	stem = strings.TrimSpace(stem)
	if len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) {
		return stem[3] >= '0' && stem[3] <= '9'
	}
	return reserved[stem]
}

// maxName is how many bytes a file's name may have; file systems allow 255, and a
// number may be added.
const maxName = 120

// safeName makes a file name of what a page suggests: no folders, nothing that a
// shell or Windows takes amiss, no mark that turns or hides letters, not hidden,
// at most maxName bytes.
func safeName(suggested string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
			r == unicode.ReplacementChar || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, suggested)
	name = strings.Trim(name, ". \u00a0")
	ext := filepath.Ext(name)
	if len(ext) > 20 {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for len(stem)+len(ext) > maxName {
		runes := []rune(stem)
		stem = string(runes[:len(runes)-1])
	}
	if stem = strings.TrimRight(stem, " "); stem == "" {
		stem = "download"
	}
	if isReserved(stem + ext) {
		stem = "_" + stem
	}
	return stem + ext
}
