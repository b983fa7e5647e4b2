package parquet

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"fara/export"
)

const (
	// groupBytes and groupRows bound a row group, which is what is in memory at once,
	// when it is written and when it is read.
	groupBytes = 16 << 20
	groupRows  = 100
	// shardBytes is the size from which on a new file is begun, as the hub likes them.
	shardBytes = 500 << 20
)

// Format writes rows as Parquet files. The zero value is ready; it is used for one
// export.
type Format struct {
	// ShardBytes is the size in bytes of pictures and texts from which on a part goes on
	// in another file; 0 is 500 MiB.
	ShardBytes int64

	begun []*writer
}

// Check takes every kind of row. What a row about an element is about stands in the
// column fara.
func (p *Format) Check(export.Kind) error { return nil }

// Begin opens a part's first file.
func (p *Format) Begin(f *export.Folder, part export.Part) (export.Writer, error) {
	limit := p.ShardBytes
	if limit <= 0 {
		limit = shardBytes
	}
	w := &writer{folder: f, part: part.Name, limit: limit}
	p.begun = append(p.begun, w)
	return w, w.open()
}

// Finish gives the files the names that say how many there are.
func (p *Format) Finish(f *export.Folder, _ []export.Part) error {
	for _, w := range p.begun {
		for i, name := range w.shards {
			final := fmt.Sprintf("data/%s-%05d-of-%05d.parquet", w.part, i, len(w.shards))
			if err := os.Rename(filepath.Join(f.Dir, name), filepath.Join(f.Dir, final)); err != nil {
				return err
			}
			for k := range f.Files {
				if f.Files[k].Path == name {
					f.Files[k].Path = final
				}
			}
		}
	}
	return nil
}

// writer writes one part.
type writer struct {
	folder *export.Folder
	part   string
	limit  int64
	shards []string

	out  *export.Output
	file *parquet.GenericWriter[row]
	// size is what the open file holds, group and rows what its open row group holds.
	size, group int64
	rows        int
}

// open begins the next file.
func (w *writer) open() error {
	name := fmt.Sprintf("data/%s-%05d.parquet", w.part, len(w.shards))
	out, err := w.folder.Create(name)
	if err != nil {
		return err
	}
	w.shards = append(w.shards, name)
	w.out, w.size, w.group, w.rows = out, 0, 0, 0
	w.file = parquet.NewGenericWriter[row](out,
		parquet.Compression(&zstd.Codec{}),
		parquet.CreatedBy("fara", "1", "parquet-go"),
		parquet.KeyValueMetadata(metadataKey, metadata()),
		parquet.SkipPageBounds("images", "list", "element", "bytes"),
		parquet.SkipPageBounds("messages", "list", "element", "content", "list", "element", "text"),
		parquet.SkipPageBounds("fara"),
	)
	return nil
}

// Write writes a row.
func (w *writer) Write(r *export.Row) error {
	columns, err := rowOf(r, w.folder.Bytes)
	if err != nil {
		return err
	}
	if w.size >= w.limit {
		if err := w.close(); err != nil {
			return err
		}
		if err := w.open(); err != nil {
			return err
		}
	}
	if _, err := w.file.Write([]row{columns}); err != nil {
		return err
	}
	w.out.Rows++
	w.rows++
	size := columns.size()
	w.size, w.group = w.size+size, w.group+size
	if w.group >= groupBytes || w.rows >= groupRows {
		w.group, w.rows = 0, 0
		return w.file.Flush()
	}
	return nil
}

// size is about how many bytes a row is.
func (r *row) size() int64 {
	size := len(r.Fara) + len(r.Tools)
	for _, p := range r.Images {
		size += len(p.Bytes)
	}
	for _, m := range r.Messages {
		for _, c := range m.Content {
			if c.Text != nil {
				size += len(*c.Text)
			}
		}
	}
	return int64(size)
}

// Close ends the part's last file.
func (w *writer) Close() error { return w.close() }

func (w *writer) close() error {
	err := w.file.Close()
	if closeErr := w.out.Close(); err == nil {
		err = closeErr
	}
	return err
}
