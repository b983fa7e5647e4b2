package export

import "fara/model"

// Swift writes rows for ms-swift: messages with a loss mark each, images, and what DPO,
// KTO and grounding need beside them.
type Swift struct{}

// swiftMarks are what its templates take for something else than text.
var swiftMarks = []string{imageMark, "<video>", "<audio>", "<bbox>", "<ref-object>", "<cot-process>", "<start-image>"}

// Check takes every kind of row.
func (Swift) Check(Kind) error { return nil }

// Begin opens PART.jsonl.
func (Swift) Begin(f *Folder, p Part) (Writer, error) {
	out, err := f.Create(p.Name + ".jsonl")
	return &swiftWriter{out, f}, err
}

// Finish writes nothing more.
func (Swift) Finish(*Folder, []Part) error { return nil }

type swiftWriter struct {
	*Output
	folder *Folder
}

type swiftRow struct {
	Messages []swiftMessage `json:"messages"`
	Images   []string       `json:"images"`
	// Tools is a JSON list as text.
	Tools    string        `json:"tools,omitempty"`
	Objects  *swiftObjects `json:"objects,omitempty"`
	Rejected string        `json:"rejected_response,omitempty"`
	Columns
}

type swiftMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Loss    *bool  `json:"loss,omitempty"`
}

// swiftObjects are what <ref-object> and <bbox> stand for, in that order. Boxes are two
// corners in pixels of the picture.
type swiftObjects struct {
	Ref     []string    `json:"ref"`
	Box     [][4]Number `json:"bbox"`
	BoxType string      `json:"bbox_type"`
}

// Write writes a row.
func (w *swiftWriter) Write(r *Row) error {
	d, err := dialogueOf(r, swiftMarks)
	if err != nil {
		return err
	}
	line := swiftRow{Tools: string(r.Tools)}
	if r.Rejected != nil {
		worse, err := (&d).remark(*r.Rejected, swiftMarks)
		if err != nil {
			return err
		}
		line.Rejected = worse.text
	}
	if t := r.Target; t != nil {
		line.Objects = &swiftObjects{[]string{t.Label()}, [][4]Number{t.Box}, "real"}
		d.remarks = []remark{{model.User, imageMark + targetQuestion + "<ref-object>", false}, {model.Assistant, "<bbox>", true}}
	}
	if line.Images, err = d.paths(w.folder); err != nil {
		return err
	}
	if d.system != "" {
		line.Messages = append(line.Messages, swiftMessage{Role: "system", Content: d.system})
	}
	for _, m := range d.remarks {
		msg := swiftMessage{Role: string(m.role), Content: m.text}
		if m.role == model.Assistant {
			msg.Loss = &m.train
		}
		line.Messages = append(line.Messages, msg)
	}
	line.Columns = columnsOf(r)
	line.Altered = d.altered
	return w.Line(line)
}
