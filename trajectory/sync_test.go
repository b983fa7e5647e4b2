package trajectory

import (
	"errors"
	"testing"

	"fara/env"
)

// disk is a log file that knows what has reached the disk.
type disk struct {
	logFile
	written, synced int
	fail            error
}

func (d *disk) Write(p []byte) (int, error) {
	d.written++
	return d.logFile.Write(p)
}

func (d *disk) Sync() error {
	if d.fail != nil {
		return d.fail
	}
	d.synced = d.written
	return d.logFile.Sync()
}

func TestEverythingIsSyncedBeforeAnEffect(t *testing.T) {
	w, err := Create(t.TempDir(), Task{Run: "r"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &disk{logFile: w.log}
	w.log = d
	for _, p := range []Payload{
		Started{}, Observed{}, Proposed{}, Decided{}, Acting{Action: env.Action{Kind: env.LeftClick}},
		Acted{}, Observed{}, Proposed{}, Asked{}, Replied{}, Acted{},
	} {
		e, err := w.Append(1, p)
		if err != nil {
			t.Fatal(err)
		}
		if (e.Kind == KindActing || e.Kind == KindAsked) && d.synced != d.written {
			t.Errorf("when %s returned, %d of %d events were on the disk", e.Kind, d.synced, d.written)
		}
	}
	if err := w.Finish(1, Result{}); err != nil || d.synced != d.written {
		t.Errorf("at the end %d of %d events were on the disk, %v", d.synced, d.written, err)
	}
}

func TestEffectIsNotAnnouncedWhenTheDiskFails(t *testing.T) {
	w, err := Create(t.TempDir(), Task{Run: "r"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left on device")
	w.log = &disk{logFile: w.log, fail: full}
	if _, err := w.Append(1, Acting{}); !errors.Is(err, full) {
		t.Errorf("got %v, want the disk's error", err)
	}
	if n := len(w.Events()); n != 0 {
		t.Errorf("got %d events that are not on the disk", n)
	}
}
