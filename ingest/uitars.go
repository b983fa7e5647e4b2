package ingest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"fara/model"
	"fara/parse"
	"fara/trajectory"
)

// utFile is a GUIAgentData file.
type utFile struct {
	Version      json.RawMessage `json:"version"`
	System       string          `json:"systemPrompt"`
	Instruction  string          `json:"instruction"`
	Model        string          `json:"modelName"`
	Mode         string          `json:"mode"`
	Status       string          `json:"status"`
	LogTime      float64         `json:"logTime"` // Unix milliseconds
	Error        *utError        `json:"error"`
	Conversation []utMessage     `json:"conversations"`
}

type utError struct {
	Code    int    `json:"code"`
	Status  int    `json:"status"` // older files
	Error   string `json:"error"`
	Message string `json:"message"` // older files
}

type utMessage struct {
	From       string         `json:"from"`
	Value      string         `json:"value"`
	Screenshot string         `json:"screenshotBase64"`
	Context    utContext      `json:"screenshotContext"`
	Parsed     []utPrediction `json:"predictionParsed"`
	Timing     struct {
		Start float64 `json:"start"` // Unix milliseconds
		End   float64 `json:"end"`
		Cost  float64 `json:"cost"` // milliseconds
	} `json:"timing"`
}

type utContext struct {
	Scale float64 `json:"scaleFactor"`
}

type utPrediction struct {
	Thought string                     `json:"thought"`
	Type    string                     `json:"action_type"`
	Inputs  map[string]json.RawMessage `json:"action_inputs"`
}

// isUITars reports whether a file is an object with conversations, without reading all
// of it: files hold their pictures and are large.
func isUITars(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return false
		}
		if key == "conversations" {
			return isConversation(dec)
		}
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}

// isConversation reports whether what comes next is a list whose first element speaks.
func isConversation(dec *json.Decoder) bool {
	if start, err := dec.Token(); err != nil || start != json.Delim('[') {
		return false
	}
	if !dec.More() {
		return true
	}
	var first utMessage
	return dec.Decode(&first) == nil && (first.From == "human" || first.From == "gpt")
}

func readUITars(path string) (*recording, error) {
	r := &recording{format: UITars, tool: "UI-TARS (GUIAgentData v1)"}
	raw, err := r.files.read(path, filepath.Base(path))
	if err != nil {
		return nil, plain(err)
	}
	var f utFile
	if err := decode(raw, &f); err != nil {
		return nil, err
	}
	if v := strings.Trim(string(f.Version), `"`); len(f.Version) > 0 && v != "1" && v != "v1" && v != "V1" && v != "null" {
		return nil, fmt.Errorf("it is GUIAgentData of version %s; version 1 is known", v)
	}
	r.task, r.model, r.system = f.Instruction, f.Model, f.System
	r.id = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	r.created = millis(f.LogTime)
	if f.Mode != "" {
		r.remember("mode", f.Mode)
	}
	for i, m := range f.Conversation {
		if err := r.hear(m); err != nil {
			return nil, fmt.Errorf("conversations[%d]: %w", i, err)
		}
	}
	new(stamps).note(r)
	r.space, r.end = f.space(), f.ending(r)
	return r, r.check()
}

// millis is a Unix time in milliseconds; zero when there is none.
func millis(at float64) time.Time {
	if at <= 0 || at > 1e14 {
		return time.Time{}
	}
	return time.UnixMicro(int64(at * 1000)).UTC()
}

// hear takes one message: a screenshot, a person's words or the model's.
func (r *recording) hear(m utMessage) error {
	switch {
	case m.From == "gpt":
		r.parts = append(r.parts, m.turn())
	case m.From != "human":
		return fmt.Errorf("nobody is called %q there; it is human or gpt", m.From)
	case m.Screenshot != "":
		data, err := unbase64(m.Screenshot)
		if err != nil {
			return fmt.Errorf("screenshotBase64: %w", err)
		}
		n := 1
		for _, p := range r.parts {
			if _, ok := p.(*picture); ok {
				n++
			}
		}
		r.parts = append(r.parts, &picture{
			name: within + strconv.Itoa(n), scale: m.Context.Scale, at: millis(m.Timing.End),
			read: func() ([]byte, error) { return data, nil },
		})
	case strings.TrimSpace(m.Value) == "<image>":
		return fmt.Errorf("the screenshot is missing")
	case m.Value == r.task:
	case r.task == "":
		r.task = m.Value
	default:
		r.parts = append(r.parts, &words{text: m.Value, by: trajectory.Person, when: millis(m.Timing.Start)})
	}
	return nil
}

