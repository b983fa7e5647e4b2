package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"fara/dialect"
	"fara/env"
	"fara/trajectory"
)

// What keeps a run from being exported.
var (
	// ErrUnfinished: the run has no ending.
	ErrUnfinished = errors.New("the run has not ended")
	// ErrNoRun: the run never began, so the model was asked nothing.
	ErrNoRun = errors.New("the run never began")
)

// verdictsFile is what fara judge writes beside a run's other files.
const verdictsFile = "verdicts.json"

// Judged is what fara judge said of a run.
type Judged struct {
	Status   trajectory.Status    `json:"status"`
	Reason   string               `json:"reason"`
	Answer   string               `json:"answer"`
	Outcome  string               `json:"outcome"`
	Class    string               `json:"class"`
	Verdicts []trajectory.Verdict `json:"verdicts"`
}

// Source is a finished run with what rows are made from. It belongs to one goroutine.
type Source struct {
	*trajectory.Run
	// Dialect is the one that the run was done in, as its log wrote it down.
	Dialect dialect.Dialect
	// Judged is nil when nobody judged the run, or before it came to this ending.
	Judged *Judged

	frames map[string]Frame // by the file's name in the run
	loaded map[string][]byte
	wrong  map[string]error // frames that are not what was recorded
}

// Open reads a run. The error wraps ErrUnfinished when it has no ending and
// trajectory.ErrInUse when a living process is writing it, and ErrNoRun when it never
// began.
func Open(dir string) (*Source, error) {
	run, err := trajectory.Read(dir)
	if err != nil {
		return nil, err
	}
	if err := finished(run); err != nil {
		return nil, err
	}
	if len(run.Events) == 0 || run.Events[0].Started == nil {
		return nil, fmt.Errorf("%s: %w; leave it out", dir, ErrNoRun)
	}
	s := &Source{Run: run, loaded: map[string][]byte{}, frames: map[string]Frame{}, wrong: map[string]error{}}
	began := run.Events[0].Started
	if s.Dialect, err = dialect.Get(began.Dialect); len(began.Speech) > 0 {
		s.Dialect, err = dialect.Restore(began.Speech)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: its dialect: %w", dir, err)
	}
	if s.Judged, err = readJudged(run.Dir, run.Result); err != nil {
		return nil, err
	}
	for _, e := range run.Events {
		if e.Observed != nil {
			s.frames[e.Observed.Frame] = frameOf(run.Dir, e.Observed)
		}
	}
	return s, nil
}

// finished says why a run is not over; nil when it is.
func finished(run *trajectory.Run) error {
	n := len(run.Events)
	if run.Result != nil && n > 0 && run.Events[n-1].Ended != nil {
		return nil
	}
	return unfinished(run.Dir)
}

// unfinished says whether a run that has no ending may still come to one.
func unfinished(dir string) error {
	log, err := os.Open(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		return fmt.Errorf("%s: %w: %w", dir, ErrUnfinished, err)
	}
	defer log.Close()
	if free, err := trajectory.Lock(log); err == nil && !free {
		return fmt.Errorf("%s: %w: %w", dir, ErrUnfinished, trajectory.ErrInUse)
	}
	return fmt.Errorf("%s: %w; go on with it by fara resume, or leave such runs out with --skip-unfinished", dir, ErrUnfinished)
}

// readJudged reads verdicts.json; nil without one, or when it is about an ending that
// the run no longer has.
func readJudged(dir string, r *trajectory.Result) (*Judged, error) {
	path := filepath.Join(dir, verdictsFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var j Judged
	if err := json.Unmarshal(raw, &j); err != nil {
		return nil, fmt.Errorf("%s: %w; judge the run again", path, err)
	}
	if j.Status != r.Status || j.Reason != r.Reason || j.Answer != r.Answer {
		return nil, nil
	}
	return &j, nil
}

// Load gives a frame's bytes as prompt.Build wants them, and holds them to the hash
// that was recorded. Other files are read as they are.
func (s *Source) Load(file string) ([]byte, error) {
	if data, ok := s.loaded[file]; ok {
		return data, nil
	}
	if err := s.wrong[file]; err != nil {
		return nil, err
	}
	data, err := s.Run.Load(file)
	if err != nil {
		return nil, err
	}
	f, ok := s.frames[file]
	if !ok {
		return data, nil
	}
	sum := sha256.Sum256(data)
	if hex.EncodeToString(sum[:]) != f.SHA256 {
		s.wrong[file] = fmt.Errorf("%s: %w", file, errFrame)
		return nil, s.wrong[file]
	}
	s.loaded[file] = data
	return data, nil
}

// errFrame: a frame is not the one that was sent.
var errFrame = errors.New("the frame's bytes are not those that were recorded")

// frameOf is a frame as rows name it.
func frameOf(dir string, o *trajectory.Observed) Frame {
	ext := ".png"
	if o.MIME == "image/jpeg" {
		ext = ".jpg"
	}
	return Frame{
		File: FramesDir + "/" + o.SHA256 + ext, SHA256: o.SHA256, MIME: o.MIME, Size: o.Size,
		Path: filepath.Join(dir, filepath.FromSlash(o.Frame)),
	}
}

// Origin says where the run's rows come from.
func (s *Source) Origin() Origin {
	o := originOf(s.Run.Task, s.Result, s.Judged)
	o.Site, o.Dialect = siteOf(s.Run), s.Dialect.Name
	return o
}

func originOf(t trajectory.Task, r *trajectory.Result, judged *Judged) Origin {
	o := Origin{
		Run: t.Run, Task: taskKey(t), Status: string(r.Status), Reason: r.Reason, Claim: r.Claim,
		Verified: append([]string{}, r.Verified...), Steps: r.Steps, Model: t.Model, Dialect: t.Dialect, Fara: t.Fara,
	}
	if p := t.Sample; p != nil {
		o.Batch, o.Task, o.Sample = p.Batch, p.Task, p.Number
	}
	if judged != nil {
		o.Verdict, o.Class = judged.Outcome, judged.Class
	}
	if t.Imported != nil {
		o.Imported = t.Imported.Format
	}
	return o
}

// taskKey is the same for all runs of the same words from the same address.
func taskKey(t trajectory.Task) string {
	sum := sha256.Sum256([]byte(t.URL + "\x00" + strings.Join(strings.Fields(t.Task), " ")))
	return hex.EncodeToString(sum[:8])
}

// siteOf is the host that a run began on, or the first that it came to.
func siteOf(run *trajectory.Run) string {
	if site := host(run.Task.URL); site != "" {
		return site
	}
	for _, e := range run.Events {
		if e.Observed == nil {
			continue
		}
		if site := host(e.Observed.URL); site != "" {
			return site
		}
	}
	return ""
}

func host(address string) string {
	u, err := url.Parse(env.WithoutUser(address))
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}
