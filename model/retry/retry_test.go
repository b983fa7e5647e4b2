package retry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"fara/model"
	"fara/model/modeltest"
	"fara/model/retry"
)

var request = model.Request{Messages: []model.Message{{Role: model.User, Text: "hello"}}}

func failure(kind error) modeltest.Answer { return modeltest.Fail(&model.Error{Kind: kind}) }

func TestTemporaryFailuresAreRepeatedWithGrowingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := modeltest.NewScript(failure(model.ErrUnreachable), failure(model.ErrBusy),
			failure(model.ErrServer), failure(model.ErrIncomplete), modeltest.Text("hello"))
		var pauses []time.Duration
		client := retry.Wrap(script, retry.Config{Notify: func(_ error, pause time.Duration) { pauses = append(pauses, pause) }})

		start := time.Now()
		reply, err := client.Chat(t.Context(), request, nil)
		if err != nil || reply.Text != "hello" || reply.Usage.Retries != 4 {
			t.Fatalf("got %+v and error %v, want hello after 4 retries", reply, err)
		}
		var sum time.Duration
		for i, pause := range pauses {
			sum += pause
			planned := time.Second << i
			if pause < planned/2 || pause > planned*3/2 {
				t.Errorf("pause %d: got %v, want %v give or take half", i+1, pause, planned)
			}
		}
		if took := time.Since(start); took != sum || len(pauses) != 4 {
			t.Errorf("took %v with pauses %v, want the sum of 4 pauses", took, pauses)
		}
	})
}

func TestRefusalsAreNotRepeated(t *testing.T) {
	for _, kind := range []error{model.ErrNotFound, model.ErrUnauthorized, model.ErrContext,
		model.ErrTooManyImages, model.ErrBadRequest, errors.New("something else")} {
		script := modeltest.NewScript(failure(kind), modeltest.Text("too late"))
		reply, err := retry.Wrap(script, retry.Config{}).Chat(t.Context(), request, nil)
		if !errors.Is(err, kind) || len(script.Requests()) != 1 {
			t.Errorf("%v: got reply %+v, error %v after %d calls, want the error after 1", kind, reply, err, len(script.Requests()))
		}
	}
}

func TestAttemptsAreLimited(t *testing.T) {
	for attempts, want := range map[int]int{0: 5, 1: 1, 3: 3} {
		synctest.Test(t, func(t *testing.T) {
			script := modeltest.NewEndlessScript(failure(model.ErrServer))
			_, err := retry.Wrap(script, retry.Config{Attempts: attempts}).Chat(t.Context(), request, nil)
			if got := len(script.Requests()); got != want || !errors.Is(err, model.ErrServer) {
				t.Errorf("attempts %d: got %d calls and error %v, want %d and ErrServer", attempts, got, err, want)
			}
		})
	}
}

func TestServersWishIsRespectedUpToALimit(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		20 * time.Second: 20 * time.Second,
		time.Hour:        time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			busy := fmt.Errorf("wrapped: %w", &model.Error{Kind: model.ErrBusy, RetryAfter: asked})
			client := retry.Wrap(modeltest.NewScript(modeltest.Fail(busy), modeltest.Text("hello")), retry.Config{})
			start := time.Now()
			if _, err := client.Chat(t.Context(), request, nil); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != want {
				t.Errorf("asked to wait %v: got a pause of %v, want %v", asked, took, want)
			}
		})
	}
}

func TestCancelEndsThePauseAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("the user left")
		ctx, cancel := context.WithCancelCause(t.Context())
		script := modeltest.NewEndlessScript(failure(model.ErrServer))
		client := retry.Wrap(script, retry.Config{First: time.Minute})
		time.AfterFunc(time.Second, func() { cancel(gone) })

		start := time.Now()
		_, err := client.Chat(ctx, request, nil)
		if took := time.Since(start); !errors.Is(err, gone) || took != time.Second {
			t.Errorf("got error %v after %v, want the cause after 1s", err, took)
		}
		if got := len(script.Requests()); got != 1 {
			t.Errorf("got %d calls, want 1", got)
		}
	})
}

// torn streams half a reply before it fails, once.
type torn struct{ calls int }

func (m *torn) Chat(_ context.Context, _ model.Request, until model.Until) (model.Reply, error) {
	m.calls++
	if m.calls == 1 {
		until("half")
		return model.Reply{}, &model.Error{Kind: model.ErrIncomplete}
	}
	until("whole")
	return model.Reply{Text: "whole"}, nil
}

func TestReplyBeginsAnewAfterItBrokeOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		reply, err := retry.Wrap(&torn{}, retry.Config{}).Chat(t.Context(), request, func(text string) bool {
			seen = append(seen, text)
			return false
		})
		if err != nil || reply.Text != "whole" || fmt.Sprint(seen) != "[half whole]" {
			t.Errorf("got %q (seen %q) and error %v, want the second reply alone", reply.Text, seen, err)
		}
	})
}
