package ingest_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"fara/env"
	"fara/export"
	"fara/export/exporttest"
	"fara/export/layout"
	"fara/trajectory"
)

// deedOf is what must come back of a step.
type deedOf struct {
	Call, Raw, Frame, Thoughts string
	Done                       []env.Action
	Failed                     string
	Replies                    []string
}

// deeds are a run's steps.
func deeds(t *testing.T, run *trajectory.Run) []deedOf {
	t.Helper()
	var out []deedOf
	frame := ""
	for _, e := range run.Events {
		last := len(out) - 1
		switch {
		case e.Observed != nil:
			frame = e.Observed.SHA256
		case e.Proposed != nil && e.Proposed.Call != nil && e.Proposed.Truncated == "":
			call, err := json.Marshal(e.Proposed.Call)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, deedOf{Call: string(call), Raw: e.Proposed.Raw, Frame: frame, Thoughts: e.Proposed.Thoughts})
		case last < 0:
		case e.Acting != nil:
			out[last].Done = append(out[last].Done, e.Acting.Action)
		case e.Acted != nil && e.Acted.Error != nil:
			out[last].Failed = e.Acted.Error.Text
		case e.Replied != nil && e.Replied.Choice == "":
			out[last].Replies = append(out[last].Replies, string(e.Replied.By)+" "+e.Replied.Text)
		}
	}
	return out
}

// TestExportedDataPointComesBackTheSame holds for runs of every odd kind.
func TestExportedDataPointComesBackTheSame(t *testing.T) {
	for name, write := range exporttest.Odd() {
		// What a run did by itself after it was killed, or to leave a page, is no action of its
		// model's and stands in no DataPoint.
		byItself := slices.Contains([]string{"killed while acting", "killed before acting", "page left", "needs approval"}, name)
		if name == exporttest.HalfWritten {
			continue
		}
		t.Run(name, func(t *testing.T) {
			teller := write(t.TempDir())
			if err := teller.Err(); err != nil {
				t.Fatal(err)
			}
			source, err := export.Open(teller.Dir())
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			made, err := layout.DataPoint(dir).Add(source)
			if err != nil {
				t.Fatal(err)
			}
			back, _ := take(t, filepath.Join(dir, made))
			want, got := deeds(t, source.Run), deeds(t, back)
			if len(got) != len(want) {
				t.Fatalf("got %d steps, want %d", len(got), len(want))
			}
			for i := range want {
				if byItself {
					want[i].Done, got[i].Done, want[i].Failed, got[i].Failed = nil, nil, "", ""
				}
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Errorf("step %d: got %+v, want %+v", i+1, got[i], want[i])
				}
			}
			w, g := source.Result, back.Result
			if g.Status != w.Status || g.Reason != w.Reason || g.Answer != w.Answer || g.Claim != w.Claim || g.Question != w.Question || len(g.Verified) != len(w.Verified) {
				t.Errorf("result: got %+v, want %+v", g, w)
			}
		})
	}
}
