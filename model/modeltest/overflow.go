package modeltest

import "fara/model"

// squeeze is what Ollama does, silently, to a prompt longer than the context
// when truncate is not switched off: the oldest messages go first, the system's
// and the last one stay, and if that is not enough the pictures go too.
func squeeze(req model.Request, law Law, limit int) model.Request {
	for law.Prompt(req) > limit {
		at := oldestLoose(req.Messages)
		if at < 0 {
			break
		}
		req.Messages = append(req.Messages[:at:at], req.Messages[at+1:]...)
	}
	if law.Prompt(req) <= limit {
		return req
	}
	for i := range req.Messages {
		req.Messages[i].Images = nil
	}
	return req
}

// oldestLoose finds the first message that may be dropped, or -1.
func oldestLoose(messages []model.Message) int {
	for i, message := range messages[:max(0, len(messages)-1)] {
		if message.Role != model.System {
			return i
		}
	}
	return -1
}
