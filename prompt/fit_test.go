package prompt_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fara/dialect"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

func images(req model.Request) []string {
	var files []string
	for _, m := range req.Messages {
		for _, img := range m.Images {
			files = append(files, string(img.Data))
		}
	}
	return files
}

func TestExactlyTheNewestFramesAreThere(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 5, 10} {
		s := begin(trajectory.Started{URL: "http://a.test/", MaxImages: limit})
		for seen := 1; seen <= 30; seen++ {
			s.see(trajectory.Observed{URL: "http://a.test/"})
			p := build(t, s)
			got := images(p.Request)
			var want []string
			for i := max(1, seen-limit+1); i <= seen; i++ {
				want = append(want, fmt.Sprintf("frames/%d.png", i))
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(p.Frames) != fmt.Sprint(want) {
				t.Fatalf("%d frames of %d seen: got %v and %v, want %v", limit, seen, got, p.Frames, want)
			}
			s.say("go on")
			s.acted(trajectory.Acted{Text: "clicked"})
		}
	}
}

// random tells a run of any kind, with facts and user's words on the way.
func random(rng *rand.Rand, started trajectory.Started) (s *story, keep []string) {
	s = begin(started)
	keep = append(keep, started.Task)
	for i := range 5 + rng.IntN(40) {
		s.see(trajectory.Observed{URL: "http://a.test/" + strings.Repeat("x", rng.IntN(200)), Unchanged: rng.IntN(4) == 0})
		for range rng.IntN(3) {
			s.babble(strings.Repeat("bad ", rng.IntN(30)), "why")
		}
		s.say(strings.Repeat("thinking ", rng.IntN(60)))
		switch word := fmt.Sprintf("word-%d-%d.", i, rng.Uint32()); rng.IntN(8) {
		case 0:
			s.add(trajectory.Event{Kind: trajectory.KindFact, Fact: &trajectory.Fact{Text: word}})
			keep = append(keep, word)
		case 1:
			s.add(trajectory.Event{Kind: trajectory.KindReplied, Replied: &trajectory.Replied{Text: word}})
			keep = append(keep, word)
		case 2:
			s.acted(trajectory.Acted{Error: &trajectory.Problem{Text: strings.Repeat("e", rng.IntN(900))}})
		case 3:
			s.acted(trajectory.Acted{Read: &trajectory.PageRead{Question: "?", Answer: strings.Repeat("answer ", rng.IntN(300))}})
		default:
			s.acted(trajectory.Acted{Text: "clicked"})
		}
	}
	s.see(trajectory.Observed{URL: "http://a.test/"})
	return s, keep
}

// least is more than what must survive takes in tokens: each text as a message
// of its own, and the newest turn's other words.
func least(keep []string) int {
	n := 600
	for _, k := range keep {
		n += len(k)/4 + 10
	}
	return n
}

func TestWhatMustSurviveDoesWithinEveryBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for n := range 400 {
		started := trajectory.Started{Task: fmt.Sprintf("task-%d.", n), URL: "http://a.test/",
			NumCtx: 2500 + rng.IntN(12000), ReplyTokens: 256, MaxImages: 1 + rng.IntN(5)}
		s, keep := random(rng, started)
		p, err := prompt.Build(s.events, fara15(t), load)
		if errors.Is(err, prompt.ErrOverflow) && started.NumCtx < 1260+256+least(keep) {
			continue // the last resort: what must be there alone does not fit
		}
		if err != nil {
			t.Fatalf("run %d: %v, although %d tokens of words and a frame fit into %d", n, err, least(keep), started.NumCtx)
		}
		said := transcript(p.Request)
		for _, k := range keep {
			if !strings.Contains(said, k) {
				t.Fatalf("run %d: %q is lost from a prompt of %d tokens in %d", n, k, p.Tokens, started.NumCtx)
			}
		}
		if p.Tokens > started.NumCtx-started.ReplyTokens {
			t.Fatalf("run %d: %d tokens, but only %d-%d fit", n, p.Tokens, started.NumCtx, started.ReplyTokens)
		}
		got := images(p.Request)
		if newest := fmt.Sprintf("frames/%d.png", s.frames); len(got) == 0 || len(got) > started.MaxImages || got[len(got)-1] != newest {
			t.Fatalf("run %d: got frames %v, want at most %d and %s last", n, got, started.MaxImages, newest)
		}
		if first := p.Request.Messages[0]; first.Role != model.System || len(first.Images) > 0 {
			t.Fatalf("run %d: the first message is %s", n, first.Role)
		}
		if last := p.Request.Messages[len(p.Request.Messages)-1]; last.Role != model.User {
			t.Fatalf("run %d: the last message is the %s's", n, last.Role)
		}
	}
}

