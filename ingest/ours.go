package ingest

import (
	"encoding/json"
	"fmt"

	"fara/dialect"
	"fara/env"
	"fara/imagebudget"
	"fara/trajectory"
)

// dpStats is what our own export says of a run beside what a DataPoint has places for.
type dpStats struct {
	Harness  string            `json:"harness"`
	Version  string            `json:"harness_version"`
	Model    string            `json:"model"`
	Dialect  string            `json:"dialect"`
	Space    imagebudget.Space `json:"coordinates"`
	Batch    string            `json:"batch"`
	Sample   int               `json:"sample"`
	Status   trajectory.Status `json:"status"`
	Reason   string            `json:"reason"`
	Message  string            `json:"message"`
	Claim    string            `json:"claim"`
	Verified []string          `json:"verified"`
	Question string            `json:"question"`
	// After are words that no action followed.
	After []struct {
		Text    string        `json:"text"`
		By      trajectory.By `json:"by"`
		Rejects bool          `json:"rejects_answer"`
	} `json:"words_after_last_action"`
}

// mine reports whether the recording is an export of one of our own runs.
func (s dpStats) mine() bool { return s.Harness == "fara" }

// dpExtra is what our own export adds to an event.
type dpExtra struct {
	Size      *env.Size    `json:"size"`
	Viewport  *env.Size    `json:"viewport"`
	Notes     []env.Note   `json:"notes"`
	Tabs      []env.Tab    `json:"tabs"`
	Looked    *bool        `json:"looked"`
	By        string       `json:"by"`
	Performed *env.Action  `json:"performed"`
	Hit       *env.Element `json:"hit"`
	Refused   string       `json:"refused"`
	Forced    bool         `json:"forced"`
}

// kept is what is known of an action for certain, because a run of our own says it.
type kept struct {
	performed *env.Action
	refused   *trajectory.Decided
	forced    bool
}

func (x dpExtra) kept(problem string) *kept {
	k := &kept{performed: x.Performed, forced: x.Forced}
	if x.Refused != "" {
		k.refused = &trajectory.Decided{Code: x.Refused, Text: problem}
	}
	return k
}

// ours reads what our own export adds to an event; nothing of others' metadata.
func (p *dataPoint) ours(e dpEvent) (x dpExtra, err error) {
	if !p.own.mine() || len(e.Metadata) == 0 {
		return x, nil
	}
	if err := decode(e.Metadata, &x); err != nil {
		return x, fmt.Errorf("metadata: %w", err)
	}
	return x, nil
}

// recognise reads the statistics when they are our own export's. Others' are theirs.
func (p *dataPoint) recognise(stats json.RawMessage) {
	if json.Unmarshal(stats, &p.own) != nil || !p.own.mine() {
		p.own = dpStats{}
		return
	}
	r, o := p.rec, p.own
	r.tool = "fara " + o.Version + " (DataPoint)"
	r.model, r.batch, r.sample = o.Model, o.Batch, o.Sample
	if _, err := dialect.Get(o.Dialect); err == nil {
		r.dialect = o.Dialect
	} else if o.Dialect != "" {
		r.note(fmt.Sprintf("the dialect %q is not known here; --dialect names the one that is meant", o.Dialect))
	}
	r.space = o.Space
}

// ending is how our own run ended, where that says more than a DataPoint's few words.
func (s dpStats) ending(end ending) ending {
	if !s.mine() || s.Status == "" {
		return end
	}
	end.status, end.reason, end.message = s.Status, s.Reason, s.Message
	end.claim, end.verified, end.question = &s.Claim, s.Verified, s.Question
	return end
}
