package retry_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"fara/model"
	"fara/model/modeltest"
	"fara/model/retry"
)

// shown is a request with a picture.
var shown = model.Request{Messages: []model.Message{{Role: model.User, Text: "look", Images: []model.Image{{Data: []byte("x"), MIME: "image/png"}}}}}

func says(status int, words string) modeltest.Answer {
	return modeltest.Fail(&model.Error{Kind: model.ErrServer, Status: status, Message: words})
}

func TestFailureThatAlwaysComesIsThePictures(t *testing.T) {
	crash := func(n int) modeltest.Answer {
		return says(500, fmt.Sprintf("llama runner process has terminated: GGML_ASSERT(%d) failed", n))
	}
	for name, tt := range map[string]struct {
		answers []modeltest.Answer
		req     model.Request
		calls   int
		kind    error
	}{
		"a crash, whatever its numbers": {[]modeltest.Answer{crash(1), crash(2), crash(3)}, shown, 3, model.ErrPicture},
		"after another failure":         {[]modeltest.Answer{says(500, "odd"), crash(1), crash(2), crash(3)}, shown, 4, model.ErrPicture},
		"a failure in other words":      {[]modeltest.Answer{says(500, "boom")}, shown, 5, model.ErrPicture},
		"a failure in the stream":       {[]modeltest.Answer{says(200, "boom")}, shown, 5, model.ErrPicture},
		"without a picture":             {[]modeltest.Answer{crash(1)}, request, 5, model.ErrServer},
		"a gateway's failure":           {[]modeltest.Answer{says(502, "Bad Gateway")}, shown, 5, model.ErrServer},
		"failures of all kinds":         {[]modeltest.Answer{says(500, "boom"), failure(model.ErrIncomplete), says(500, "boom")}, shown, 5, model.ErrServer},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := modeltest.NewEndlessScript(tt.answers...)
				_, err := retry.Wrap(script, retry.Config{}).Chat(t.Context(), tt.req, nil)
				if got := len(script.Requests()); got != tt.calls || !errors.Is(err, tt.kind) {
					t.Errorf("got %d calls and error %v, want %d and %v", got, err, tt.calls, tt.kind)
				}
			})
		})
	}
}

func TestRandomFailuresAreKnownByPassing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crash := says(500, "model runner has unexpectedly stopped")
		answers := []modeltest.Answer{crash, modeltest.Text("first")}
		for range 11 {
			answers = append(answers, crash)
		}
		script := modeltest.NewScript(append(answers, modeltest.Text("second"))...)
		client := retry.Wrap(script, retry.Config{})
		for _, tt := range []struct {
			text    string
			retries int
		}{{"first", 1}, {"second", 11}} {
			reply, err := client.Chat(t.Context(), shown, nil)
			if err != nil || reply.Text != tt.text || reply.Usage.Retries != tt.retries {
				t.Errorf("got %q after %d retries and error %v, want %q after %d", reply.Text, reply.Usage.Retries, err, tt.text, tt.retries)
			}
		}
	})
}

func TestBusyServerIsWaitedForByTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answers []modeltest.Answer
		for range 20 {
			answers = append(answers, failure(model.ErrBusy))
		}
		script := modeltest.NewScript(append(answers, modeltest.Text("at last"))...)
		reply, err := retry.Wrap(script, retry.Config{}).Chat(t.Context(), request, nil)
		if err != nil || reply.Text != "at last" || reply.Usage.Retries != 20 {
			t.Errorf("a queue of 20: got %+v and error %v", reply, err)
		}
		began := time.Now()
		_, err = retry.Wrap(modeltest.NewEndlessScript(failure(model.ErrBusy)), retry.Config{Busy: 2 * time.Minute}).Chat(t.Context(), request, nil)
		if took := time.Since(began); !errors.Is(err, model.ErrBusy) || took < 2*time.Minute || took > 2*time.Minute+30*time.Second {
			t.Errorf("endless: got error %v after %v, want ErrBusy after two minutes", err, took)
		}
	})
}

func TestLoadThatTookTooLongIsNotBegunAgain(t *testing.T) {
	script := modeltest.NewEndlessScript(modeltest.Fail(&model.Error{Kind: model.ErrUnreachable, Final: true}))
	_, err := retry.Wrap(script, retry.Config{}).Chat(t.Context(), request, nil)
	if !errors.Is(err, model.ErrUnreachable) || len(script.Requests()) != 1 {
		t.Errorf("got error %v after %d calls, want it after one", err, len(script.Requests()))
	}
}
