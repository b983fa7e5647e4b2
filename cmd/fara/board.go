package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"fara/batch"
	"fara/trajectory"
)

// board shows people how a batch goes: a block at the foot of a terminal that is drawn
// anew, plain lines elsewhere, JSON lines when programs read it. Log lines written to
// it stand above the block.
type board struct {
	out    io.Writer // for people
	json   io.Writer // nil unless programs read along
	width  func() int
	every  time.Duration
	live   bool // out is a terminal
	jobs   *batch.Batch
	counts func() []string // a line for each server or worker
	stop   chan struct{}
	ticked sync.WaitGroup

	mu    sync.Mutex
	drawn int // lines of the block that stand there
}

// How often the block is drawn, and a line said where there is none.
const (
	drawPause = 500 * time.Millisecond
	linePause = 30 * time.Second
)

// board shows people, or programs when json is not nil.
func (p *program) board(json io.Writer) *board {
	s := &board{out: p.stderr, json: json, every: linePause, stop: make(chan struct{})}
	if f, ok := p.screen(); ok && json == nil {
		s.live, s.every = true, drawPause
		s.width = func() int {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
				return w
			}
			return 80
		}
	}
	return s
}

// screen is the terminal that stderr is; false when it is none.
func (p *program) screen() (*os.File, bool) {
	f, ok := p.terminal.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// begin shows where the batch stands, and from here on how it goes.
func (s *board) begin(store *batch.Store, jobs *batch.Batch, counts func() []string) {
	s.jobs, s.counts = jobs, counts
	p := jobs.Progress()
	switch {
	case store.New:
		s.say("batch %s: %d runs to do, in %s", store.ID, p.Jobs, store.Dir)
	case store.Added > 0:
		s.say("batch %s goes on, with %d more tasks: %d of %d runs have ended, in %s", store.ID, store.Added, p.Ended, p.Jobs, store.Dir)
	default:
		s.say("batch %s goes on: %d of %d runs have ended, in %s", store.ID, p.Ended, p.Jobs, store.Dir)
	}
	s.ticked.Go(func() {
		tick := time.NewTicker(s.every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.tick()
			case <-s.stop:
				return
			}
		}
	})
}

// Write puts log lines above the block.
func (s *board) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	n, err := s.out.Write(text)
	return n, err
}

func (s *board) say(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// clear takes the block away.
func (s *board) clear() {
	if s.drawn > 0 {
		fmt.Fprintf(s.out, "\x1b[%dA\r\x1b[J", s.drawn)
		s.drawn = 0
	}
}

// tick shows where the batch is now.
func (s *board) tick() {
	p := s.jobs.Progress()
	if !s.live {
		if s.json == nil {
			s.say("%s", s.first(p))
		}
		return
	}
	lines := s.overview(p)
	width := s.width()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	for _, l := range lines {
		fmt.Fprintln(s.out, cut(l, width-1))
	}
	s.drawn = len(lines)
}

// first is a batch in a line.
func (s *board) first(p batch.Progress) string {
	took := time.Since(p.Began)
	return fmt.Sprintf("%s %d/%d, %d under way, %.1f steps/s, %.0f tokens/s%s", bar(p.Ended, p.Jobs), p.Ended, p.Jobs, p.Running,
		float64(p.Steps)/took.Seconds(), float64(p.Tokens)/took.Seconds(), eta(p, took))
}

// overview is a batch in a few lines.
func (s *board) overview(p batch.Progress) []string {
	lines := []string{s.first(p), "  " + tally(p.Statuses)}
	lines = append(lines, s.counts()...)
	if len(p.Held)+len(p.Down) > 0 {
		lines = append(lines, fmt.Sprintf("  left alone for now: %s; given up: %s", listed(p.Held), listed(p.Down)))
	}
	if p.Outage != "" {
		lines = append(lines, "  waiting for a model server: "+line(p.Outage))
	}
	return lines
}

func listed(names []string) string {
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > 3:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// bar is how much of a batch is done.
func bar(n, of int) string {
	const width = 24
	done := 0
	if of > 0 {
		done = width * n / of
	}
	return "[" + strings.Repeat("#", done) + strings.Repeat(".", width-done) + "]"
}

// eta is how long the rest takes if it goes on as it went since the program began.
func eta(p batch.Progress, took time.Duration) string {
	left := p.Jobs - p.Ended
	if p.Now < 1 || left < 1 {
		return ""
	}
	return fmt.Sprintf(", %v left", (took / time.Duration(p.Now) * time.Duration(left)).Round(time.Second))
}

// tally is the endings by status, the most frequent first.
func tally(statuses map[trajectory.Status]int) string {
	var parts []string
	for _, status := range byCount(statuses) {
		parts = append(parts, fmt.Sprintf("%s %d", status, statuses[status]))
	}
	if len(parts) == 0 {
		return "nothing has ended yet"
	}
	return strings.Join(parts, ", ")
}

// byCount are a map's keys, those with the largest counts first.
func byCount[K ~string](counts map[K]int) []K {
	return slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(string(a), string(b))
	})
}

// jobLine is an ending as --json prints it.
type jobLine struct {
	Type     string      `json:"type"` // "task"
	ID       string      `json:"id"`
	Sample   int         `json:"sample"`
	Class    batch.Class `json:"class"`
	Attempts int         `json:"repeated_attempts"`
	Worker   string      `json:"worker,omitempty"`
	trajectory.Result
}

// noticeLine is something else that happened, as --json prints it.
type noticeLine struct {
	Type string `json:"type"` // "notice"
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
}

// notice shows what happened.
func (s *board) notice(n batch.Notice) {
	switch {
	case s.json != nil && n.Ending != nil:
		e := n.Ending
		writeLine(s.json, jobLine{"task", e.Job.ID, e.Job.Sample, e.Class, e.Attempts, e.Worker, e.Result})
	case s.json != nil:
		l := noticeLine{Type: "notice", Text: n.Text}
		if n.Job != nil {
			l.ID = n.Job.ID
		}
		writeLine(s.json, l)
	case n.Ending != nil:
		r := n.Ending.Result
		s.say("%s: %s (%s) after %d steps, %v: %s", cut(plain(n.Ending.Job.Key()), 60), r.Status, r.Reason, r.Steps, r.Timings.Total.Round(100*time.Millisecond), cut(plain(line(r.Message)), 160))
	case n.Job != nil:
		s.say("%s: %s", cut(plain(n.Job.Key()), 60), cut(plain(n.Text), 200))
	default:
		s.say("%s", cut(plain(n.Text), 200))
	}
}

// end takes the block away and shows what the batch came to.
func (s *board) end(sum batch.Summary) {
	close(s.stop)
	s.ticked.Wait()
	if s.json != nil {
		writeLine(s.json, summaryLine{"summary", sum})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
}

// summaryLine is a summary as --json prints it, last.
type summaryLine struct {
	Type string `json:"type"` // "summary"
	batch.Summary
}
