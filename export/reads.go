package export

import (
	"fara/model"
	"fara/prompt"
)

// reads makes rows of the questions that were put to the model about pages' texts. An
// answer is as it was recorded: without white space around it.
func (s *Source) reads(c *Config, take func(*Row) error, refuse func(Refusal)) error {
	o := s.Origin()
	for i, e := range s.Events {
		if e.Acted == nil || e.Acted.Read == nil || e.Acted.Read.Answer == "" {
			continue
		}
		read := e.Acted.Read
		deny := func(reason, text string) { refuse(Refusal{o.Run, e.Step, e.Seq, reason, text}) }
		page, err := s.Load(read.Page)
		if err != nil {
			deny(Unbuilt, err.Error())
			continue
		}
		built, _, err := prompt.Page(s.Events[:i], s.Dialect, string(page), read.Question, read.Chars)
		if err != nil {
			deny(Unbuilt, err.Error())
			continue
		}
		hash := prompt.Hash(built.Request)
		switch {
		case read.Request == "" && c.Unsent != BuildUnsent:
			deny(Unrecorded, "the question about the page was not recorded")
			continue
		case read.Request != "" && hash != read.Request:
			deny(Differs, "the question about the page comes out otherwise than it was sent")
			continue
		}
		x := Exchange{Sampling: samplingOf(built.Request)}
		for _, m := range built.Request.Messages {
			x.Turns = append(x.Turns, Turn{Role: m.Role, Text: m.Text, By: Runtime})
		}
		x.Reply = Turn{Role: model.Assistant, Text: read.Answer, By: Reader, Train: true, Answer: &Answer{
			Event: e.Seq, Step: e.Step, Repairs: []string{}, By: Reader, Outcome: "done", Request: hash, Recorded: read.Request != "",
			Reply: hexOf([]byte(read.Answer)), Context: contextHash(x),
		}}
		row := s.row(x, o)
		row.Altered = append(row.Altered, "reply_trimmed")
		if err := take(row); err != nil {
			return err
		}
	}
	return nil
}
