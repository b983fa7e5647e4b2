package export

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ManifestFile says what an export is.
const ManifestFile = "manifest.json"

// manifestVersion is the version of that file.
const manifestVersion = 1

// manifestType tells it from other programs' manifests.
const manifestType = "fara-export"

// mostRefusals bounds how many refusals a manifest names; it counts all.
const mostRefusals = 1000

// Manifest is what an export holds, what it was made of, and what was not taken.
type Manifest struct {
	Version int       `json:"version"`
	Type    string    `json:"type"`
	Created time.Time `json:"created"`
	Fara    string    `json:"fara_version"`
	Format  string    `json:"format"`
	Kind    Kind      `json:"rows_of"`
	Per     Per       `json:"per"`
	// Asked are the settings, by flag.
	Asked map[string]string `json:"asked"`

	Runs     RunCounts     `json:"runs"`
	Rows     RowCounts     `json:"rows"`
	Requests RequestCounts `json:"requests"`
	// Refusals are the first 1000.
	Refusals []Refusal    `json:"refusals"`
	Frames   FrameCounts  `json:"frames"`
	Files    []File       `json:"files"`
	Sources  []SourceLine `json:"sources"`

	origins []Origin // of the runs that are in it
}

// RunCounts counts runs.
type RunCounts struct {
	Found int `json:"found"`
	// Exported are those that were not left out, whether or not rows came of them.
	Exported int `json:"exported"`
	// LeftOut says by which filter, or "unfinished", "bad", "site_limit".
	LeftOut map[string]int `json:"left_out"`
}

// RowCounts counts rows; for whole runs, runs.
type RowCounts struct {
	Total int            `json:"total"`
	Parts map[string]int `json:"parts"`
	// Learned counts the turns to be learned by who they are from, NotLearned the replies
	// that make no row.
	Learned    map[string]int `json:"learned"`
	NotLearned map[string]int `json:"not_learned"`
	Duplicates int            `json:"duplicates"`
}

// RequestCounts says how many of the rows' requests are what was sent.
type RequestCounts struct {
	// Equal are byte for byte what the recorded hash says was sent, Unrecorded were never
	// written down, Refused are in no row: by reason in Why.
	Equal      int            `json:"equal"`
	Unrecorded int            `json:"unrecorded"`
	Refused    int            `json:"refused"`
	Why        map[string]int `json:"refused_for"`
}

// FrameCounts counts the frames' files.
type FrameCounts struct {
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
}

// SourceLine is a run that the export was made of.
type SourceLine struct {
	Run string `json:"run"`
	// Folder is the base name of its folder, Events the hash of its log.
	Folder string `json:"folder"`
	Events string `json:"events_sha256"`
	Task   string `json:"task_id"`
	Site   string `json:"site"`
	Status string `json:"status"`
	Part   string `json:"part"`
	Rows   int    `json:"rows"`
}

func newManifest(c *Config, p *plan) *Manifest {
	return &Manifest{
		Version: manifestVersion, Type: manifestType, Created: time.Now().UTC(), Fara: c.Fara, Format: c.Name,
		Kind: c.Kind, Per: c.Per, Asked: c.Asked,
		Runs:     RunCounts{Found: p.runs},
		Rows:     RowCounts{Parts: map[string]int{}, Learned: map[string]int{}},
		Requests: RequestCounts{Why: map[string]int{}}, Refusals: []Refusal{},
	}
}

// count counts a row.
func (m *Manifest) count(part string, r *Row) {
	m.Rows.Total++
	m.Rows.Parts[part]++
	for _, t := range r.Turns {
		if t.Train {
			m.Rows.Learned[string(t.By)]++
		}
		m.request(t.Answer)
	}
	if r.Rejected != nil {
		m.request(r.Rejected.Answer)
	}
}

func (m *Manifest) request(a *Answer) {
	switch {
	case a == nil:
	case a.Recorded:
		m.Requests.Equal++
	default:
		m.Requests.Unrecorded++
	}
}

func (m *Manifest) refuse(all []Refusal) {
	for _, r := range all {
		m.Requests.Refused++
		m.Requests.Why[r.Reason]++
		if len(m.Refusals) < mostRefusals {
			m.Refusals = append(m.Refusals, r)
		}
	}
}

func (m *Manifest) empty() bool { return m.Rows.Total == 0 }

// why says what became of the replies when there is no row.
func (m *Manifest) why() string {
	if m.Requests.Refused > 0 {
		r := m.Refusals[0]
		return fmt.Sprintf("%d were refused, the first in step %d of %s: %s", m.Requests.Refused, r.Step, r.Run, r.Text)
	}
	return "nothing in them is of this kind"
}

// complete fills in what is known at the end.
func (m *Manifest) complete(c *Config, p *plan, f *Folder) {
	m.Runs.LeftOut, m.Rows.NotLearned = p.skipped, c.left.counts
	m.Frames = FrameCounts{f.Frames, f.FrameBytes}
	m.Sources = []SourceLine{}
	for _, u := range p.units {
		for _, e := range u {
			if e.sum == "" { // it was left out in the end
				continue
			}
			m.Runs.Exported++
			o := e.origin
			m.origins = append(m.origins, o)
			m.Sources = append(m.Sources, SourceLine{o.Run, filepath.Base(e.dir), e.sum, o.Task, o.Site, o.Status, e.part, e.rows})
		}
	}
}

// write writes the manifest, the last of the files.
func (m *Manifest) write(f *Folder) error {
	m.Files = slices.SortedFunc(slices.Values(f.Files), func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	out, err := os.OpenFile(filepath.Join(f.Dir, ManifestFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(m)
	if err == nil {
		err = out.Sync()
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}

// isManifest reports whether a file is a manifest of ours.
func isManifest(path string) bool {
	data, err := os.ReadFile(path)
	var m struct{ Type string }
	return err == nil && json.Unmarshal(data, &m) == nil && m.Type == manifestType
}
