package prompt_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"fara/env"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// answered records the reply to the request that comes next, as a run does.
func (s *story) answered(t *testing.T, raw string) prompt.Prompt {
	t.Helper()
	p := build(t, s)
	s.add(trajectory.Event{Kind: trajectory.KindProposed, Step: s.frames, Proposed: &trajectory.Proposed{
		Raw: raw, Call: &model.Call{}, Frames: p.Frames, TextChars: p.TextChars, Messages: len(p.Request.Messages), EstimatedTokens: p.Tokens}})
	return p
}

// TestSteadyRequestsBeginWithTheOneBefore holds every request of a long run,
// with everything that can be told in it, against the one before: as long as no
// frame goes, all of that one stands at its beginning unchanged.
func TestSteadyRequestsBeginWithTheOneBefore(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for _, most := range []int{1, 2, 3, 5} {
		s := begin(trajectory.Started{URL: "http://a.test/", MaxImages: most, Trim: prompt.Steady})
		var before prompt.Prompt
		drops := 0
		for step := range 40 {
			s.see(trajectory.Observed{URL: fmt.Sprintf("http://a.test/%d", step), Unchanged: rng.IntN(5) == 0, Notes: notes(rng)})
			now := s.answered(t, fmt.Sprintf("thought %d", step))
			kept := len(now.Frames) == len(before.Frames)+1
			if !kept {
				drops++
				if want := max(1, most/2); len(now.Frames) != want {
					t.Errorf("at most %d, step %d: %d frames are left after some went, want %d", most, step, len(now.Frames), want)
				}
			}
			if n := len(before.Request.Messages); kept && n > 0 && !reflect.DeepEqual(now.Request.Messages[:n], before.Request.Messages) {
				t.Fatalf("at most %d, step %d: the request does not begin with the one before:\n%s\nbefore:\n%s", most, step, transcript(now.Request), transcript(before.Request))
			}
			if fresh := now.Fresh(before); kept && step > 0 && fresh > 1262+250 || fresh <= 1262 {
				t.Errorf("at most %d, step %d: %d tokens are new, want one frame and a little text", most, step, fresh)
			}
			before = now
			switch rng.IntN(5) {
			case 0:
				s.add(trajectory.Event{Kind: trajectory.KindFact, Fact: &trajectory.Fact{Text: fmt.Sprintf("fact-%d.", step)}})
			case 1:
				s.add(trajectory.Event{Kind: trajectory.KindReplied, Replied: &trajectory.Replied{Text: fmt.Sprintf("word-%d.", step)}})
			case 2:
				s.acted(trajectory.Acted{Error: &trajectory.Problem{Text: "it failed"}})
			default:
				s.acted(trajectory.Acted{Text: "clicked", Tell: rng.IntN(2) == 0})
			}
		}
		if block := most - max(1, most/2) + 1; drops < 40/block-1 || drops > 40/block+1 {
			t.Errorf("at most %d: frames went %d times in 40 steps, want about every %d", most, drops, block)
		}
	}
}

func notes(rng *rand.Rand) []env.Note {
	if rng.IntN(3) > 0 {
		return nil
	}
	return []env.Note{{Text: "A tab opened"}}
}

func TestFreshIsWhatStandsBehindTheSharedBeginning(t *testing.T) {
	s := begin(trajectory.Started{URL: "http://a.test/", MaxImages: 3})
	s.see(trajectory.Observed{URL: "http://a.test/"})
	first := s.answered(t, strings.Repeat("w", 400))
	if got := first.Fresh(prompt.Prompt{}); got != first.Tokens {
		t.Errorf("the first request: %d of %d tokens are new, want all", got, first.Tokens)
	}
	if got := first.Fresh(first); got != 0 {
		t.Errorf("the same request again: %d tokens are new, want none", got)
	}
	s.see(trajectory.Observed{URL: "http://a.test/"})
	second := build(t, s)
	// A frame, the reply of a hundred tokens, two messages' marks, an address and
	// the nudge.
	if got := second.Fresh(first); got < 1262+100+10+20 || got > 1262+100+10+40 {
		t.Errorf("the second request: %d tokens are new, want about %d", got, 1262+100+10+30)
	}
	if got := first.Fresh(second); got != 0 {
		t.Errorf("a beginning of the request before: %d tokens are new, want none", got)
	}
}
