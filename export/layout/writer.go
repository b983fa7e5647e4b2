package layout

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // frames may be JPEG files
	"image/png"

	"fara/export"
	"fara/trajectory"
)

// writer writes runs one after another, each as a folder of its own.
type writer struct {
	dir    string
	prefix string
	names  names
	put    func(*folder, *export.Source, *trace) error
}

// DataPoint writes Fara's DataPoint folders below dir.
func DataPoint(dir string) export.RunWriter { return &writer{dir: dir, put: putDataPoint} }

// WebVoyager writes the result folders of WebVoyager, "task" and the task's id.
func WebVoyager(dir string) export.RunWriter {
	return &writer{dir: dir, prefix: "task", put: putVoyage}
}

// OnlineMind2Web writes the result folders of Online-Mind2Web.
func OnlineMind2Web(dir string) export.RunWriter { return &writer{dir: dir, put: putMind2Web} }

// Add writes a run. Its folder's name is the task's id, for a further run of the same
// task with ".sample2" and so on behind it, and the run's id where it belongs to no
// batch. Characters that a file name cannot have are written as %2F. The error wraps
// fs.ErrExist when the folder is there already, and says so when a frame is missing or
// not the one that was sent.
func (w *writer) Add(s *export.Source) (string, error) {
	name := w.names.of(w.prefix, s.Run)
	f, err := create(w.dir, name)
	if err != nil {
		return "", err
	}
	if err := f.finish(w.put(f, s, read(s.Events))); err != nil {
		return "", fmt.Errorf("the run in %s as %s: %w", s.Dir, name, err)
	}
	return name, nil
}

// loadPNG reads a frame as a PNG file. The pixels of a frame that was sent as JPEG
// stay what they are.
func loadPNG(s *export.Source, o *trajectory.Observed) ([]byte, error) {
	data, err := s.Load(o.Frame)
	if err != nil || o.MIME != "image/jpeg" {
		return data, err
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Frame, err)
	}
	var b bytes.Buffer
	err = png.Encode(&b, img)
	return b.Bytes(), err
}

// verdicts are those on the run's last answer: fara judge's, or else those that the run
// itself ended with.
func verdicts(s *export.Source) []trajectory.Verdict {
	if s.Judged != nil {
		return s.Judged.Verdicts
	}
	return s.Result.Verdicts
}
