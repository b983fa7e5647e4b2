package batch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestALineThatCouldNotBeWrittenBreaksNoOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	l, err := openLedger(path, os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if err := l.append(entry{Kind: began, Job: "a", Run: "r"}); err != nil {
		t.Fatal(err)
	}
	disk := &full{logFile: l.file, writes: true}
	l.file = disk
	if err := l.append(entry{Kind: ended, Job: "lost"}); !errors.Is(err, errFull) || !strings.Contains(err.Error(), "ledger") {
		t.Fatalf("on a full disk: got error %v, want %v of the ledger", err, errFull)
	}
	disk.writes = false
	if err := l.append(entry{Kind: ended, Job: "b"}); err != nil {
		t.Fatalf("once there is room: %v", err)
	}
	disk.writes, disk.cuts = true, true
	first := l.append(entry{Kind: ended, Job: "lost"})
	disk.writes, disk.cuts = false, false
	if second := l.append(entry{Kind: ended, Job: "lost too"}); first == nil || !errors.Is(second, first) {
		t.Fatalf("what broke off could not be cut away: got errors %v and then %v, want the first both times", first, second)
	}
	entries, err := l.read()
	if err != nil || len(entries) != 2 || entries[0].Job != "a" || entries[1].Job != "b" {
		t.Errorf("read again: got %+v and error %v, want the two whole lines", entries, err)
	}
}

var errFull = errors.New("no space left on device")

// full is a file whose disk is full: half of what is written gets there.
type full struct {
	logFile
	writes, cuts bool // what fails
}

func (f *full) Write(p []byte) (int, error) {
	if !f.writes {
		return f.logFile.Write(p)
	}
	n, err := f.logFile.Write(p[:len(p)/2])
	return n, errors.Join(errFull, err)
}

func (f *full) Truncate(size int64) error {
	if f.cuts {
		return errFull
	}
	return f.logFile.Truncate(size)
}

func TestALedgerIsReadBackAsItWasWritten(t *testing.T) {
	l, err := openLedger(filepath.Join(t.TempDir(), "ledger.jsonl"), os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l.now = func() time.Time { return at }
	want := []entry{{Kind: began, Job: "a<b>\n\u2028", Run: "r", Step: 3}, {Kind: again, Job: "ü", Class: Site, Why: "x", Fresh: true, Unseen: true}}
	if err := l.append(want...); err != nil {
		t.Fatal(err)
	}
	got, err := l.read()
	if err != nil || len(got) != len(want) {
		t.Fatalf("got %d entries and error %v, want %d", len(got), err, len(want))
	}
	for i := range want {
		want[i].V, want[i].At = ledgerVersion, at
		if got[i] != want[i] {
			t.Errorf("entry %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}
