package pixel

import (
	"encoding/json"
	"fmt"
	"strings"

	"fara/model"
)

const (
	// maxScrolls is how many scrolls in a row may find nothing.
	maxScrolls = 10
	// maxRepeats is how often in a row the very same step may be tried.
	maxRepeats = 4
	// maxInAll is how often the same step may be tried in the whole run.
	maxInAll = 12
)

// memory is what it makes of its own earlier replies, newest last.
type memory []remembered

type remembered struct {
	thought string
	action  string
}

func remember(messages []model.Message) memory {
	var out memory
	for _, message := range messages {
		if message.Role != model.Assistant {
			continue
		}
		thought, call, _ := strings.Cut(message.Text, "<tool_call>")
		var parsed struct{ Arguments struct{ Action string } }
		_ = json.NewDecoder(strings.NewReader(call)).Decode(&parsed) // a reply that is not its own has no action
		out = append(out, remembered{thought: strings.TrimSpace(thought), action: parsed.Arguments.Action})
	}
	return out
}

// lately counts how many of the newest replies in a row fit.
func (m memory) lately(fits func(remembered) bool) int {
	n := 0
	for n < len(m) && fits(m[len(m)-1-n]) {
		n++
	}
	return n
}

// thought counts how often in a row it has just thought this.
func (m memory) thought(text string) int {
	return m.lately(func(r remembered) bool { return r.thought == text })
}

// inAll counts how often it has thought this.
func (m memory) inAll(text string) int {
	n := 0
	for _, r := range m {
		if r.thought == text {
			n++
		}
	}
	return n
}

// checked gives up where going on would only repeat what has not helped.
func (m memory) checked(next step) step {
	if next.action == "terminate" {
		return next
	}
	if next.action == "scroll" {
		if m.lately(func(r remembered) bool { return r.action == "scroll" }) >= maxScrolls {
			return giveUp(fmt.Sprintf("I scrolled %d times and see nothing that I know.", maxScrolls))
		}
		return next
	}
	if n := m.thought(next.thought); n >= maxRepeats {
		return giveUp(fmt.Sprintf("I tried this %d times and the page stays as it is: %s", n, next.thought))
	}
	if n := m.inAll(next.thought); n >= maxInAll {
		return giveUp(fmt.Sprintf("I go round in circles, %d times so far: %s", n, next.thought))
	}
	return next
}
