package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"fara/model"
	"fara/trajectory"
)

// noAnswer is what webeval writes where there is no answer.
const noAnswer = "<no_answer>"

// weLine is a line of web_surfer.log.
type weLine struct {
	Timestamp string          `json:"timestamp"`
	Source    string          `json:"source"`
	Message   string          `json:"message"`
	URL       string          `json:"url"`
	Action    *string         `json:"action"`
	Arguments json.RawMessage `json:"arguments"`
}

// weAnswer is *_final_answer.json.
type weAnswer struct {
	Answer  *string `json:"final_answer"`
	Aborted bool    `json:"is_aborted"`
	Usage   map[string]struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"token_usage"`
}

// weTimes is times.json, in seconds.
type weTimes struct {
	Start float64 `json:"start_time"`
	End   float64 `json:"end_time"`
}

// webEval reads one folder.
type webEval struct {
	dir     string
	rec     *recording
	lines   []weLine
	answer  weAnswer
	answers string // the answer's file; empty when there is none
	times   weTimes
	stamps  stamps
}

func readWebEval(dir string) (*recording, error) {
	w := &webEval{dir: dir, rec: &recording{format: WebEval, tool: "Fara-7B (webeval)"}}
	for _, step := range []func() error{w.readLog, w.readAnswer, w.readTimes, w.readTask, w.tell, w.readScores} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	w.rec.end = w.ending()
	w.stamps.note(w.rec)
	return w.rec, w.rec.check()
}

// load decodes a file of the folder; a missing one leaves v as it is.
func (w *webEval) load(name string, v any) error {
	raw, err := w.rec.files.read(filepath.Join(w.dir, filepath.FromSlash(name)), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = decode(raw, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, plain(err))
	}
	return nil
}

func (w *webEval) readLog() error {
	raw, err := w.rec.files.read(filepath.Join(w.dir, "web_surfer.log"), "web_surfer.log")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("web_surfer.log is missing, so no action is known")
	}
	if err != nil {
		return fmt.Errorf("web_surfer.log: %w", plain(err))
	}
	torn, err := eachLine(raw, func(_ int, line []byte) error {
		var l weLine
		if err := decode(line, &l); err != nil {
			return err
		}
		w.lines = append(w.lines, l)
		return nil
	})
	if err != nil {
		return fmt.Errorf("web_surfer.log: %w", err)
	}
	if torn {
		w.rec.note("web_surfer.log ends in a line that broke off, which is left out")
	}
	return nil
}

func (w *webEval) readAnswer() error {
	found, err := filepath.Glob(filepath.Join(escape(w.dir), "*_answer.json"))
	if err != nil || len(found) == 0 {
		return err
	}
	if len(found) > 1 {
		return fmt.Errorf("there are %d answers, %s and %s among them; keep the one that counts", len(found), filepath.Base(found[0]), filepath.Base(found[1]))
	}
	w.answers = filepath.Base(found[0])
	w.rec.id = strings.TrimSuffix(strings.TrimSuffix(w.answers, "_answer.json"), "_final")
	return w.load(w.answers, &w.answer)
}

func (w *webEval) readTimes() error {
	if err := w.load("times.json", &w.times); err != nil {
		return err
	}
	w.rec.created = seconds(w.times.Start)
	if w.rec.created.IsZero() && len(w.lines) > 0 {
		w.rec.created = w.stamps.read(w.lines[0].Timestamp)
	}
	return nil
}

// seconds is a Unix time in seconds; zero when there is none.
func seconds(at float64) time.Time {
	if at <= 0 || at > 1e11 {
		return time.Time{}
	}
	return time.UnixMicro(int64(at * 1e6)).UTC()
}

var (
	thoughtLine = regexp.MustCompile(`(?s)Thought #(\d+):\s*(.*?)\nAction #`)
	actionLine  = regexp.MustCompile(`(?s)Action #(\d+):.*? with arguments\s+(\{.+\})`)
	outcomeLine = regexp.MustCompile(`(?s)^\s*Observation\s*#(\d+):\s*(.*)`)
	numbered    = regexp.MustCompile(`^screenshot(_?)(\d+)\.(?:png|jpe?g)$`)
)

