package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fara/trajectory"
)

// lever is a hold that remembers.
type lever struct{ held atomic.Bool }

func (l *lever) Pause()       { l.held.Store(true) }
func (l *lever) Resume()      { l.held.Store(false) }
func (l *lever) Paused() bool { return l.held.Load() }

// says is somebody who answers with these words, or with an error; mute ones wait
// until nobody wants their answer any more.
type says struct {
	text string
	err  error
	mute bool
	left atomic.Bool
}

func (s *says) Ask(ctx context.Context, _ trajectory.Asked) (trajectory.Replied, error) {
	defer s.left.Store(true)
	if s.mute {
		<-ctx.Done()
		return trajectory.Replied{}, context.Cause(ctx)
	}
	return trajectory.Replied{Text: s.text}, s.err
}

func TestFirstOfTwoWhoAreAskedAnswers(t *testing.T) {
	gone := errors.New("gone")
	for _, c := range []struct {
		name string
		both either
		want string
		err  error
	}{
		{"one answers", either{&says{text: "a"}, &says{mute: true}}, "a", nil},
		{"the other answers", either{&says{mute: true}, &says{text: "b"}}, "b", nil},
		{"one has gone", either{&says{err: gone}, &says{text: "b"}}, "b", nil},
		{"both have gone", either{&says{err: gone}, &says{err: gone}}, "", gone},
	} {
		reply, err := c.both.Ask(t.Context(), trajectory.Asked{})
		if reply.Text != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: got %q, %v, want %q, %v", c.name, reply.Text, err, c.want, c.err)
		}
		for i, one := range c.both {
			if !one.(*says).left.Load() {
				t.Errorf("%s: number %d is still asked", c.name, i)
			}
		}
	}
	why := errors.New("nobody answered in time")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	if _, err := (&either{&says{mute: true}, &says{mute: true}}).Ask(ctx, trajectory.Asked{}); !errors.Is(err, why) {
		t.Errorf("got %v, want the cause", err)
	}
}

func TestControlFlagLetsTheRunBeSteered(t *testing.T) {
	var stderr bytes.Buffer
	hold := &lever{}
	h, err := (&controlFlags{address: "0"}).open(&stderr, "r1", hold)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	said := regexp.MustCompile(`^control at (http://127\.0\.0\.1:\d+) with the token (\S+)\n$`).FindStringSubmatch(stderr.String())
	if said == nil {
		t.Fatalf("got %q", stderr.String())
	}
	post := func(path, body string) string {
		req, err := http.NewRequest("POST", said[1]+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+said[2])
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return string(text)
	}
	if got := post("/pause", ""); !hold.Paused() || !strings.Contains(got, `"state":"pausing"`) {
		t.Errorf("pause: held %v, got %s", hold.Paused(), got)
	}
	if got := post("/resume", ""); hold.Paused() {
		t.Errorf("resume: still held, got %s", got)
	}
	answered := make(chan trajectory.Replied, 1)
	go func() {
		reply, _ := h.beside(&says{mute: true}).Ask(t.Context(), trajectory.Asked{Question: "Which?"})
		answered <- reply
	}()
	for end := time.Now().Add(5 * time.Second); strings.Contains(post("/answer", `{"id":1,"text":"green"}`), "error"); {
		if time.Now().After(end) {
			t.Fatal("the question never waited")
		}
	}
	if reply := <-answered; reply.Text != "green" || reply.By != trajectory.Person {
		t.Errorf("got %+v", reply)
	}
}

func TestWithoutTheFlagNobodyIsAskedOverHTTP(t *testing.T) {
	var stderr bytes.Buffer
	h, err := (&controlFlags{}).open(&stderr, "r1", &lever{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	if h.beside(nil) != nil || stderr.Len() > 0 {
		t.Errorf("somebody is asked: %v, said %q", h.beside(nil), stderr.String())
	}
	if _, err := (&controlFlags{address: "nine"}).open(&stderr, "r1", &lever{}); codeOf(err) != exitUsage || !strings.Contains(err.Error(), "--control") {
		t.Errorf("got %v, want wrong usage", err)
	}
}
