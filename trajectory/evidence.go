package trajectory

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// evidenceDir has what was known of the page when an answer was judged.
const evidenceDir = "evidence"

// Evidence stores what was known of the page when an answer was judged, as JSON,
// and gives its file below the run's folder.
func (w *Writer) Evidence(data []byte) (string, error) {
	dir := filepath.Join(w.dir, evidenceDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("evidence: %w", err)
	}
	if w.clean != nil {
		data = w.clean(data)
	}
	file := filepath.ToSlash(filepath.Join(evidenceDir, strconv.Itoa(numbered(dir)+1)+".json"))
	if err := WriteFile(filepath.Join(w.dir, file), data); err != nil {
		return "", fmt.Errorf("evidence: %w", err)
	}
	return file, nil
}
