package prompt

import "fara/trajectory"

// Origin says whose words a message of a request holds. The words around them, such
// as the page's address and what came of an action, are the runtime's; a message
// whose Origin is zero holds nothing else.
type Origin struct {
	// Reply is the reply that an assistant's message repeats.
	Reply *trajectory.Proposed
	// Task: a user's message begins with the task.
	Task bool
	// By is who answered the model's questions in a user's message; empty when nobody
	// did in it. A person counts before an automatic reply.
	By trajectory.By
}

// Origins gives one for each message of the request.
func (p Prompt) Origins() []Origin {
	out := make([]Origin, len(p.messages))
	for i, m := range p.messages {
		out[i] = m.origin
	}
	return out
}

// origin is that of the user's message of turn i.
func (s *story) origin(i, skip int) Origin {
	o := Origin{Task: i == skip, By: s.turns[i].by}
	if i == skip {
		for _, t := range s.turns[:skip] {
			o.By = firstOf(o.By, t.by)
		}
	}
	return o
}

// firstOf is a person before anybody else.
func firstOf(a, b trajectory.By) trajectory.By {
	if a == "" || b == trajectory.Person {
		return b
	}
	return a
}
