package export

import (
	"encoding/json"

	"fara/model"
)

// OpenAI writes chats as JSON lines in the form OpenAI gave them: pictures as parts of
// a user's turn, native calls as tool_calls, and a weight of 0 or 1 on each turn of
// the assistant.
type OpenAI struct{}

// Check takes every kind of row.
func (OpenAI) Check(Kind) error { return nil }

// Begin opens PART.jsonl.
func (OpenAI) Begin(f *Folder, p Part) (Writer, error) {
	out, err := f.Create(p.Name + ".jsonl")
	return &openaiWriter{out, f}, err
}

// Finish writes nothing more.
func (OpenAI) Finish(*Folder, []Part) error { return nil }

type openaiWriter struct {
	*Output
	folder *Folder
}

type openaiRow struct {
	Messages []openaiMessage `json:"messages,omitempty"`
	Tools    json.RawMessage `json:"tools,omitempty"`
	// A preference pair has these in the place of the messages.
	Input    *openaiInput    `json:"input,omitempty"`
	Chosen   []openaiMessage `json:"preferred_output,omitempty"`
	Rejected []openaiMessage `json:"non_preferred_output,omitempty"`
	Columns
}

type openaiInput struct {
	Messages []openaiMessage `json:"messages"`
	Tools    json.RawMessage `json:"tools,omitempty"`
}

type openaiMessage struct {
	Role string `json:"role"`
	// Content is a list of parts in every turn: readers that guess the columns' types
	// take no list here and a text there.
	Content   []openaiPart `json:"content"`
	Reasoning string       `json:"reasoning_content,omitempty"`
	Calls     []openaiCall `json:"tool_calls,omitempty"`
	CallID    string       `json:"tool_call_id,omitempty"`
	Weight    *int         `json:"weight,omitempty"`
}

type openaiPart struct {
	Type  string       `json:"type"`
	Text  string       `json:"text,omitempty"`
	Image *openaiImage `json:"image_url,omitempty"`
}

type openaiImage struct {
	URL string `json:"url"`
}

type openaiCall struct {
	ID       string `json:"id,omitempty"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Write writes a row.
func (w *openaiWriter) Write(r *Row) error {
	msgs := make([]openaiMessage, len(r.Turns))
	for i, t := range r.Turns {
		m, err := w.message(t)
		if err != nil {
			return err
		}
		msgs[i] = m
	}
	line := openaiRow{Messages: msgs, Tools: r.Tools, Columns: columnsOf(r)}
	if r.Rejected != nil {
		rejected, err := w.message(*r.Rejected)
		if err != nil {
			return err
		}
		last := len(msgs) - 1
		line.Messages, line.Tools = nil, nil
		line.Input = &openaiInput{msgs[:last], r.Tools}
		line.Chosen, line.Rejected = unweighted(msgs[last]), unweighted(rejected)
	}
	return w.Line(line)
}

// unweighted is a message where all of it counts anyway.
func unweighted(m openaiMessage) []openaiMessage {
	m.Weight = nil
	return []openaiMessage{m}
}

func (w *openaiWriter) message(t Turn) (openaiMessage, error) {
	m := openaiMessage{Role: string(t.Role), Content: []openaiPart{}, Reasoning: t.Thinking, CallID: t.CallID}
	for _, f := range t.Images {
		ref, err := w.folder.Picture(f)
		if err != nil {
			return m, err
		}
		m.Content = append(m.Content, openaiPart{Type: "image_url", Image: &openaiImage{ref}})
	}
	if t.Text != "" || len(t.Images) == 0 && len(t.Calls) == 0 {
		m.Content = append(m.Content, openaiPart{Type: "text", Text: t.Text})
	}
	for _, c := range t.Calls {
		call := openaiCall{ID: c.ID, Type: "function"}
		call.Function.Name, call.Function.Arguments = c.Name, c.Arguments
		m.Calls = append(m.Calls, call)
	}
	if t.Role == model.Assistant {
		weight := 0
		if t.Train {
			weight = 1
		}
		m.Weight = &weight
	}
	return m, nil
}
