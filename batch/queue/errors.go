package queue

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// What callers act on. Each error's text says what to do next.
var (
	// ErrConfig is a setting that cannot work: an address, a name, a credentials file.
	ErrConfig = errors.New("wrong setting of the queue")
	// ErrUnreachable is a server that did not answer within Config.Connect.
	ErrUnreachable = errors.New("the queue's server cannot be reached")
	// ErrDenied is a server that does not know these credentials, or a user who may not
	// do what a queue needs.
	ErrDenied = errors.New("the queue's server refuses")
	// ErrNoJetStream is a server or an account without JetStream.
	ErrNoJetStream = errors.New("the server has no JetStream")
	// ErrOtherBatch is a queue that holds another batch; see OtherBatchError.
	ErrOtherBatch = errors.New("the queue holds another batch")
	// ErrNoQueue is a queue that is not there: none was made yet, or it was removed.
	ErrNoQueue = errors.New("there is no such queue")
	// ErrUnfinished is a queue that cannot be removed because it still holds something.
	ErrUnfinished = errors.New("the queue is not empty")
	// ErrTooLarge is a job, a note or a result larger than a message of the server.
	ErrTooLarge = errors.New("too large for the queue's server")
	// ErrTaken is a job that another worker has taken or done in the meantime; what this
	// worker made of it counts no more.
	ErrTaken = errors.New("another worker has the job now")
	// ErrAlready is what a take function says of a result it has already stored.
	ErrAlready = errors.New("the result is stored already")
	// ErrFolder is a folder that cannot be packed, or that came damaged or with entries
	// that no folder may have. Trying again does not help.
	ErrFolder = errors.New("unusable folder")
	// ErrClosed is a Hub or Bench after Close.
	ErrClosed = errors.New("the queue was closed")
	// ErrPoisoned is a job that was taken too often; see PoisonedError.
	ErrPoisoned = errors.New("every worker that took the job was lost")
)

// OtherBatchError says which batch a queue holds. It is ErrOtherBatch.
type OtherBatchError struct {
	// Name is the queue's, ID and Text are those of the batch in it.
	Name, ID, Text string
}

func (e *OtherBatchError) Error() string {
	return fmt.Sprintf("the queue %s holds another batch, %s (%s); finish that one, remove it, or give this one a name of its own",
		e.Name, e.ID, e.Text)
}

// Is reports whether target is ErrOtherBatch.
func (e *OtherBatchError) Is(target error) bool { return target == ErrOtherBatch }

// PoisonedError names the workers that took a job and never came back. It is
// ErrPoisoned.
type PoisonedError struct {
	// Key is the job's.
	Key string
	// Takes are the deliveries that ended with the worker's loss, oldest first.
	Takes []Take
}

func (e *PoisonedError) Error() string {
	names := make([]string, len(e.Takes))
	for i, t := range e.Takes {
		names[i] = fmt.Sprintf("%s at %s", t.Worker, t.At.UTC().Format(time.DateTime))
	}
	return fmt.Sprintf("taken %d times and never brought back: %s", len(e.Takes), strings.Join(names, ", "))
}

// Is reports whether target is ErrPoisoned.
func (e *PoisonedError) Is(target error) bool { return target == ErrPoisoned }
