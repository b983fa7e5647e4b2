package export

import (
	"errors"
	"fmt"
	"slices"

	"fara/model"
)

// ShareGPT writes rows for LLaMA-Factory, with a dataset_info.json that names them. Its
// reader knows no loss mark of a single turn: it learns all turns of the assistant, or
// with mask_history the last alone. So rows of which only the last turn is learned
// stand in a part of their own where there are others.
type ShareGPT struct {
	// Per is how the rows were put together. Those of single steps are all alike.
	Per Per
}

// shareMarks are what its reader takes for something else than text.
var shareMarks = []string{imageMark, "<video>", "<audio>"}

// Check takes every kind of row.
func (ShareGPT) Check(Kind) error { return nil }

// Reshape cuts a row with turns in it that are not learned into one for each that is.
func (g ShareGPT) Reshape(part string, r *Row) []Placed {
	learned, passed := 0, 0
	for _, t := range r.Turns {
		switch {
		case t.Role != model.Assistant:
		case t.Train:
			learned++
		default:
			passed++
		}
	}
	if g.Per != PerRun || passed == 0 {
		return []Placed{{part, r}}
	}
	var out []Placed
	for i, t := range r.Turns {
		if t.Train {
			out = append(out, Placed{part + lastSuffix, upTo(r, i, learned)})
		}
	}
	return out
}

// Begin opens PART.jsonl.
func (ShareGPT) Begin(f *Folder, p Part) (Writer, error) {
	out, err := f.Create(p.Name + ".jsonl")
	return &shareWriter{out, f}, err
}

// Finish writes dataset_info.json.
func (ShareGPT) Finish(f *Folder, parts []Part) error {
	info := map[string]shareInfo{}
	for _, p := range parts {
		info["fara_"+p.Name] = shareInfoOf(p.Name+".jsonl", p.Kind)
	}
	out, err := f.Create("dataset_info.json")
	if err != nil {
		return err
	}
	out.enc.SetIndent("", "  ")
	return errors.Join(out.enc.Encode(info), out.Close())
}

// lastSuffix names the part with the rows of which the last turn alone is learned.
const lastSuffix = "_last"

type shareInfo struct {
	File       string            `json:"file_name"`
	Formatting string            `json:"formatting"`
	Ranking    bool              `json:"ranking,omitempty"`
	Columns    map[string]string `json:"columns"`
	Tags       map[string]string `json:"tags"`
}

func shareInfoOf(file string, k Kind) shareInfo {
	info := shareInfo{
		File: file, Formatting: "sharegpt", Ranking: k == Pairs,
		Columns: map[string]string{"messages": "conversations", "system": "system", "tools": "tools", "images": "images"},
		Tags: map[string]string{
			"role_tag": "from", "content_tag": "value", "user_tag": "human", "assistant_tag": "gpt",
			"observation_tag": "observation", "function_tag": "function_call", "system_tag": "system",
		},
	}
	switch k {
	case Pairs:
		info.Columns["chosen"], info.Columns["rejected"] = "chosen", "rejected"
	case Labelled:
		info.Columns["kto_tag"] = "label"
	}
	return info
}

type shareWriter struct {
	*Output
	folder *Folder
}

type shareRow struct {
	Conversations []shareTurn `json:"conversations"`
	System        string      `json:"system"`
	// Tools is a JSON list as text.
	Tools    string     `json:"tools"`
	Images   []string   `json:"images"`
	Chosen   *shareTurn `json:"chosen,omitempty"`
	Rejected *shareTurn `json:"rejected,omitempty"`
	Columns
}

type shareTurn struct {
	From  string `json:"from"`
	Value string `json:"value"`
}

// upTo is a row that ends with its turn i and learns that alone.
func upTo(r *Row, i, learned int) *Row {
	short := *r
	short.Turns = slices.Clone(r.Turns[:i+1])
	for k := range short.Turns[:i] {
		short.Turns[k].Train = false
		short.Turns[k].Answer = nil
	}
	if learned > 1 && short.Last().Answer != nil {
		short.ID = rowID(r.Run, short.Last().Answer.Event)
	}
	return &short
}

// Write writes a row.
func (w *shareWriter) Write(r *Row) error {
	d, err := dialogueOf(r, shareMarks)
	if err != nil {
		return err
	}
	line := shareRow{System: d.system, Tools: string(r.Tools), Conversations: []shareTurn{}}
	for i, m := range d.remarks {
		from := "gpt"
		if m.role == model.User {
			from = "human"
		}
		if (i%2 == 0) != (m.role == model.User) {
			return fmt.Errorf("row %s: user and assistant do not take turns", r.ID)
		}
		line.Conversations = append(line.Conversations, shareTurn{from, m.text})
	}
	if r.Rejected != nil {
		worse, err := (&d).remark(*r.Rejected, shareMarks)
		if err != nil {
			return err
		}
		n := len(line.Conversations) - 1
		line.Chosen, line.Rejected = &line.Conversations[n], &shareTurn{"gpt", worse.text}
		line.Conversations = line.Conversations[:n]
	}
	if line.Images, err = d.paths(w.folder); err != nil {
		return err
	}
	line.Columns = columnsOf(r)
	line.Altered = d.altered
	return w.Line(line)
}
