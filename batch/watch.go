package batch

import (
	"context"
	"fmt"
	"time"

	"fara/env"
	"fara/trajectory"
)

// watch follows an attempt's events.
type watch struct {
	batch  *Batch
	cancel context.CancelCauseFunc
	url    string // where the run begins

	step  int
	asked bool // the model was
	start env.Code
	busy  time.Time
}

// event takes in one.
func (w *watch) event(e trajectory.Event) {
	w.step = max(w.step, e.Step)
	switch {
	case e.Proposed != nil:
		w.asked = true
		w.batch.meter.reply(e.Proposed)
	case e.Acted != nil && e.Acted.Error != nil && !w.asked && w.start == "":
		if w.start = env.Code(e.Acted.Error.Reason); w.start == env.Busy {
			w.sentAway(w.url, e.Acted.Error.Wait)
		}
	case e.Observed != nil:
		for _, n := range e.Observed.Notes {
			if n.Kind == env.NoteBusy {
				w.sentAway(e.Observed.URL, n.Wait)
			}
		}
	}
}

// sentAway leaves a site alone. A run that has not begun yet comes back later.
func (w *watch) sentAway(address string, wait time.Duration) {
	site := SiteOf(address)
	w.batch.mu.Lock()
	until := w.batch.sites.hold(site, wait, time.Now())
	if own := SiteOf(w.url); !w.asked && w.url != "" && own != site { // which leads there
		w.batch.sites.hold(own, time.Until(until), time.Now())
	}
	w.batch.notify(Notice{Text: fmt.Sprintf("%s asks to be left alone until %s", site, until.Format(time.TimeOnly))})
	w.batch.unlock()
	if !w.asked {
		w.busy = until
		w.cancel(errBusy)
	}
}
