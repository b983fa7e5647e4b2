package prompt_test

import (
	"strings"
	"testing"

	"fara/trajectory"
)

func TestTheFirstTurnTellsOfSecretsByNameAndSites(t *testing.T) {
	s := begin(trajectory.Started{URL: "http://shop.test/", Secrets: []trajectory.Secret{
		{Name: "PW", Sites: []string{"shop.test", "*.pay.test"}}, {Name: "OTP", Sites: []string{"shop.test:8443"}},
	}})
	s.see(trajectory.Observed{URL: "http://shop.test/"})
	first := build(t, s).Request.Messages[1].Text
	for _, want := range []string{"\n- <secret>PW</secret> on shop.test, *.pay.test\n- <secret>OTP</secret> on shop.test:8443", "with the tags around it"} {
		if strings.Count(first, want) != 1 {
			t.Errorf("got %q, want %q in it once", first, want)
		}
	}
	for range 9 { // it stays when the oldest turns are let go of
		s.say(`<tool_call>{"name": "computer_use", "arguments": {"action": "wait", "time": 1}}</tool_call>`)
		s.acted(trajectory.Acted{Text: "waited"})
		s.see(trajectory.Observed{URL: "http://shop.test/"})
	}
	if got := build(t, s).Request.Messages[1].Text; !strings.Contains(got, "- <secret>PW</secret> on shop.test") {
		t.Errorf("ten turns later: got %q", got)
	}
}
