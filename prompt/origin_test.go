package prompt_test

import (
	"fmt"
	"testing"

	"fara/env"
	"fara/trajectory"
)

func TestEveryMessageSaysWhoseWordsItHolds(t *testing.T) {
	s := begin(trajectory.Started{URL: "http://shop.test/", MaxImages: 3})
	s.see(trajectory.Observed{URL: "http://shop.test/"})
	s.say("ask")
	s.add(trajectory.Event{Kind: trajectory.KindReplied, Replied: &trajectory.Replied{Text: "go on", By: trajectory.Auto}})
	s.acted(trajectory.Acted{Text: "asked the user"})
	s.see(trajectory.Observed{URL: "http://shop.test/a"})
	s.say("ask again")
	s.add(trajectory.Event{Kind: trajectory.KindReplied, Replied: &trajectory.Replied{Text: "size M", By: trajectory.Person}})
	s.acted(trajectory.Acted{Text: "asked the user"})
	s.see(trajectory.Observed{URL: "http://shop.test/b", Notes: []env.Note{{Kind: env.NoteTab, Text: "A tab opened."}}})
	s.babble("what?", "there is no call")
	p := build(t, s)
	var got []string
	for _, o := range p.Origins() {
		word := string(o.By)
		if o.Reply != nil {
			word = o.Reply.Raw
		}
		got = append(got, fmt.Sprintf("%s %v", word, o.Task))
	}
	want := []string{" false", " true", "ask false", "auto false", "ask again false", "person false", "what? false", " false"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the messages' origins: got %q, want %q", got, want)
	}
	if len(got) != len(p.Request.Messages) {
		t.Errorf("got %d origins for %d messages", len(got), len(p.Request.Messages))
	}
}
