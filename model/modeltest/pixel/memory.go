package pixel

import (
	"encoding/json"
	"fmt"
	"strings"

	"fara/model"
)

const (
	// maxScrolls is how many scrolls in a row may find nothing.
	maxScrolls = 8
	// maxRepeats is how often in a row the very same step may be tried.
	maxRepeats = 4
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
	if m.thought(next.thought) >= maxRepeats {
		return giveUp(fmt.Sprintf("I tried this %d times and the page stays as it is: %s", maxRepeats, next.thought))
	}
	return next
}
