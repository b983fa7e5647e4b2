package modeltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"fara/model"
	"fara/model/modeltest"
)

func streamed(rest string) string {
	return strings.Replace(nativeBody(rest), `"stream":false`, `"stream":true`, 1)
}

const hi = `"messages":[{"role":"user","content":"hi"}]`

func TestFaultHitsTheNthRequestOnly(t *testing.T) {
	brain := modeltest.NewEndlessScript(modeltest.Text("ok"))
	server := serve(t, modeltest.Config{}, brain, modeltest.On(modeltest.Status(500, `{"error":"boom"}`), 2))
	var got []int
	for range 3 {
		status, _ := post(t, server.URL()+"/api/chat", nativeBody(hi))
		got = append(got, status)
	}
	if got[0] != 200 || got[1] != 500 || got[2] != 200 {
		t.Errorf("got %v, want the second to fail", got)
	}
	if asked, logged := len(brain.Requests()), len(server.Requests()); asked != 2 || logged != 3 {
		t.Errorf("the brain saw %d, the log has %d, want 2 and 3", asked, logged)
	}
}

func TestBusySaysWhenToComeBack(t *testing.T) {
	server := serve(t, modeltest.Config{}, parrot(), modeltest.Busy(7*time.Second))
	resp, err := http.Post(server.URL()+"/api/chat", "application/json", strings.NewReader(nativeBody(hi)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "7" {
		t.Errorf("got %d, Retry-After %q, want 503 and 7", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
}

func TestCutBreaksTheConnection(t *testing.T) {
	server := serve(t, modeltest.Config{}, parrot(), modeltest.Cut(2))
	_, text, err := tryPost(t, server.URL()+"/api/chat", streamed(hi))
	lines := strings.Split(text, "\n")
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(lines) != 3 || json.Valid([]byte(lines[2])) {
		t.Errorf("got %v after %q, want a broken third line", err, text)
	}
	whole := serve(t, modeltest.Config{}, parrot(), modeltest.Cut(0))
	_, text, err = tryPost(t, whole.URL()+"/v1/chat/completions", v1Body(hi))
	if err == nil || text == "" || json.Valid([]byte(text)) {
		t.Errorf("whole reply: got %q, %v, want half of it", text, err)
	}
}

func TestEndLeavesOutTheRestQuietly(t *testing.T) {
	server := serve(t, modeltest.Config{}, parrot(), modeltest.End(2))
	_, text, err := tryPost(t, server.URL()+"/api/chat", streamed(hi))
	if err != nil || strings.Count(text, "\n") != 2 || strings.Contains(text, `"done":true`) {
		t.Errorf("got %q, %v, want two lines and no end", text, err)
	}
}

func TestFailAfterSpeaksEachAPIsLanguage(t *testing.T) {
	server := serve(t, modeltest.Config{}, parrot(), modeltest.FailAfter(1, "it broke"))
	_, text := post(t, server.URL()+"/api/chat", streamed(hi))
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) != 2 || lines[1] != `{"error":"it broke"}` {
		t.Errorf("native: got %q, want one line, then the error", text)
	}
	_, text = post(t, server.URL()+"/v1/chat/completions", v1Body(`"stream":true,`+hi))
	events := strings.Split(strings.TrimSpace(text), "\n\n")
	if len(events) != 2 || !strings.HasPrefix(events[1], `data: {"error":{"message":"it broke"`) {
		t.Errorf("/v1: got %q, want one event, then the error", text)
	}
}

func TestDelayHoldsTheFirstByteBack(t *testing.T) {
	const wait = 40 * time.Millisecond
	server := serve(t, modeltest.Config{}, parrot(), modeltest.Delay(wait))
	start := time.Now()
	if status, _ := post(t, server.URL()+"/api/chat", nativeBody(hi)); status != 200 {
		t.Errorf("got %d, want 200", status)
	}
	if took := time.Since(start); took < wait {
		t.Errorf("answered after %v, want at least %v", took, wait)
	}
}

func TestBrainsErrorsGetTheServersShape(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status int
		want   string
	}{
		{&model.Error{Kind: model.ErrContext}, 400, "the input length exceeds the context length"},
		{&model.Error{Kind: model.ErrBusy, Message: "later"}, 503, "later"},
		{&model.Error{Kind: model.ErrServer, Status: 502, Message: "gateway"}, 502, "gateway"},
		{errors.New("odd"), 500, "odd"},
	} {
		server := serve(t, modeltest.Config{}, modeltest.NewScript(modeltest.Fail(tt.err)))
		status, body := post(t, server.URL()+"/api/chat", nativeBody(hi))
		if want := `{"error":"` + tt.want + `"}`; status != tt.status || body != want {
			t.Errorf("%v: got %d %s, want %d %s", tt.err, status, body, tt.status, want)
		}
	}
}

func TestClientThatLeavesCancelsTheBrain(t *testing.T) {
	asked, ended := make(chan struct{}), make(chan error, 1)
	server := serve(t, modeltest.Config{}, modeltest.NewScript(
		func(ctx context.Context, _ model.Request) (model.Reply, error) {
			close(asked)
			<-ctx.Done()
			ended <- ctx.Err()
			return model.Reply{}, ctx.Err()
		}))
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", server.URL()+"/api/chat", strings.NewReader(nativeBody(hi)))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-asked
		cancel()
	}()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
		t.Error("the request succeeded, want it cancelled")
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the brain's context ended with %v, want cancelled", err)
	}
}

func TestCloseEndsWhatIsRunning(t *testing.T) {
	asked := make(chan struct{})
	cause := make(chan error, 1)
	server := serve(t, modeltest.Config{}, modeltest.NewScript(
		func(ctx context.Context, _ model.Request) (model.Reply, error) {
			close(asked)
			<-ctx.Done()
			cause <- context.Cause(ctx)
			return model.Reply{}, ctx.Err()
		}))
	done := make(chan error, 1)
	go func() {
		_, _, err := tryPost(t, server.URL()+"/api/chat", nativeBody(hi))
		done <- err
	}()
	<-asked
	server.Close()
	server.Close()
	if len(cause) != 1 {
		t.Error("Close returned before the brain's call had ended")
	}
	if err := <-done; err == nil {
		t.Error("the client got a reply, want a broken connection")
	}
}