// tell pairs the actions with the screenshots: number n shows what was there before
// action n, counted from 0, and the one behind the last what came of that.
func (w *webEval) tell() error {
	shots, err := w.shots()
	if err != nil {
		return err
	}
	n := 0
	structured := slices.ContainsFunc(w.lines, func(l weLine) bool { return l.Action != nil })
	for i, l := range w.lines {
		t, err := w.action(l, structured)
		switch {
		case err != nil:
			return fmt.Errorf("web_surfer.log: action %d: %w", n+1, err)
		case t != nil:
			if err := w.see(shots, n, l.URL, l.Timestamp); err != nil {
				return err
			}
			w.rec.parts = append(w.rec.parts, t)
			n++
			continue
		}
		if m := outcomeLine.FindStringSubmatch(l.Message); m != nil && n > 0 {
			w.rec.parts = append(w.rec.parts, &outcome{text: strings.TrimSpace(m[2]), when: w.stamps.read(w.lines[i].Timestamp)})
		}
	}
	if extra := len(shots) - n; extra < 0 || extra > 1 {
		w.rec.note(fmt.Sprintf("there are %d screenshots for %d actions", len(shots), n))
	}
	if _, ok := shots[n]; ok {
		return w.see(shots, n, "", "")
	}
	return nil
}

// action is the action of a line; nil when it has none. In a log with structured lines
// only these count, for the others say the same again.
func (w *webEval) action(l weLine, structured bool) (*turn, error) {
	t := &turn{when: w.stamps.read(l.Timestamp)}
	args, name := l.Arguments, ""
	switch {
	case structured && l.Action == nil:
		return nil, nil
	case structured:
		name = *l.Action
	default:
		m := actionLine.FindStringSubmatch(l.Message)
		if m == nil {
			return nil, nil
		}
		args = json.RawMessage(m[2])
	}
	var known map[string]json.RawMessage
	if err := decode(args, &known); err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	t.did, t.thoughts = action(name, known)
	if m := thoughtLine.FindStringSubmatch(l.Message); m != nil && t.thoughts == "" {
		t.thoughts = strings.TrimSpace(m[2])
	}
	return t, nil
}

// ending is what the answer's file and the last action say.
func (w *webEval) ending() ending {
	end := unfinished
	answered := w.answer.Answer != nil && *w.answer.Answer != noAnswer
	switch {
	case w.answer.Aborted:
		end = dpEnding("aborted", w.rec)
	case w.rec.finished():
		end = dpEnding("complete", w.rec)
	case w.answers != "":
		end = ending{status: trajectory.BudgetExhausted, reason: "max_steps", message: "the run ended without the model having finished"}
	}
	if answered {
		end.answer = w.answer.Answer
	} else if w.answers != "" {
		none := ""
		end.answer = &none
	}
	for _, name := range slices.Sorted(maps.Keys(w.answer.Usage)) {
		u := w.answer.Usage[name]
		if end.usage == nil {
			end.usage = &model.Usage{}
		}
		*end.usage = end.usage.Add(model.Usage{PromptTokens: u.Prompt, CompletionTokens: u.Completion})
	}
	end.started, end.ended = seconds(w.times.Start), seconds(w.times.End)
	return end
}

// readScores takes what the benchmark's judges said.
func (w *webEval) readScores() error {
	found, err := filepath.Glob(filepath.Join(escape(w.dir), "scores", "*.json"))
	if err != nil {
		return err
	}
	for _, path := range found {
		name := "scores/" + filepath.Base(path)
		var score struct {
			Score *float64        `json:"score"`
			Text  json.RawMessage `json:"gpt_response_text"`
		}
		if err := w.load(name, &score); err != nil {
			return err
		}
		var words string
		if json.Unmarshal(score.Text, &words) != nil {
			words = string(score.Text)
		}
		w.rec.parts = append(w.rec.parts, verdict(strings.TrimSuffix(filepath.Base(path), ".json"), score.Score, words))
	}
	return nil
}
