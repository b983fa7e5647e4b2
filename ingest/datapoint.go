package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fara/env"
	"fara/model"
	"fara/trajectory"
)

// dpTask is a DataPoint's task.
type dpTask struct {
	ID          string                     `json:"task_id"`
	Instruction string                     `json:"instruction"`
	Environment dpEnvironment              `json:"environment_config"`
	Metadata    map[string]json.RawMessage `json:"metadata"`
}

type dpEnvironment struct {
	Width     int    `json:"viewport_width"`
	Height    int    `json:"viewport_height"`
	InitURL   string `json:"init_url"`
	StartPage string `json:"start_page"`
	StartURL  string `json:"start_url"`
}

// dpLog is what was done, as data_point.json holds it.
type dpLog struct {
	Events  []json.RawMessage `json:"events"`
	Status  string            `json:"status"`
	Outcome *dpOutcome        `json:"outcome"`
}

type dpOutcome struct {
	Answer *string `json:"answer"`
}

type dpMetadata struct {
	RunID   string `json:"run_id"`
	Created string `json:"created_at"`
}

// dpWhole is data_point.json.
type dpWhole struct {
	Task         *dpTask                   `json:"task"`
	Log          *dpLog                    `json:"solver_log"`
	Verification map[string]dpVerification `json:"verification"`
	Metadata     *dpMetadata               `json:"metadata"`
}

type dpVerification struct {
	Score     *float64 `json:"score"`
	Reasoning string   `json:"reasoning"`
	Verifier  string   `json:"verifier_name"`
	Timestamp string   `json:"timestamp"`
}

// dpEvent is any of the events.
type dpEvent struct {
	Type        string  `json:"type"`
	Observation string  `json:"observation_type"`
	ID          string  `json:"id"`
	Timestamp   string  `json:"timestamp"`
	ActionID    *string `json:"action_id"`
	Screenshot  string  `json:"screenshot_path"`
	URL         string  `json:"url"`
	Output      string  `json:"output"`
	Error       string  `json:"error"`
	// Content is a user's words, or an action with its arguments.
	Content     json.RawMessage `json:"content"`
	MessageType string          `json:"message_type"`
	Name        string          `json:"action_name"`
	Talk        struct {
		Messages []dpMessage `json:"messages"`
	} `json:"llm_conversation"`
}

type dpMessage struct {
	Model     string `json:"model"`
	Raw       string `json:"raw_response"`
	Reasoning string `json:"reasoning"`
	Finish    string `json:"finish_reason"`
	Usage     struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
}

// dataPoint reads one folder.
type dataPoint struct {
	dir string
	rec *recording
	// wholeFile is data_point.json; the zero value where it is missing.
	whole  dpWhole
	events []dpEvent
	status string
	out    *dpOutcome
	stamps stamps
}

func readDataPoint(dir string) (*recording, error) {
	p := &dataPoint{dir: dir, rec: &recording{format: DataPoint, tool: "Fara 1.5 (DataPoint)"}}
	for _, step := range []func() error{p.readWhole, p.readEvents, p.readTask, p.readStatus, p.tell, p.readVerdicts} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	p.rec.end = dpEnding(p.status, p.rec)
	if p.out != nil {
		p.rec.end.answer = p.out.Answer
	}
	p.stamps.note(p.rec)
	return p.rec, p.rec.check()
}

// load decodes a file beside the others; a missing one leaves v as it is.
func (p *dataPoint) load(name string, v any) (bool, error) {
	raw, err := p.rec.files.read(filepath.Join(p.dir, filepath.FromSlash(name)), name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = decode(raw, v)
	}
	if err != nil {
		return true, fmt.Errorf("%s: %w", name, plain(err))
	}
	return true, nil
}

func (p *dataPoint) readWhole() error {
	_, err := p.load("data_point.json", &p.whole)
	return err
}

// readEvents takes the log where there is one: data_point.json is written over and over
// and may be older, or torn itself.
func (p *dataPoint) readEvents() error {
	for _, name := range []string{"solver_log/events.jsonl", "events.jsonl"} {
		raw, err := p.rec.files.read(filepath.Join(p.dir, filepath.FromSlash(name)), name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, plain(err))
		}
		torn, err := eachLine(raw, func(n int, line []byte) error { return p.add(line) })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if torn {
			p.rec.note(name + " ends in a line that broke off, which is left out")
		}
		return nil
	}
	if p.whole.Log == nil {
		return fmt.Errorf("there is neither data_point.json with a solver_log nor solver_log/events.jsonl")
	}
	for i, raw := range p.whole.Log.Events {
		if err := p.add(raw); err != nil {
			return fmt.Errorf("data_point.json: event %d: %w", i+1, err)
		}
	}
	return nil
}

func (p *dataPoint) add(raw []byte) error {
	var e dpEvent
	if err := decode(raw, &e); err != nil {
		return err
	}
	if e.Type != "observation" && e.Type != "action" {
		return fmt.Errorf("there is no event of type %q", e.Type)
	}
	p.events = append(p.events, e)
	return nil
}

