package trajectory

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Files and folders of a run.
const (
	taskFile   = "task.json"
	eventsFile = "events.jsonl"
	resultFile = "result.json"
	framesDir  = "frames"
	pagesDir   = "pages"
	// DownloadsDir is where a run's downloads belong, below its folder.
	DownloadsDir = "downloads"
)

// Writer writes one run. It belongs to one goroutine.
type Writer struct {
	dir    string
	log    logFile
	events []Event
	frames map[string]string // hash of a frame to its file
	// pictures and pages are the highest numbers given so far.
	pictures, pages int
	clean           func([]byte) []byte // nil leaves everything as it is
	before          func() error        // once, before the first event of a run that goes on
	now             func() time.Time
}

// logFile is what the event log needs of an *os.File.
type logFile interface {
	Write(p []byte) (int, error)
	Sync() error
	Close() error
}

// NewID gives a run's id: the UTC time and four random bytes, so that folders
// sort by time and never clash.
func NewID(now time.Time) string {
	var r [4]byte
	rand.Read(r[:]) // never fails
	return now.UTC().Format("20060102-150405-") + hex.EncodeToString(r[:])
}

// Create makes the run's folder below out and writes task.json. On an error
// nothing of it stays. The caller ends the run with Finish, or with Discard
// when it never began.
//
// Everything but the frames goes through clean before it is written: it takes out
// what must not be stored, and leaves JSON that is read the same otherwise. nil
// takes out nothing.
func Create(out string, task Task, clean func([]byte) []byte) (*Writer, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, fmt.Errorf("run folder: %w; choose another with --out", err)
	}
	dir, err := filepath.Abs(filepath.Join(out, task.Run))
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("run folder: %w; choose another with --out", err)
	}
	w := &Writer{dir: dir, frames: map[string]string{}, clean: clean, now: time.Now}
	if err := w.begin(task); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("run folder: %w; choose another with --out", err)
	}
	return w, nil
}

func (w *Writer) begin(task Task) error {
	if err := os.Mkdir(filepath.Join(w.dir, framesDir), 0o755); err != nil {
		return err
	}
	task.Version = Version
	if err := writeJSON(filepath.Join(w.dir, taskFile), task, w.clean); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(w.dir, eventsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	w.log = log
	_, err = Lock(log) // nobody else can know of it yet
	return err
}

// ID is the run's id, which is also its folder's name.
func (w *Writer) ID() string { return filepath.Base(w.dir) }

// Dir is the run's folder, an absolute path.
func (w *Writer) Dir() string { return w.dir }

// Downloads is the folder for the run's downloads. It need not exist yet.
func (w *Writer) Downloads() string { return filepath.Join(w.dir, DownloadsDir) }

// Events are the events so far. They must not be changed.
func (w *Writer) Events() []Event { return w.events }

// Append writes one event. Before an event that announces an effect it returns
// only when that event, and with it all before, is on the disk: an intent is
// recorded before it becomes true, and what was done before the next thing is.
func (w *Writer) Append(step int, p Payload) (Event, error) {
	if w.before != nil {
		if err := w.before(); err != nil {
			return Event{}, fmt.Errorf("event log: %w", err)
		}
		w.before = nil
	}
	e := Event{V: Version, Seq: len(w.events), Step: step, At: w.now().UTC()}
	p.attach(&e)
	e, line, err := w.encode(e)
	if err != nil {
		return Event{}, fmt.Errorf("event %s: %w", e.Kind, err)
	}
	if _, err := w.log.Write(line); err != nil {
		return Event{}, fmt.Errorf("event log: %w", err)
	}
	if e.announces() {
		if err := w.log.Sync(); err != nil {
			return Event{}, fmt.Errorf("event log: %w", err)
		}
	}
	w.events = append(w.events, e)
	return e, nil
}

// encode gives an event's line and the event as it is in that line.
func (w *Writer) encode(e Event) (Event, []byte, error) {
	line, err := encodeLine(e)
	if err != nil || w.clean == nil {
		return e, line, err
	}
	cleaned := w.clean(line)
	if bytes.Equal(cleaned, line) {
		return e, line, nil
	}
	var read Event
	if err := json.Unmarshal(cleaned, &read); err != nil {
		return e, nil, err
	}
	return read, cleaned, nil
}

// announces reports whether the world changes right after the event.
func (e Event) announces() bool {
	return e.Kind == KindActing || e.Kind == KindAsked || e.Kind == KindEnded
}

func encodeLine(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return buf.Bytes(), err
}

// Frame stores a picture's bytes and gives its file below the run's folder and
// its hash. A picture that is there already is not stored again.
func (w *Writer) Frame(data []byte, mime string) (file, hash string, err error) {
	sum := sha256.Sum256(data)
	hash = hex.EncodeToString(sum[:])
	if file, ok := w.frames[hash]; ok {
		return file, hash, nil
	}
	ext := ".png"
	if mime == "image/jpeg" {
		ext = ".jpg"
	}
	file = filepath.ToSlash(filepath.Join(framesDir, strconv.Itoa(w.pictures+1)+ext))
	if err := WriteFile(filepath.Join(w.dir, file), data); err != nil {
		return "", "", fmt.Errorf("frame: %w", err)
	}
	w.pictures++
	w.frames[hash] = file
	return file, hash, nil
}

// Page stores a page's text and gives its file below the run's folder.
func (w *Writer) Page(markdown string) (string, error) {
	if err := os.MkdirAll(filepath.Join(w.dir, pagesDir), 0o755); err != nil {
		return "", fmt.Errorf("page text: %w", err)
	}
	w.pages++
	file := filepath.ToSlash(filepath.Join(pagesDir, strconv.Itoa(w.pages)+".md"))
	text := []byte(markdown)
	if w.clean != nil {
		text = w.clean(text)
	}
	if err := WriteFile(filepath.Join(w.dir, file), text); err != nil {
		return "", fmt.Errorf("page text: %w", err)
	}
	return file, nil
}

// Load gives the bytes of a file below the run's folder, such as a frame.
func (w *Writer) Load(file string) ([]byte, error) {
	return os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(file)))
}

// Finish writes the last event and then result.json, and closes the log. What was
// kept to go on with goes when the result names no way to do that.
func (w *Writer) Finish(step int, r Result) error {
	r.Version = Version
	if _, err := w.Append(step, r); err != nil {
		w.log.Close()
		return err
	}
	if r.Resume == "" {
		if err := w.forget(); err != nil {
			w.log.Close()
			return fmt.Errorf("state: %w", err)
		}
	}
	if err := w.log.Close(); err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	if err := writeJSON(filepath.Join(w.dir, resultFile), r, w.clean); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}

// Discard removes the folder of a run that never began.
func (w *Writer) Discard() error {
	w.log.Close()
	return os.RemoveAll(w.dir)
}
