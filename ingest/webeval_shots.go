package ingest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// see adds the screenshot of that number.
func (w *webEval) see(shots map[int]string, n int, url, when string) error {
	name, ok := shots[n]
	if !ok {
		return fmt.Errorf("screenshot %s is missing", expected(shots, n))
	}
	p, err := shot(w.dir, name)
	if err != nil {
		return err
	}
	p.url, p.at = url, w.stamps.read(when)
	w.rec.parts = append(w.rec.parts, p)
	return nil
}

// expected is the name that a missing screenshot would have.
func expected(shots map[int]string, n int) string {
	for _, name := range shots {
		if strings.HasPrefix(name, "screenshot_") {
			return fmt.Sprintf("screenshot_%d.png", n+1)
		}
	}
	return fmt.Sprintf("screenshot%d.png", n)
}

// shots finds the screenshots by their numbers: screenshot0.png and so on. Where only
// a verifier's names are left, screenshot_1.png is the first.
func (w *webEval) shots() (map[int]string, error) {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return nil, plain(err)
	}
	own, verifiers := map[int]string{}, map[int]string{}
	for _, e := range entries {
		m := numbered.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		found := own
		if m[1] != "" {
			found, n = verifiers, n-1
		}
		if was, twice := found[n]; twice {
			return nil, fmt.Errorf("%s and %s have the same number", was, e.Name())
		}
		found[n] = e.Name()
	}
	if len(own) > 0 {
		return own, nil
	}
	return verifiers, nil
}
