package control

import (
	"context"
	"sync"

	"fara/trajectory"
)

// Hold holds a run still. Several goroutines may use it.
type Hold interface {
	Pause()
	Resume()
	Paused() bool
}

// Control is a run as people steer it. Several goroutines may use it.
type Control struct {
	hold Hold
	desk desk

	mu     sync.Mutex
	run    string
	step   int
	url    string
	still  bool               // the run does hold still
	result *trajectory.Result // nil while it goes on
	began  bool
}

// New gives the control of the run with that id.
func New(run string, hold Hold) *Control { return &Control{run: run, hold: hold} }

// Event takes the run's next event.
func (c *Control) Event(e trajectory.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.began, c.step = true, e.Step
	switch e.Kind {
	case trajectory.KindObserved:
		c.url = e.Observed.URL
	case trajectory.KindPaused:
		c.still = true
	case trajectory.KindResumed:
		c.still = false
	case trajectory.KindEnded:
		c.result = e.Ended
	}
}

// Ask waits for somebody's answer to a question. It returns the cause of ctx when
// that ends first. One question waits at a time.
func (c *Control) Ask(ctx context.Context, asked trajectory.Asked) (trajectory.Replied, error) {
	return c.desk.ask(ctx, asked)
}

// Pause has the run hold still before its next look or action.
func (c *Control) Pause() { c.hold.Pause() }

// Resume lets it go on. When it waits for a person to deal with a captcha, that
// was done.
func (c *Control) Resume() {
	c.mu.Lock()
	c.still = false // from now on it moves, also when it is paused again at once
	c.mu.Unlock()
	c.hold.Resume()
	c.desk.release()
}

// The states of a run.
const (
	starting = "starting" // nothing has happened yet
	running  = "running"
	pausing  = "pausing" // it will hold still in a moment
	paused   = "paused"  // nothing happens, and a person may use the browser
	waiting  = "waiting" // for an answer, an approval, or hands at a captcha
	ended    = "ended"
)

// status is what GET /status tells. Words in it come from pages and models.
type status struct {
	Run   string `json:"run"`
	State string `json:"state"`
	Step  int    `json:"step"`
	// URL is the page in front as it was last looked at.
	URL      string   `json:"url,omitempty"`
	Question *waiter  `json:"question,omitempty"`
	Result   *outcome `json:"result,omitempty"`
}

// waiter is the question that waits.
type waiter struct {
	// ID is what an answer has to name.
	ID int `json:"id"`
	// For is what is waited for: "answer", "approval" or "captcha".
	For string `json:"for"`
	trajectory.Asked
}

type outcome struct {
	Status trajectory.Status `json:"status"`
	Reason string            `json:"reason"`
}

func (c *Control) status() status {
	held, q := c.hold.Paused(), c.desk.waits()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := status{Run: c.run, State: running, Step: c.step, URL: c.url}
	switch {
	case c.result != nil:
		s.State, s.Result = ended, &outcome{c.result.Status, c.result.Reason}
		return s
	case q != nil:
		s.State = waiting
		s.Question = &waiter{ID: q.id, For: waitsFor(q.asked), Asked: q.asked}
	case held && c.still:
		s.State = paused
	case held:
		s.State = pausing
	case !c.began:
		s.State = starting
	}
	return s
}

func waitsFor(a trajectory.Asked) string {
	switch {
	case a.Approval != nil:
		return "approval"
	case a.Captcha != "":
		return "captcha"
	}
	return "answer"
}
