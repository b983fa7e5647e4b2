package main

import (
	"fmt"
	"maps"
	"slices"

	"fara/export"
)

// exportedRun is a run as --json prints it.
type exportedRun struct {
	Type string `json:"type"` // "run"
	export.Note
}

// exported is what an export came to as --json prints it, its last line.
type exported struct {
	Type     string               `json:"type"` // "export"
	Dir      string               `json:"dir"`
	Format   string               `json:"format"`
	Runs     export.RunCounts     `json:"runs"`
	Rows     export.RowCounts     `json:"rows"`
	Requests export.RequestCounts `json:"requests"`
	Frames   export.FrameCounts   `json:"frames"`
}

// mostNamed bounds how many refusals are named on stderr; the manifest has more.
const mostNamed = 20

// teller says what comes of each run: all of it as JSON, or for people what is wrong.
func (p *program) teller(json bool) func(export.Note) {
	named := 0
	return func(n export.Note) {
		if json {
			writeLine(p.stdout, exportedRun{"run", n})
		}
		if n.Skipped != "" {
			fmt.Fprintf(p.stderr, "left out: %s\n", cut(n.Skipped, 300))
		}
		for _, r := range n.Refused {
			if named++; named <= mostNamed {
				fmt.Fprintf(p.stderr, "refused: %s step %d: %s (%s)\n", r.Run, r.Step, cut(r.Text, 300), r.Reason)
			} else if named == mostNamed+1 {
				fmt.Fprintf(p.stderr, "refused: more are in %s\n", export.ManifestFile)
			}
		}
	}
}

// tellExport says what was written.
func (p *program) tellExport(f *exportFlags, m *export.Manifest) {
	if f.json {
		writeLine(p.stdout, exported{"export", f.out, m.Format, m.Runs, m.Rows, m.Requests, m.Frames})
		return
	}
	fmt.Fprintf(p.stdout, "%s of %s in %s\n", counts(m.Rows.Total, "row", "rows"), counts(m.Runs.Exported, "run", "runs"), f.out)
	for _, part := range slices.Sorted(maps.Keys(m.Rows.Parts)) {
		fmt.Fprintf(p.stdout, "  %-10s  %d\n", part, m.Rows.Parts[part])
	}
	if m.Requests.Equal+m.Requests.Unrecorded > 0 {
		fmt.Fprintf(p.stdout, "%s byte-equal to what was sent", counts(m.Requests.Equal, "request is", "requests are"))
		if m.Requests.Unrecorded > 0 {
			fmt.Fprintf(p.stdout, ", %d were never recorded", m.Requests.Unrecorded)
		}
		fmt.Fprintln(p.stdout)
	}
	for _, why := range slices.Sorted(maps.Keys(m.Runs.LeftOut)) {
		fmt.Fprintf(p.stdout, "left out by %s: %s\n", why, counts(m.Runs.LeftOut[why], "run", "runs"))
	}
	for _, by := range slices.Sorted(maps.Keys(m.Rows.NotLearned)) {
		fmt.Fprintf(p.stdout, "not learned: %d %s\n", m.Rows.NotLearned[by], by)
	}
	if m.Rows.Duplicates > 0 {
		fmt.Fprintf(p.stdout, "there already: %s\n", counts(m.Rows.Duplicates, "row", "rows"))
	}
}
