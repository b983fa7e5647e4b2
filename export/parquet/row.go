package parquet

import (
	"fara/export"
	"fara/model"
)

// row is a row as the file has it. Its fields are the columns, in their order; features
// says the same for datasets, which believes it only of columns that may be null all
// through. So all may, and an empty text is null.
type row struct {
	ID       string    `parquet:"id,optional"`
	Messages []message `parquet:"messages,list,optional" parquet-element:",optional"`
	Images   []picture `parquet:"images,list,optional" parquet-element:",optional"`
	Tools    string    `parquet:"tools,optional"`
	Chosen   []message `parquet:"chosen,list,optional" parquet-element:",optional"`
	Rejected []message `parquet:"rejected,list,optional" parquet-element:",optional"`
	Label    *bool     `parquet:"label,optional"`

	Run     string `parquet:"run,optional"`
	Batch   string `parquet:"batch,optional"`
	Task    string `parquet:"task_id,optional"`
	Sample  *int64 `parquet:"sample,optional"`
	Site    string `parquet:"site,optional"`
	Status  string `parquet:"status,optional"`
	Reason  string `parquet:"reason,optional"`
	Verdict string `parquet:"verdict,optional"`
	Steps   *int64 `parquet:"run_steps,optional"`
	Model   string `parquet:"model,optional"`
	Dialect string `parquet:"dialect,optional"`

	Provenance []string `parquet:"provenance,list,optional" parquet-element:",optional"`
	Fara       string   `parquet:"fara,optional"`
}

type message struct {
	Role      string `parquet:"role,optional"`
	Content   []part `parquet:"content,list,optional" parquet-element:",optional"`
	Reasoning string `parquet:"reasoning_content,optional"`
	Calls     []call `parquet:"tool_calls,list,optional" parquet-element:",optional"`
	CallID    string `parquet:"tool_call_id,optional"`
	// Weight is 1 on an answer that is to be learned, 0 on any other, and nothing on the
	// turns of others.
	Weight *int64 `parquet:"weight,optional"`
}

type part struct {
	Type string `parquet:"type,optional"`
	// Text is null in a part of type image.
	Text *string `parquet:"text,optional"`
}

type call struct {
	ID       string   `parquet:"id,optional"`
	Type     string   `parquet:"type,optional"`
	Function function `parquet:"function,optional"`
}

type function struct {
	Name      string `parquet:"name,optional"`
	Arguments string `parquet:"arguments,optional"`
}

type picture struct {
	Bytes []byte `parquet:"bytes,optional"`
	Path  string `parquet:"path,optional"`
}

// rowOf turns a row into columns. load gives a picture's bytes.
func rowOf(r *export.Row, load func(export.Frame) ([]byte, error)) (row, error) {
	columns := r.Columns()
	out := row{
		ID: r.ID, Tools: string(r.Tools), Label: r.Label,
		Run: r.Run, Batch: r.Batch, Task: r.Task, Sample: number(r.Sample), Site: r.Site, Status: r.Status, Reason: r.Reason,
		Verdict: r.Verdict, Steps: number(r.Steps), Model: r.Model, Dialect: r.Dialect, Fara: columns.Text(),
	}
	for _, by := range columns.Turns {
		out.Provenance = append(out.Provenance, string(by))
	}
	for _, t := range r.Turns {
		out.Messages = append(out.Messages, messageOf(t))
	}
	for _, f := range r.Frames() {
		data, err := load(f)
		if err != nil {
			return out, err
		}
		out.Images = append(out.Images, picture{data, f.File})
	}
	if r.Rejected != nil {
		last := len(out.Messages) - 1
		out.Chosen, out.Messages = out.Messages[last:], out.Messages[:last]
		out.Rejected = []message{messageOf(*r.Rejected)}
	}
	return out, nil
}

func messageOf(t export.Turn) message {
	m := message{Role: string(t.Role), Reasoning: t.Thinking, CallID: t.CallID}
	for range t.Images {
		m.Content = append(m.Content, part{Type: "image"})
	}
	if t.Text != "" || len(t.Images) == 0 && len(t.Calls) == 0 {
		m.Content = append(m.Content, part{"text", &t.Text})
	}
	for _, c := range t.Calls {
		m.Calls = append(m.Calls, call{c.ID, "function", function{c.Name, c.Arguments}})
	}
	if t.Role == model.Assistant {
		m.Weight = number(0)
		if t.Train {
			m.Weight = number(1)
		}
	}
	return m
}

// number is one that stays what it is where 0 would be null.
func number(n int) *int64 {
	v := int64(n)
	return &v
}
