package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"fara/trajectory"
)

// good is the least score that the recorders count as success.
const good = 0.5

// readVerdicts takes what was said of the run: verification.jsonl, and what only
// data_point.json knows.
func (p *dataPoint) readVerdicts() error {
	all := map[string]dpVerification{}
	maps.Copy(all, p.whole.Verification)
	raw, err := p.rec.files.read(filepath.Join(p.dir, "verification.jsonl"), "verification.jsonl")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("verification.jsonl: %w", plain(err))
	}
	torn, err := eachLine(raw, func(n int, line []byte) error {
		var v dpVerification
		if err := decode(line, &v); err != nil {
			return err
		}
		name := pick(v.Verifier, fmt.Sprintf("verifier %d", n))
		if was, ok := all[name]; !ok || was.Reasoning != v.Reasoning {
			all[unused(all, name)] = v
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("verification.jsonl: %w", err)
	}
	if torn {
		p.rec.note("verification.jsonl ends in a line that broke off, which is left out")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p.rec.parts = append(p.rec.parts, verdict(name, all[name].Score, all[name].Reasoning))
	}
	return nil
}

// unused gives a name a number where it is taken.
func unused(all map[string]dpVerification, name string) string {
	free := name
	for n := 1; ; n++ {
		if _, taken := all[free]; !taken {
			return free
		}
		free = fmt.Sprintf("%s_%d", name, n)
	}
}

// verdict is a verifier's word. Without a score it decides nothing.
func verdict(name string, score *float64, reason string) trajectory.Verdict {
	v := trajectory.Verdict{By: name, Reason: reason}
	switch {
	case score == nil:
		v.Unsure, v.Class = true, "unproven"
	case *score >= good:
		v.Accepted = true
	default:
		v.Class = "wrong"
	}
	if score != nil {
		v.Checks = []trajectory.Check{{Text: fmt.Sprintf("score at least %v", good), Holds: *score >= good, Found: fmt.Sprint(*score)}}
	}
	return v
}
