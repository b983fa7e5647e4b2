package batch

import (
	"path/filepath"
	"sync"
	"time"

	"fara/model"
	"fara/trajectory"
)

// Summary is what a batch came to so far; it is also summary.json.
type Summary struct {
	Version int    `json:"version"`
	ID      string `json:"batch"`
	Source  string `json:"source"`
	Dir     string `json:"dir"`
	// Tasks and Samples make Jobs; Ended of them have their ending, Remaining have not.
	Tasks     int `json:"tasks"`
	Samples   int `json:"samples"`
	Jobs      int `json:"jobs"`
	Ended     int `json:"ended"`
	Remaining int `json:"remaining"`
	// Statuses, Classes and Reasons count the endings; a reason is below its status, as
	// in "failure/start_url".
	Statuses map[trajectory.Status]int `json:"statuses"`
	Classes  map[Class]int             `json:"classes"`
	Reasons  map[string]int            `json:"reasons"`
	// Verified counts the successes that somebody agreed with, by who did; Unverified
	// those that rest on the model's word alone.
	Verified   map[string]int `json:"verified"`
	Unverified int            `json:"unverified"`
	// Attempts counts those that came to nothing and were made again.
	Attempts int `json:"repeated_attempts"`
	// Steps, Calls and the tokens are those of the runs that ended.
	Steps int         `json:"steps"`
	Calls int         `json:"calls"`
	Usage model.Usage `json:"usage"`
	// Took is the runs' own time together, Wall how long this call of the program
	// worked on the batch.
	Took time.Duration `json:"took_ns"`
	Wall time.Duration `json:"wall_ns"`
	// Sites are the endings by the site the tasks begin on, Servers the replies that
	// each model server gave, Workers the endings by machine.
	Sites   map[string]Tally `json:"sites"`
	Servers map[string]int   `json:"servers,omitempty"`
	Workers map[string]int   `json:"workers,omitempty"`
	Updated time.Time        `json:"updated"`
}

// Tally counts endings.
type Tally struct {
	Ended   int `json:"ended"`
	Success int `json:"success"`
}

// meter counts what happens while a batch is done.
type meter struct {
	mu     sync.Mutex
	began  time.Time
	ended  int
	steps  int
	tokens int
	// servers counts the replies by who gave them.
	servers map[string]int
}

// reply counts a reply of a model.
func (m *meter) reply(p *trajectory.Proposed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.Call != nil {
		m.steps++
	}
	m.tokens += p.Usage.PromptTokens + p.Usage.CompletionTokens
	if p.Server != "" {
		if m.servers == nil {
			m.servers = map[string]int{}
		}
		m.servers[p.Server]++
	}
}

// result counts what another machine did.
func (m *meter) result(r trajectory.Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps += r.Steps
	m.tokens += r.Usage.PromptTokens + r.Usage.CompletionTokens
}

// Progress is where a batch is at a moment.
type Progress struct {
	// Jobs are all, Ended those with an ending, Now of them since this Batch was made;
	// Running are under way.
	Jobs, Ended, Now, Running int
	// Steps and Tokens are those of this Batch so far, Servers its replies by server.
	Steps, Tokens int
	Servers       map[string]int
	Statuses      map[trajectory.Status]int
	// Began is when this Batch was made.
	Began time.Time
	// Outage is why no model server is of use; empty while one is. Held are the sites
	// that are left alone now, Down those that are given up.
	Outage     string
	Held, Down []string
}

// Progress tells where the batch is. Any goroutine may ask.
func (b *Batch) Progress() Progress {
	b.mu.Lock()
	defer b.unlock()
	p := Progress{Jobs: len(b.states), Statuses: map[trajectory.Status]int{}, Began: b.meter.began, Outage: b.outage}
	for _, s := range b.states {
		switch s.phase {
		case over:
			p.Ended++
			p.Statuses[s.ending.Result.Status]++
		case running:
			p.Running++
		}
	}
	p.Held, p.Down = b.sites.idle(time.Now())
	b.meter.mu.Lock()
	defer b.meter.mu.Unlock()
	p.Now, p.Steps, p.Tokens, p.Servers = b.meter.ended, b.meter.steps, b.meter.tokens, map[string]int{}
	for name, n := range b.meter.servers {
		p.Servers[name] = n
	}
	return p
}

// Endings are the jobs' endings so far, in the order of the jobs.
func (b *Batch) Endings() []Ending {
	b.mu.Lock()
	defer b.unlock()
	var all []Ending
	for _, s := range b.states {
		if s.ending != nil {
			all = append(all, *s.ending)
		}
	}
	return all
}

// Summary tells what the batch came to so far.
func (b *Batch) Summary() Summary {
	b.mu.Lock()
	defer b.unlock()
	sum := Summary{
		Version: storeVersion, ID: b.store.ID, Source: b.store.plan.Source, Dir: b.store.Dir,
		Tasks: len(b.store.plan.Tasks), Samples: b.store.plan.Samples, Jobs: len(b.states),
		Ended: len(b.states) - b.left, Remaining: b.left,
		Statuses: map[trajectory.Status]int{}, Classes: map[Class]int{}, Reasons: map[string]int{}, Verified: map[string]int{},
		Sites: map[string]Tally{}, Servers: map[string]int{}, Workers: map[string]int{},
		Wall: time.Since(b.meter.began), Updated: time.Now().UTC(),
	}
	for _, s := range b.states {
		if s.ending != nil {
			sum.add(s.ending)
		}
	}
	return sum
}

func (s *Summary) add(e *Ending) {
	r := e.Result
	s.Statuses[r.Status]++
	s.Classes[e.Class]++
	s.Reasons[string(r.Status)+"/"+r.Reason]++
	s.Attempts += e.Attempts
	s.Steps += r.Steps
	s.Calls += r.Usage.Calls
	s.Usage = s.Usage.Add(r.Usage.Usage)
	s.Took += r.Timings.Total
	for server, n := range r.Usage.Servers {
		s.Servers[server] += n
	}
	if e.Worker != "" {
		s.Workers[e.Worker]++
	}
	name := SiteOf(e.Job.URL)
	site := s.Sites[name]
	site.Ended++
	if r.Status == trajectory.Success {
		site.Success++
		for _, by := range r.Verified {
			s.Verified[by]++
		}
		if len(r.Verified) == 0 {
			s.Unverified++
		}
	}
	if name != "" {
		s.Sites[name] = site
	}
}

// resultLine is a job's ending as results.jsonl has it.
type resultLine struct {
	ID       string `json:"id"`
	Sample   int    `json:"sample"`
	Task     string `json:"task"`
	URL      string `json:"url,omitempty"`
	Class    Class  `json:"class"`
	Attempts int    `json:"repeated_attempts,omitempty"`
	Worker   string `json:"worker,omitempty"`
	// Result is as in the run's result.json, its folder being below the batch's.
	trajectory.Result
}

// conclude writes what the batch came to so far beside its runs.
func (s *Store) conclude(sum Summary, endings []Ending) error {
	lines := make([]resultLine, len(endings))
	for i, e := range endings {
		lines[i] = resultLine{e.Job.ID, e.Job.Sample, e.Job.Task.Task, withoutUser(e.Job.URL), e.Class, e.Attempts, e.Worker, e.Result}
	}
	if err := writeLines(filepath.Join(s.Dir, resultsFile), lines); err != nil {
		return err
	}
	return trajectory.WriteJSON(filepath.Join(s.Dir, summaryFile), sum)
}
