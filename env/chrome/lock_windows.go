package chrome

import "os"

// lockFile makes the file. An open file cannot be removed on Windows, which is
// lock enough: a folder in use survives a sweep.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
}

func singleton(string) (string, int) { return "", 0 }

func browserLives(string) bool { return false }

func programName(int) string { return "another browser" }