// unbase64 decodes a picture, also one that is written as a data address.
func unbase64(text string) ([]byte, error) {
	if strings.HasPrefix(text, "data:") {
		_, text, _ = strings.Cut(text, ",")
	}
	text = strings.Join(strings.Fields(text), "")
	if base64.StdEncoding.DecodedLen(len(text)) > largest {
		return nil, fmt.Errorf("more than %d bytes are no screenshot", largest)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("it is no base64")
	}
	return bytes.Clone(data), nil
}

// turn is a reply with the actions that the recorder read in it.
func (m utMessage) turn() *turn {
	t := &turn{raw: m.Value, when: millis(m.Timing.End), took: time.Duration(m.Timing.Cost * float64(time.Millisecond))}
	for i, p := range m.Parsed {
		d := p.deed()
		if i > 0 {
			t.more = append(t.more, d)
			continue
		}
		t.thoughts, t.did = p.Thought, &d
	}
	return t
}

// deed is a parsed action as the text form writes it. Its places are shares of the
// picture's sides, which is what the recorder made of the model's numbers.
func (p utPrediction) deed() deed {
	d := deed{form: parse.Text, from: p.share("start_box")}
	if d.at = p.share("end_box"); d.at == nil {
		d.at, d.from = d.from, nil
	}
	var args []string
	for _, name := range slices.Sorted(maps.Keys(p.Inputs)) {
		var text string
		switch {
		case name == "start_coords" || name == "end_coords" || json.Unmarshal(p.Inputs[name], &text) != nil:
			continue
		case name == "start_box" || name == "end_box":
			text = "(0,0)" // the share takes its place
		case name == "hotkey":
			name = "key"
		}
		args = append(args, name+"='"+escaper.Replace(text)+"'")
	}
	d.text = "Action: " + p.Type + "(" + strings.Join(args, ", ") + ")"
	return d
}

// escaper writes a text between single quotes. UI-TARS keeps the escapes of the reply in
// what it parses, so a backslash stays what it is.
var escaper = strings.NewReplacer("\n", `\n`, "\r", "")

// share is the middle of a box, as shares of the picture's sides; nil when there is none.
func (p utPrediction) share(name string) *model.Point {
	var text string
	var box []float64
	if json.Unmarshal(p.Inputs[name], &text) == nil {
		_ = json.Unmarshal([]byte(text), &box) // what is no list is no box
	} else {
		_ = json.Unmarshal(p.Inputs[name], &box)
	}
	switch len(box) {
	case 2:
		return &model.Point{X: box[0], Y: box[1]}
	case 4:
		return &model.Point{X: (box[0] + box[2]) / 2, Y: (box[1] + box[3]) / 2}
	}
	return nil
}

// reachedLimit is the code of an error for too many rounds, by the files of either age.
const reachedLimit = "max loop"

// ending is what a file's status means.
func (f utFile) ending(r *recording) ending {
	switch f.Status {
	case "end":
		return dpEnding("complete", r)
	case "max_loop":
		return dpEnding("max_rounds", r)
	case "call_user":
		return dpEnding("waiting_for_user", r)
	case "user_stopped":
		return dpEnding("aborted", r)
	case "running", "init", "pause":
		return unfinished
	case "error":
		message := "the recorder failed"
		if f.Error != nil {
			if said := pick(f.Error.Error, f.Error.Message); said != "" {
				message = said
			}
		}
		if strings.Contains(strings.ToLower(message), reachedLimit) {
			return dpEnding("max_rounds", r)
		}
		return ending{status: trajectory.Error, reason: "imported_error", message: message}
	}
	return dpEnding(f.Status, r)
}