func TestFramesGoBeforeTextWhenTheContextIsSmall(t *testing.T) {
	s := begin(trajectory.Started{URL: "http://a.test/", NumCtx: 3000, ReplyTokens: 256})
	for range 6 {
		s.see(trajectory.Observed{URL: "http://a.test/"})
		s.say("a thought")
		s.acted(trajectory.Acted{Text: "clicked"})
	}
	s.see(trajectory.Observed{URL: "http://a.test/"})
	p := build(t, s)
	if len(p.Frames) != 2 {
		t.Errorf("got %d frames of 1260 tokens in 3000, want 2", len(p.Frames))
	}
	if n := strings.Count(transcript(p.Request), "a thought"); n != 6 {
		t.Errorf("got %d of 6 replies, want all while frames can go", n)
	}
}

func TestOldRepliesGoWhenOneFrameIsLeft(t *testing.T) {
	s := begin(trajectory.Started{URL: "http://a.test/", NumCtx: 2000, ReplyTokens: 256})
	for i := range 30 {
		s.see(trajectory.Observed{URL: "http://a.test/"})
		s.say(fmt.Sprintf("reply %02d %s", i, strings.Repeat("word ", 40)))
		s.acted(trajectory.Acted{Text: "clicked"})
	}
	s.see(trajectory.Observed{URL: "http://a.test/"})
	p := build(t, s)
	said := transcript(p.Request)
	if strings.Contains(said, "reply 00") || !strings.Contains(said, "reply 29") || len(p.Frames) != 1 {
		t.Errorf("the oldest reply is there, the newest is not, or %d frames are:\n%s", len(p.Frames), said)
	}
}

func TestPageAnswersGoWithTheOldTurns(t *testing.T) {
	s := begin(trajectory.Started{URL: "http://a.test/", NumCtx: 16384, ReplyTokens: 2048})
	for i := range 80 {
		s.see(trajectory.Observed{URL: "http://a.test/"})
		s.say("read")
		s.acted(trajectory.Acted{Read: &trajectory.PageRead{Question: "?", Answer: fmt.Sprintf("answer %02d %s", i, strings.Repeat("long ", 200))}})
	}
	s.see(trajectory.Observed{URL: "http://a.test/"})
	said := transcript(build(t, s).Request)
	if strings.Contains(said, "answer 00") || !strings.Contains(said, "answer 79") {
		t.Error("the oldest answer is still there, or the newest is not")
	}
}

func TestLearnedContextHoldsFromThenOn(t *testing.T) {
	s := begin(trajectory.Started{URL: "http://a.test/", ReplyTokens: 256})
	for range 4 {
		s.see(trajectory.Observed{})
		s.say(strings.Repeat("word ", 100))
	}
	s.see(trajectory.Observed{})
	before := build(t, s)
	s.add(trajectory.Event{Kind: trajectory.KindAdapted, Adapted: &trajectory.Adapted{NumCtx: 2200}})
	if after := build(t, s); before.Tokens <= 2200 || after.Tokens > 2200-256 || len(after.Frames) != 1 {
		t.Errorf("before: %d tokens; after: %d tokens and %d frames", before.Tokens, after.Tokens, len(after.Frames))
	}
}

func TestOverflowIsAnErrorAndNotACut(t *testing.T) {
	s := begin(trajectory.Started{Task: strings.Repeat("long ", 2000), NumCtx: 2048, ReplyTokens: 256})
	s.see(trajectory.Observed{})
	if _, err := prompt.Build(s.events, fara15(t), load); !errors.Is(err, prompt.ErrOverflow) {
		t.Errorf("got %v, want ErrOverflow", err)
	}
}

func TestAdaptedLimitsHoldFromThenOn(t *testing.T) {
	s := begin(trajectory.Started{URL: "http://a.test/"})
	for range 4 {
		s.see(trajectory.Observed{})
		s.say("x")
	}
	s.see(trajectory.Observed{})
	if n := len(build(t, s).Frames); n != 3 {
		t.Fatalf("before: got %d frames, want 3", n)
	}
	s.add(trajectory.Event{Kind: trajectory.KindAdapted, Adapted: &trajectory.Adapted{MaxImages: 1}})
	if n := len(build(t, s).Frames); n != 1 {
		t.Errorf("after: got %d frames, want 1", n)
	}
}

func BenchmarkBuildAfterAHundredSteps(b *testing.B) {
	s := begin(trajectory.Started{URL: "http://a.test/", NumCtx: 16384, ReplyTokens: 1024})
	for range 100 {
		s.see(trajectory.Observed{URL: "http://a.test/"})
		s.add(trajectory.Event{Kind: trajectory.KindProposed, Step: s.frames, Proposed: &trajectory.Proposed{
			Raw: strings.Repeat("word ", 40), Call: &model.Call{}, TextChars: 5000, Messages: 9, Frames: []string{fmt.Sprintf("frames/%d.png", s.frames)},
			EstimatedTokens: 2500, FreshTokens: 2400, Usage: model.Usage{PromptTokens: 2600}}})
	}
	s.see(trajectory.Observed{URL: "http://a.test/"})
	d, err := dialect.Get("fara-1.5")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := prompt.Build(s.events, d, load); err != nil {
			b.Fatal(err)
		}
	}
}
