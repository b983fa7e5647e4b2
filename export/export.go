package export

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Run exports and gives the manifest that was written. Out is then whole; on an error
// it is as it was. An *InputError says what of the Config cannot be exported, and
// ErrEmpty that no row came of the runs; ctx ends it with its cause.
func Run(ctx context.Context, c Config) (*Manifest, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, &InputError{err}
	}
	if err := c.vacant(); err != nil {
		return nil, err
	}
	p, err := c.plan()
	if err != nil {
		return nil, err
	}
	f, err := newFolder(c.Out, c.Images)
	if err != nil {
		return nil, &InputError{err}
	}
	m := newManifest(&c, p)
	x := exporter{c: &c, folder: f, manifest: m, writers: map[string]Writer{}, seen: map[string]bool{}}
	if err = x.all(ctx, p); err == nil {
		err = f.publish()
	}
	if err != nil {
		f.discard()
	}
	return m, err
}

// ErrEmpty: no row came of the runs.
var ErrEmpty = errors.New("no row came of the runs")

// vacant says why Out cannot be written to.
func (c *Config) vacant() error {
	info, err := os.Lstat(c.Out)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return &InputError{err}
	case !info.IsDir():
		return input("%s is there and no folder; choose another with --out", c.Out)
	}
	names, err := os.ReadDir(c.Out)
	if err != nil {
		return &InputError{err}
	}
	_, noExport := os.Stat(filepath.Join(c.Out, ManifestFile))
	switch {
	case len(names) == 0:
		return nil
	case noExport != nil || !isManifest(filepath.Join(c.Out, ManifestFile)):
		return input("%s is not empty and no export; choose another folder with --out", c.Out)
	case !c.Replace:
		return input("%s holds an export already; --force replaces it", c.Out)
	}
	return nil
}

// exporter writes the rows of a plan.
type exporter struct {
	c        *Config
	folder   *Folder
	manifest *Manifest
	writers  map[string]Writer // by part
	seen     map[string]bool   // fingerprints of rows, where each is wanted once
}

func (x *exporter) all(ctx context.Context, p *plan) error {
	work := x.rows
	if x.c.Layout != nil {
		work = x.layouts
	}
	if err := work(ctx, p); err != nil {
		for _, w := range x.writers {
			w.Close() // nothing of it stays
		}
		return err
	}
	if x.manifest.empty() {
		return fmt.Errorf("%w: %s", ErrEmpty, x.manifest.why())
	}
	return x.finish(p)
}

// rows makes the units' rows, several at a time, and writes them in the units' order.
func (x *exporter) rows(ctx context.Context, p *plan) error {
	line := x.c.start(ctx, p.units)
	defer line.stop()
	for range p.units {
		m, err := line.next()
		if err != nil {
			return err
		}
		if err := x.write(m, p); err != nil {
			return err
		}
	}
	return nil
}

// write writes what was made of a unit.
func (x *exporter) write(m made, p *plan) error {
	if m.err != nil {
		return x.c.skip(p, m.unit[0].dir, m.err)
	}
	part, kept := m.unit[0].part, 0
	for _, r := range m.rows {
		if x.c.Dedupe && x.repeated(r) {
			x.manifest.Rows.Duplicates++
			continue
		}
		for _, placed := range x.reshape(part, r) {
			err := x.put(placed)
			switch {
			case errors.Is(err, ErrMarked):
				m.refused = append(m.refused, markedRefusal(placed.Row, err))
			case err != nil:
				return fmt.Errorf("row %s: %w", placed.Row.ID, err)
			default:
				kept++
				x.manifest.count(placed.Part, placed.Row)
			}
		}
	}
	x.manifest.refuse(m.refused)
	x.told(m, part, kept)
	return nil
}

func (x *exporter) reshape(part string, r *Row) []Placed {
	if re, ok := x.c.Format.(Reshaper); ok {
		return re.Reshape(part, r)
	}
	return []Placed{{part, r}}
}

func (x *exporter) put(p Placed) error {
	w, err := x.writer(p.Part)
	if err != nil {
		return err
	}
	return w.Write(p.Row)
}

func markedRefusal(r *Row, err error) Refusal {
	out := Refusal{Run: r.Run, Reason: Marked, Text: err.Error()}
	if a := r.Last().Answer; a != nil {
		out.Step, out.Event = a.Step, a.Event
	}
	return out
}

// told says what came of a unit's runs. Of a task's runs the first stands for the rows
// of all.
func (x *exporter) told(m made, part string, rows int) {
	for _, e := range m.unit {
		e.rows, rows = rows, 0
		n := Note{Run: e.origin.Run, Dir: e.dir, Part: part, Rows: e.rows}
		for _, r := range m.refused {
			if r.Run == e.origin.Run {
				n.Refused = append(n.Refused, r)
			}
		}
		x.c.Told(n)
	}
}

// writer is the part's, which begins with its first row.
func (x *exporter) writer(part string) (Writer, error) {
	if w, ok := x.writers[part]; ok {
		return w, nil
	}
	w, err := x.c.Format.Begin(x.folder, Part{part, x.c.Kind})
	if err != nil {
		return nil, err
	}
	x.writers[part] = w
	return w, nil
}

// repeated reports whether a row of the same content was written already.
func (x *exporter) repeated(r *Row) bool {
	key := rowPrint(r)
	was := x.seen[key]
	x.seen[key] = true
	return was
}

// rowPrint is the fingerprint of what is learned from a row.
func rowPrint(r *Row) string {
	if t := r.Target; t != nil {
		return hexOf([]byte(fmt.Sprintf("%s %s %q %q %v", t.Frame, t.Tag, t.Role, t.Name, t.Box)))[:32]
	}
	sums := fingerprints(r)
	text := fmt.Sprintf("%x %v", sums[len(sums)-1], r.Label != nil && *r.Label)
	for _, t := range r.Turns {
		text += fmt.Sprint(" ", t.Train, len(t.Thinking), hexOf([]byte(t.Thinking)))
	}
	if r.Rejected != nil {
		text += r.Rejected.Answer.Reply
	}
	return hexOf([]byte(text))[:32]
}

// finish closes what is open and writes what stands beside the rows.
func (x *exporter) finish(p *plan) error {
	var parts []Part
	for _, name := range slices.Sorted(maps.Keys(x.writers)) {
		if err := x.writers[name].Close(); err != nil {
			return err
		}
		parts = append(parts, Part{name, x.c.Kind})
	}
	if x.c.Format != nil {
		if err := x.c.Format.Finish(x.folder, parts); err != nil {
			return err
		}
	}
	x.manifest.complete(x.c, p, x.folder)
	if err := x.folder.writeText("README.md", x.manifest.Card()); err != nil {
		return err
	}
	return x.manifest.write(x.folder)
}
