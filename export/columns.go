package export

import "encoding/json"

// Columns is what every row has beside what its trainer reads: where it comes from.
// Trainers pass over columns that they do not know.
type Columns struct {
	ID string `json:"id"`
	Origin
	Sampling
	// Answers are those of the row that are learned, or the only one.
	Answers []Answer `json:"answers,omitempty"`
	// Turns says of each turn of the row whose words they are.
	Turns []Provenance `json:"provenance"`
	// Schema is what the server held the reply to, as text.
	Schema       string  `json:"reply_schema,omitempty"`
	RejectedFrom string  `json:"rejected_run,omitempty"`
	Rejected     *Answer `json:"rejected_answer,omitempty"`
	Label        *bool   `json:"label,omitempty"`
	Target       *Target `json:"target,omitempty"`
	// Altered names what of the texts is written otherwise than it was sent, since the
	// format has no other way.
	Altered []string `json:"altered,omitempty"`
}

// columnsOf are a row's.
func columnsOf(r *Row) Columns {
	c := Columns{ID: r.ID, Label: r.Label, Origin: r.Origin, Sampling: r.Sampling, RejectedFrom: r.RejectedFrom, Target: r.Target, Schema: string(r.Schema), Altered: r.Altered}
	for _, t := range r.Turns {
		c.Turns = append(c.Turns, t.By)
		if t.Answer != nil {
			c.Answers = append(c.Answers, *t.Answer)
		}
	}
	if r.Rejected != nil {
		c.Rejected = r.Rejected.Answer
	}
	return c
}

// Text is the columns as one JSON object.
func (c Columns) Text() string {
	data, _ := json.Marshal(c) // texts and numbers alone
	return string(data)
}

// Columns are what the row has beside what its trainer reads.
func (r *Row) Columns() Columns { return columnsOf(r) }
