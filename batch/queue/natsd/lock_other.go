//go:build !unix

package natsd

import "os"

// lockFile only opens the file where the system has no locks for it.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}
