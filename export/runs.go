package export

import (
	"crypto/sha256"
	"encoding/json"
)

// rows makes rows of the run's replies, in their order.
func (s *Source) rows(c *Config, take func(*Row) error, refuse func(Refusal)) error {
	o := s.Origin()
	join := joiner{}
	err := s.Replies(c.Unsent, func(x Exchange) error {
		x.Reply.Train = c.Trained[x.Reply.By]
		switch {
		case !x.Reply.Train && !c.KeepUntrained:
			c.leave(x.Reply.By)
			return nil
		case c.Per == PerRun:
			join.add(s.row(x, o))
			return nil
		}
		return take(s.row(x, o))
	}, refuse)
	for _, r := range join.open {
		if err == nil {
			err = take(r.row)
		}
	}
	return err
}

// joiner puts replies together whose requests go on from each other.
type joiner struct{ open []*joined }

// joined is a row that may be gone on with.
type joined struct {
	row *Row
	at  int      // turns so far
	sum [32]byte // their fingerprint
}

// add takes the row of one reply. A row that it goes on with, turn for turn, becomes
// longer by it; otherwise it stands for itself, with what came before as context.
func (j *joiner) add(r *Row) {
	sums := fingerprints(r)
	var best *joined
	for _, o := range j.open {
		if o.at < len(r.Turns) && sums[o.at] == o.sum && (best == nil || o.at > best.at) {
			best = o
		}
	}
	if best == nil {
		best = &joined{}
		j.open = append(j.open, best)
	} else {
		r.ID, r.Sampling = best.row.ID, best.row.Sampling
		for i, t := range best.row.Turns {
			if t.Answer != nil {
				r.Turns[i].Train, r.Turns[i].Answer, r.Turns[i].By = t.Train, t.Answer, t.By
			}
		}
	}
	*best = joined{row: r, at: len(r.Turns), sum: sums[len(r.Turns)]}
	if r.Last().Thinking != "" {
		// No request repeats it, so that none goes on from here.
		best.sum = sha256.Sum256([]byte("thinking"))
	}
}

// fingerprints are those of the first 0, 1, 2 ... turns of a row. How calls are
// numbered does not count: servers and later requests number them.
func fingerprints(r *Row) [][32]byte {
	head, _ := json.Marshal([]any{r.Tools, r.Schema}) // JSON already
	sums := make([][32]byte, 1, len(r.Turns)+1)
	sums[0] = sha256.Sum256(head)
	for i, t := range r.Turns {
		t.CallID = ""
		if len(t.Calls) > 0 {
			calls := append(t.Calls[:0:0], t.Calls...)
			for k := range calls {
				calls[k].ID = ""
			}
			t.Calls = calls
		}
		line, _ := json.Marshal(identity(t)) // texts alone
		sums = append(sums, sha256.Sum256(append(sums[i][:], line...)))
	}
	return sums
}