func (p *dataPoint) readTask() error {
	task := p.whole.Task
	if task == nil {
		task = &dpTask{}
		if _, err := p.load("task.json", task); err != nil {
			return err
		}
	}
	meta := p.whole.Metadata
	if meta == nil {
		meta = &dpMetadata{}
		if _, err := p.load("metadata.json", meta); err != nil {
			return err
		}
	}
	r := p.rec
	r.task, r.id, r.meta = task.Instruction, task.ID, task.Metadata
	e := task.Environment
	r.url = pick(e.InitURL, pick(e.StartPage, e.StartURL))
	if e.Width > 0 && e.Height > 0 && e.Width <= largestSide && e.Height <= largestSide {
		r.viewport = env.Size{W: e.Width, H: e.Height}
	}
	if meta.RunID != "" {
		r.remember("run_id", meta.RunID)
	}
	r.created = p.stamps.read(meta.Created)
	if r.created.IsZero() && len(p.events) > 0 {
		r.created = p.stamps.read(p.events[0].Timestamp)
	}
	return nil
}

// remember keeps a fact about the task beside what its own line says.
func (r *recording) remember(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		return
	}
	if r.meta == nil {
		r.meta = map[string]json.RawMessage{}
	}
	if _, given := r.meta[name]; !given {
		r.meta[name] = raw
	}
}

// readStatus takes the status that was written last: its own file's.
func (p *dataPoint) readStatus() error {
	var own dpLog
	found, err := p.load("solver_log/status.json", &own)
	if err != nil {
		return err
	}
	if !found && p.whole.Log != nil {
		own = *p.whole.Log
	}
	p.status, p.out = own.Status, own.Outcome
	return nil
}

// tell sorts the events into parts.
func (p *dataPoint) tell() error {
	for i, e := range p.events {
		at := p.stamps.read(e.Timestamp)
		switch {
		case e.Type == "action":
			t, err := p.action(e)
			if err != nil {
				return fmt.Errorf("event %d: %w", i+1, err)
			}
			t.when = at
			p.rec.parts = append(p.rec.parts, t)
		case e.Observation == "tool_output":
			p.rec.parts = append(p.rec.parts, &outcome{text: e.Output, fault: e.Error, when: at})
		case e.Observation == "user_message":
			p.words(e, at)
		case e.Screenshot != "":
			s, err := shot(p.dir, e.Screenshot)
			if err != nil {
				return err
			}
			s.url, s.at = e.URL, at
			p.rec.parts = append(p.rec.parts, s)
		}
	}
	return nil
}

// words takes a user's message. The first one is the task.
func (p *dataPoint) words(e dpEvent, at time.Time) {
	var said string
	if json.Unmarshal(e.Content, &said) != nil {
		return
	}
	first := !slices.ContainsFunc(p.rec.parts, func(part any) bool { _, ok := part.(*turn); return ok })
	if e.MessageType == "task" && first {
		p.rec.task = pick(p.rec.task, said)
		return
	}
	p.rec.parts = append(p.rec.parts, &words{text: said, by: trajectory.Person, when: at})
}

// action is a reply with what was done about it.
func (p *dataPoint) action(e dpEvent) (*turn, error) {
	t := &turn{}
	if n := len(e.Talk.Messages); n > 0 {
		m := e.Talk.Messages[n-1]
		t.raw, t.thinking, t.model = m.Raw, m.Reasoning, m.Model
		t.finish = finish(m.Finish)
		t.usage = model.Usage{PromptTokens: m.Usage.Prompt, CompletionTokens: m.Usage.Completion}
		p.rec.model = pick(p.rec.model, m.Model)
		if n > 1 {
			p.rec.note("an action has several replies; the last one led to it, and the others are left out")
		}
	}
	var content struct {
		Action    string                     `json:"action"`
		Arguments map[string]json.RawMessage `json:"arguments"`
	}
	if err := decode(e.Content, &content); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	name := pick(content.Action, e.Name)
	t.did, t.thoughts = action(name, content.Arguments)
	return t, nil
}

// action is a recorder's action as JSON, with the thoughts that it keeps among the
// arguments.
func action(name string, args map[string]json.RawMessage) (*deed, string) {
	var thoughts string
	kept := map[string]json.RawMessage{}
	for key, value := range args {
		if key == "thoughts" || key == "thought" {
			_ = json.Unmarshal(value, &thoughts) // what is no text is no thought
			continue
		}
		kept[key] = value
	}
	if _, given := kept["action"]; !given {
		kept["action"], _ = json.Marshal(legacy(name))
	}
	var given string
	if json.Unmarshal(kept["action"], &given) == nil {
		kept["action"], _ = json.Marshal(legacy(given))
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return nil, thoughts
	}
	return &deed{text: string(raw)}, strings.TrimSpace(thoughts)
}

// legacy gives an action of old recordings the name that it has now.
func legacy(name string) string {
	switch name {
	case "stop_execution", "stop_and_answer_question", "stop":
		return string(env.Terminate)
	case "keypress":
		return string(env.Key)
	case "hover":
		return string(env.MouseMove)
	case "sleep":
		return string(env.Wait)
	case "click":
		return string(env.LeftClick)
	case "input_text":
		return string(env.Type)
	}
	return name
}

func finish(reason string) model.Finish {
	switch reason {
	case "stop", "length":
		return model.Finish(reason)
	}
	return ""
}
