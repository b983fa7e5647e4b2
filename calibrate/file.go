package calibrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

// Version is the version of the file that is written. Older ones are read.
const Version = 1

// File is a calibration that fits, as it is kept for later runs.
type File struct {
	Version int `json:"version"`
	// Model is the model's name on its server: the calibration is true of no other.
	Model string `json:"model"`
	// Dialect is a dialect's name, or the absolute path of a dialect's file.
	Dialect string            `json:"dialect"`
	Space   imagebudget.Space `json:"space"`
	// Replies is how the model was asked: text, constrained or tools.
	Replies string `json:"replies"`
	Sizes
	// Scale is device pixels for one CSS pixel; 0 is the own scale of a browser that
	// was attached to.
	Scale float64 `json:"scale"`
	// Median and Worst are errors in CSS pixels; see Score.
	Median float64 `json:"median_px"`
	Worst  float64 `json:"worst_px"`
	Clicks []Click `json:"clicks"`

	Created time.Time `json:"created"`
	// Fara is the version that wrote the file.
	Fara string `json:"fara_version"`
}

// Click is one target and the answer to it.
type Click struct {
	// Target and Point are in CSS pixels, Answer is the model's own. Answer and Point
	// are nil when the reply held no point, DX and DY then 0. What was computed is
	// rounded to hundredths.
	Target env.Point    `json:"target"`
	Answer *model.Point `json:"answer"`
	Point  *env.Point   `json:"point"`
	DX     float64      `json:"dx"`
	DY     float64      `json:"dy"`
}

// Clicks reads the answers in one space.
func Clicks(shots []Shot, sizes Sizes, space imagebudget.Space) []Click {
	out := make([]Click, len(shots))
	for i, s := range shots {
		out[i] = Click{Target: s.Target, Answer: s.Raw}
		if s.Raw == nil {
			continue
		}
		if p, ok := sizes.Point(space, *s.Raw); ok {
			dx, dy := Off(s.Target, p)
			out[i].DX, out[i].DY = hundredths(dx), hundredths(dy)
			out[i].Point = &env.Point{X: hundredths(p.X), Y: hundredths(p.Y)}
		}
	}
	return out
}

// hundredths is as much as says anything of a CSS pixel.
func hundredths(v float64) float64 { return math.Round(v*100) / 100 }

// Save writes the file under a temporary name beside path and renames it, so
// that path is either whole or as it was.
func (f File) Save(path string) (err error) {
	f.Version = Version
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(append(raw, '\n')); err == nil {
		err = tmp.Sync()
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	return err
}

// Load reads a file that Save wrote. What is wrong in it is an error that names
// the file, the line and what is expected there. Whether the dialect exists is
// not looked at.
func Load(path string) (File, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return File{}, err
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	var f File
	if err := json.Unmarshal(raw, &f); err != nil {
		return File{}, fmt.Errorf("%s:%w", path, syntax(raw, err))
	}
	if line, wrong := f.wrong(raw); wrong != "" {
		return File{}, fmt.Errorf("%s:%d: %s", path, line, wrong)
	}
	return f, nil
}
