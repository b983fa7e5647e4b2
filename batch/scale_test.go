package batch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"fara/trajectory"
)

// instant is a Runner whose runs are over at once and leave nothing.
type instant struct{}

func (instant) Do(context.Context, Attempt) (trajectory.Result, error) {
	return trajectory.Result{Version: 1, Status: trajectory.Success, Reason: "terminate", Verified: []string{}}, nil
}
func (instant) Await(context.Context) error { return nil }

// nowhere is a file that keeps nothing.
type nowhere struct{}

func (nowhere) Name() string                { return "nowhere" }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Sync() error                 { return nil }
func (nowhere) Truncate(int64) error        { return nil }
func (nowhere) Close() error                { return nil }

// large is a batch of many tasks on so many sites; its ledger goes nowhere.
func large(tb testing.TB, tasks, sites int, cfg Config) *Batch {
	tb.Helper()
	plan := Plan{Source: "tasks.jsonl", Samples: 1}
	for i := range tasks {
		plan.Tasks = append(plan.Tasks, Task{ID: fmt.Sprintf("t%06d", i), Task: "x", URL: fmt.Sprintf("https://s%d.test/%d", i%sites, i)})
	}
	s := &Store{Dir: tb.TempDir(), plan: plan, ledger: &ledger{file: nowhere{}, now: time.Now}}
	return New(cfg, s, instant{})
}

// BenchmarkJobs is what a job costs the batch itself, without its run and its disk, by how
// many jobs there are: it has to stay the same.
func BenchmarkJobs(b *testing.B) {
	for _, c := range []struct {
		name         string
		tasks, sites int
		cfg          Config
	}{
		{"1k tasks", 1000, 50, Config{Workers: 8}},
		{"100k tasks", 100_000, 50, Config{Workers: 8}},
		{"100k tasks on 100k sites", 100_000, 100_000, Config{Workers: 8}},
		{"100k tasks, two at a time on 2 sites", 100_000, 2, Config{Workers: 8, PerSite: 2}},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				batch := large(b, c.tasks, c.sites, c.cfg)
				if _, err := batch.Run(b.Context()); err != nil {
					b.Fatal(err)
				}
				n += c.tasks
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "us/job")
		})
	}
}
