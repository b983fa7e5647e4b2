package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fara/model"
)

// ErrMarked: a reply that is to be learned holds a mark that the format's reader would
// take for something else, such as <image>. The reply is not changed for that.
var ErrMarked = errors.New("the reply holds a mark of the format")

// remark is one side's words in a format of texts alone, where marks stand for
// pictures.
type remark struct {
	role  model.Role // System, User or Assistant
	text  string
	train bool
}

// dialogue is a row in such a format.
type dialogue struct {
	system  string
	remarks []remark // the user first, and each in turn
	images  []Frame
	altered []string
}

// imageMark stands for a picture.
const imageMark = "<image>"

// dialogueOf turns a row into texts. marks are what the format's reader takes for
// something else: in what is only context they are broken, as in "< image>", and in
// what is learned they refuse the row.
//
// A tool's turn and the user's behind it become one, for these formats have them take
// turns with the assistant. Native calls stand in the text as chat templates write
// them, since there is no other place for words and a call together.
func dialogueOf(r *Row, marks []string) (dialogue, error) {
	var d dialogue
	d.altered = slices.Clone(r.Altered)
	turns := r.Turns
	if len(turns) > 0 && turns[0].Role == model.System {
		d.system = d.clean(turns[0].Text, marks)
		turns = turns[1:]
	}
	for _, t := range turns {
		m, err := d.remark(t, marks)
		if err != nil {
			return d, err
		}
		if n := len(d.remarks); n > 0 && m.role == model.User && d.remarks[n-1].role == model.User {
			d.alter("tool_turn_joined")
			d.remarks[n-1].text += "\n" + m.text
			continue
		}
		d.remarks = append(d.remarks, m)
	}
	return d, nil
}

// remark writes a turn as text.
func (d *dialogue) remark(t Turn, marks []string) (remark, error) {
	if t.Role == model.Assistant {
		text := d.spoken(t)
		if !t.Train {
			return remark{t.Role, d.clean(text, marks), false}, nil
		}
		for _, m := range marks {
			if strings.Contains(text, m) {
				return remark{}, fmt.Errorf("%w: %s", ErrMarked, m)
			}
		}
		return remark{t.Role, text, true}, nil
	}
	d.images = append(d.images, t.Images...)
	return remark{role: model.User, text: strings.Repeat(imageMark, len(t.Images)) + d.clean(t.Text, marks)}, nil
}

// spoken is all of a reply as one text.
func (d *dialogue) spoken(t Turn) string {
	text := t.Text
	for _, c := range t.Calls {
		d.alter("calls_as_text")
		if text = strings.TrimSpace(text); text != "" {
			text += "\n"
		}
		text += fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", c.Name, c.Arguments)
	}
	if t.Thinking != "" {
		d.alter("thinking_in_text")
		text = "<think>\n" + strings.TrimSpace(t.Thinking) + "\n</think>\n\n" + text
	}
	return text
}

// clean breaks marks.
func (d *dialogue) clean(text string, marks []string) string {
	for _, m := range marks {
		if strings.Contains(text, m) {
			d.alter("marks_broken")
			text = strings.ReplaceAll(text, m, m[:1]+" "+m[1:])
		}
	}
	return text
}

func (d *dialogue) alter(what string) {
	if !slices.Contains(d.altered, what) {
		d.altered = append(d.altered, what)
	}
}

// paths stores the dialogue's pictures and gives what rows call them.
func (d *dialogue) paths(f *Folder) ([]string, error) {
	out := []string{}
	for _, p := range d.images {
		ref, err := f.Picture(p)
		if err != nil {
			return nil, err
		}
		out = append(out, ref)
	}
	return out, nil
}
