package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"fara/trajectory"
)

// entry is a run as far as it takes to decide whether it is exported, and where to.
// Its events are not read for that.
type entry struct {
	dir    string
	origin Origin
	key    string // the same for all runs of a task
	part   string
	// What came of it: its rows, and the hash of its log, which is empty before that.
	rows int
	sum  string
}

// look reads what a run's small files say. The error is as Open's.
func look(dir string) (*entry, error) {
	var task trajectory.Task
	var result trajectory.Result
	err := errors.Join(readFile(dir, "task.json", &task), readFile(dir, "result.json", &result))
	switch ended, tailErr := hasEnding(dir); {
	case errors.Is(err, fs.ErrNotExist), task.URL == "":
		// The events say it.
		return lookInside(dir)
	case err != nil:
		return nil, err
	case tailErr != nil:
		return nil, tailErr
	case !ended:
		return nil, unfinished(dir)
	}
	judged, err := readJudged(dir, &result)
	if err != nil {
		return nil, err
	}
	origin := originOf(task, &result, judged)
	origin.Site = host(task.URL)
	return &entry{dir: dir, origin: origin, key: taskKey(task)}, nil
}

func lookInside(dir string) (*entry, error) {
	s, err := Open(dir)
	if err != nil {
		return nil, err
	}
	return &entry{dir: dir, origin: s.Origin(), key: taskKey(s.Run.Task)}, nil
}

func readFile(dir, name string, v any) error {
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// hasEnding reports whether a run's log ends with the run's end.
func hasEnding(dir string) (bool, error) {
	log, err := os.Open(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	defer log.Close()
	line, err := lastLine(log)
	var last struct{ Kind trajectory.Kind }
	return err == nil && json.Unmarshal(line, &last) == nil && last.Kind == trajectory.KindEnded, err
}

// lastLine is a file's last line; nil when that broke off.
func lastLine(f *os.File) ([]byte, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	for n := int64(1 << 14); ; n *= 8 {
		from := max(0, size-n)
		tail := make([]byte, size-from)
		if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		line, whole := bytes.CutSuffix(tail, []byte("\n"))
		if !whole {
			return nil, nil
		}
		if at := bytes.LastIndexByte(line, '\n'); at >= 0 || from == 0 {
			return line[at+1:], nil
		}
	}
}
