package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Job is a job in a worker's hands. Its methods may be called from several goroutines.
type Job struct {
	// Key and Data are what was published.
	Key  string
	Data []byte
	// Delivery counts the workers that took the job and did not give it back, from 1;
	// this one is included.
	Delivery int
	// Takes are those before this one, oldest first: workers that were lost.
	Takes []Take
	// Notes is what the last of them noted, nil for nothing.
	Notes []byte

	bench  *Bench
	msg    jetstream.Msg
	number uint64 // of the job's message
	after  uint64 // what the result's subject must stand at
	id     string // of this take
	since  time.Time
	stop   func()
	lost   chan struct{}

	mu     sync.Mutex
	record record
	seq    uint64 // what the record's subject stands at
	taken  bool   // lost is closed
	ended  bool   // by Done or Release
	fate   error  // what a later Done says then
}

// Poisoned returns a PoisonedError once Config.MaxDeliveries workers were lost over the
// job, else nil. Such a job is not begun: Done with a result that says so ends it.
func (j *Job) Poisoned() error {
	if j.Delivery <= j.bench.maxDeliveries {
		return nil
	}
	return &PoisonedError{Key: j.Key, Takes: j.Takes}
}

// Lost is closed when another worker was found to have the job, because this one could
// not be heard of for longer than AckWait. Going on is a waste then.
func (j *Job) Lost() <-chan struct{} { return j.lost }

// extend asks for more time, and looks whether the job is still this worker's.
func (j *Job) extend(ctx context.Context) {
	_ = j.msg.InProgress()
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	if !j.mu.TryLock() {
		return // somebody is about to change the record and will see for themselves
	}
	defer j.mu.Unlock()
	msg, err := j.bench.state.GetLastMsgForSubject(ctx, j.bench.held(j.Key))
	lost := err == nil && msg.Sequence != j.seq
	msg, err = j.bench.results.GetLastMsgForSubject(ctx, j.bench.result(j.Key))
	if (lost || err == nil && msg.Sequence != j.after) && !j.ended {
		j.giveUp()
	}
}

// giveUp closes lost. The lock is held.
func (j *Job) giveUp() {
	if !j.taken {
		j.taken = true
		close(j.lost)
	}
}

// Note stores data for whoever gets the job if this worker is lost, in place of an
// earlier note. After it returned nil every later delivery sees it. ErrTaken says that
// another worker has the job already: do not do what was to be noted.
func (j *Job) Note(ctx context.Context, data []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.record
	r.Note = data
	return j.change(ctx, r)
}

// change writes the record if it is still this worker's. The lock is held.
func (j *Job) change(ctx context.Context, r record) error {
	if j.taken {
		return fmt.Errorf("job %s: %w", j.Key, ErrTaken)
	}
	seq, err := j.bench.writeRecord(ctx, j.Key, r, j.seq)
	if overtaken(err) {
		j.giveUp()
		return fmt.Errorf("job %s: %w", j.Key, ErrTaken)
	}
	if err != nil {
		return fmt.Errorf("job %s: %w", j.Key, err)
	}
	j.record, j.seq = r, seq
	return nil
}

// Release gives the job back undone; another worker may have it after delay, at once
// for 0. It does not count as a lost worker, and the note stays. After Done it does
// nothing. ErrTaken says that another worker has the job already.
func (j *Job) Release(ctx context.Context, delay time.Duration) error {
	if err := j.unrecord(ctx); err != nil {
		return err
	}
	err := j.bench.try(ctx, func(ctx context.Context) error {
		if err := j.msg.NakWithDelay(delay); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return err
		}
		return j.bench.nc.FlushWithContext(ctx)
	})
	if err != nil {
		return fmt.Errorf("job %s: %w", j.Key, err)
	}
	return nil
}

// unrecord takes this worker's take out of the record and ends the extensions.
func (j *Job) unrecord(ctx context.Context) error {
	j.mu.Lock()
	if j.ended {
		j.mu.Unlock()
		return nil
	}
	r := j.record
	r.Takes = j.Takes
	err := j.change(ctx, r)
	j.mu.Unlock()
	if err == nil || errors.Is(err, ErrTaken) {
		j.finish(fmt.Errorf("job %s was given back: %w", j.Key, ErrTaken))
	}
	return err
}

// Done stores the result and takes the job off the queue: first the folder, if one is
// named, then the result, then the acknowledgement. It goes on through lost connections
// until ctx ends, and may be called again after it has failed.
//
// Errors: ErrTaken if another worker's result was accepted before, and then nothing of
// this one is left in the queue; ErrFolder, ErrTooLarge, ErrNoQueue, ErrDenied,
// ErrClosed.
func (j *Job) Done(ctx context.Context, data []byte, folder string) error {
	if over, fate := j.over(); over {
		return fate
	}
	object := ""
	if folder != "" {
		object = j.bench.folder(j.Key, j.id)
		if err := j.bench.upload(ctx, object, folder); err != nil {
			return fmt.Errorf("job %s: %w", j.Key, err)
		}
	}
	err := j.publish(ctx, data, object)
	if errors.Is(err, ErrTaken) && object != "" {
		err = errors.Join(err, j.bench.deleteFolder(ctx, object))
	}
	if err != nil && !errors.Is(err, ErrTaken) {
		return fmt.Errorf("job %s: %w", j.Key, err)
	}
	if acked := j.acknowledge(ctx); acked != nil && err == nil {
		return fmt.Errorf("job %s: %w", j.Key, acked)
	}
	j.finish(err)
	return err
}

func (j *Job) over() (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ended, j.fate
}

// finish ends the job for this worker; fate is what a later Done says.
func (j *Job) finish(fate error) {
	j.mu.Lock()
	first := !j.ended
	if first {
		j.ended, j.fate = true, fate
	}
	j.mu.Unlock()
	if first {
		j.bench.letGo(j)
	}
}

// publish puts the result on its subject if nobody has done so before.
func (j *Job) publish(ctx context.Context, data []byte, object string) error {
	m := nats.NewMsg(j.bench.result(j.Key))
	m.Header.Set(headKey, escape(j.Key))
	m.Header.Set(headTake, j.id)
	m.Header.Set(headJob, strconv.FormatUint(j.number, 10))
	m.Header.Set(headWorker, escape(j.bench.worker))
	if object != "" {
		m.Header.Set(headFolder, object)
	}
	m.Data = data
	_, err := j.bench.post(ctx, m, j.after)
	if !overtaken(err) {
		return err
	}
	msg, err := j.bench.last(ctx, j.bench.results, m.Subject)
	if err != nil {
		return err
	}
	if msg != nil && msg.Header.Get(headTake) == j.id {
		return nil // this very result, whose acceptance got lost on the way
	}
	return fmt.Errorf("job %s: %w", j.Key, ErrTaken)
}

// acknowledge takes the job's message off the queue and sees that it is gone.
func (j *Job) acknowledge(ctx context.Context) error {
	return j.bench.explain(j.bench.try(ctx, func(ctx context.Context) error {
		limited, cancel := context.WithTimeout(ctx, requestLimit/2)
		defer cancel()
		err := j.msg.DoubleAck(limited)
		if err == nil || errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return nil
		}
		if _, there := j.bench.jobs.GetMsg(ctx, j.number); errors.Is(there, jetstream.ErrMsgNotFound) {
			return nil
		}
		return err
	}))
}
