package export

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Find gives the folders of the runs that args name, in the order of their names
// below each: run folders, or folders with runs anywhere below them, such as a
// batch's. A run that is named twice is given once. It is an error when one of args
// holds no run.
func Find(args []string) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	for _, arg := range args {
		found, err := below(arg)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s holds no run; give run folders, or a folder with runs below it", arg)
		}
		for _, dir := range found {
			whole, err := filepath.Abs(dir)
			if err != nil {
				return nil, err
			}
			if !seen[whole] {
				seen[whole] = true
				out = append(out, dir)
			}
		}
	}
	return out, nil
}

func below(root string) ([]string, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("%s: there is no such run or folder", root)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; give run folders", root)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil { // a link is not walked through
		return nil, err
	}
	var out []string
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !e.IsDir():
			return nil
		case isRun(path):
			out = append(out, path)
			return filepath.SkipDir
		case path != root && strings.HasPrefix(e.Name(), "."):
			return filepath.SkipDir
		}
		return nil
	})
	return out, err
}

// isRun reports whether a folder is a run's, or what a crash left of one. DataPoint
// folders have files of the same names.
func isRun(dir string) bool {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	return has("task.json") && (has("events.jsonl") || has("frames")) && !has("data_point.json")
}
