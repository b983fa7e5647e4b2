package layout

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"fara/export"
	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// blanked stands in the messages where a picture was.
const blanked = "This screenshot is left out; it is a file of this folder."

// putVoyage writes a run as WebVoyager keeps its results: screenshotN.png is what
// action N saw, interact_messages.json is the conversation with its pictures blanked,
// agent.log tells it in words. There are no accessibility trees: the models see
// pictures.
//
// WebVoyager's evaluation looks for the task in the second message, in one line between
// two phrases, and for the answer in the last one, up to the first bracket that closes.
// So those two messages say them that way before their own words: the task in one line,
// the answer with round brackets for square ones.
func putVoyage(f *folder, run *export.Source, t *trace) error {
	frames := sights(t)
	for i, seen := range frames {
		if err := putPNG(f, run, seen, fmt.Sprintf("screenshot%d.png", i+1)); err != nil {
			return err
		}
	}
	messages, err := conversation(run, t)
	if err != nil {
		return err
	}
	if err := f.writeJSON("interact_messages.json", messages); err != nil {
		return err
	}
	return f.write("agent.log", voyageLog(run, t))
}

// sights are the frames that the actions saw, and the one behind the last of them.
func sights(t *trace) []*frame {
	var out []*frame
	for _, m := range t.moves {
		out = append(out, &m.seen)
	}
	if t.last != nil {
		out = append(out, t.last)
	}
	return out
}

func putPNG(f *folder, run *export.Source, seen *frame, name string) error {
	data, err := loadPNG(run, seen.Observed)
	if err != nil {
		return err
	}
	return f.write(name, data)
}

type voyageMessage struct {
	Role    model.Role `json:"role"`
	Content any        `json:"content"`
}

type voyagePart struct {
	Type  string       `json:"type"`
	Text  string       `json:"text,omitempty"`
	Image *voyageImage `json:"image_url,omitempty"`
}

type voyageImage struct {
	URL string `json:"url"`
}

// conversation is the request that the model's last usable reply answered, and the
// reply.
func conversation(run *export.Source, t *trace) ([]voyageMessage, error) {
	opening := fmt.Sprintf("Now given a task: %s  Please interact with %s\n", oneLine(t.started.Task), cmp.Or(t.started.URL, "the web"))
	if len(t.moves) == 0 {
		return []voyageMessage{{model.System, t.started.System}, {model.User, []voyagePart{{Type: "text", Text: opening}}}}, nil
	}
	last := t.moves[len(t.moves)-1].said
	built, err := prompt.Build(before(run.Events, last.seq), run.Dialect, func(string) ([]byte, error) { return nil, nil })
	if err != nil {
		return nil, err
	}
	var out []voyageMessage
	for i, m := range built.Request.Messages {
		if i == 1 {
			m.Text = opening + "\n" + m.Text
		}
		out = append(out, voyaged(m))
	}
	text := written(last.Raw, last.Calls)
	if answer := run.Result.Answer; answer != "" {
		text = fmt.Sprintf("Action: ANSWER; [%s]\n\n%s", rounded.Replace(answer), text)
	}
	return append(out, voyageMessage{model.Assistant, text}), nil
}

// rounded keeps the brackets in an answer from ending it.
var rounded = strings.NewReplacer("[", "(", "]", ")")

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func before(events []trajectory.Event, seq int) []trajectory.Event {
	for i, e := range events {
		if e.Seq >= seq {
			return events[:i]
		}
	}
	return events
}

func voyaged(m model.Message) voyageMessage {
	if m.Role != model.User {
		return voyageMessage{m.Role, written(m.Text, m.Calls)}
	}
	parts := []voyagePart{{Type: "text", Text: m.Text}}
	for range m.Images {
		parts = append(parts, voyagePart{Type: "image_url", Image: &voyageImage{blanked}})
	}
	return voyageMessage{m.Role, parts}
}

// written is a reply's text with its native calls, which this format has no place for.
func written(text string, calls []model.ToolCall) string {
	for _, c := range calls {
		text = strings.TrimLeft(fmt.Sprintf("%s\n%s(%s)", text, c.Name, c.Arguments), "\n")
	}
	return text
}

// voyageLog tells a run in lines.
func voyageLog(run *export.Source, t *trace) []byte {
	var b strings.Builder
	line := func(at, format string, args ...any) {
		fmt.Fprintf(&b, "%s - INFO - %s\n", at, oneLine(fmt.Sprintf(format, args...)))
	}
	line(stamp(run.Task.Created), "task %s: %s", taskID(run.Run), t.started.Task)
	for i, m := range t.moves {
		for _, w := range m.heard {
			line(stamp(w.at), "%s: %s", cmp.Or(w.by, "user"), w.text)
		}
		line(stamp(m.seen.at), "Iter: %d, %s", i+1, m.seen.URL)
		line(stamp(m.said.at), "%s", action(m))
		output, problem := outcome(m)
		if problem != "" {
			output = "not done: " + problem
		}
		line(stamp(m.said.at), "%s", output)
	}
	r := run.Result
	line(stamp(r.Timings.Ended), "ended as %s (%s): %s", r.Status, r.Reason, r.Message)
	line(stamp(r.Timings.Ended), "answer: %s", r.Answer)
	return []byte(b.String())
}

// action is a call as a line: its name, then its arguments as JSON.
func action(m *move) string {
	raw, err := json.Marshal(m.said.Call)
	if err != nil {
		return m.call()
	}
	arguments := string(raw)
	if rest, ok := strings.CutPrefix(arguments, fmt.Sprintf(`{"action":%q`, m.call())); ok {
		arguments = "{" + strings.TrimPrefix(rest, ",")
	}
	return fmt.Sprintf("%s(%s)", m.call(), arguments)
}
