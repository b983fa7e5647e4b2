package taskfile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Format is whose words a file says id, task and address in.
type Format string

// The formats of task files.
const (
	Fara           Format = "fara"
	WebVoyager     Format = "webvoyager"
	OnlineMind2Web Format = "online-mind2web"
	WebTailBench   Format = "webtailbench"
	Table          Format = "table"
)

// Formats are all formats.
func Formats() []Format {
	return []Format{Fara, WebVoyager, OnlineMind2Web, WebTailBench, Table}
}

func formats() string {
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// known ends what is said about a file that is in no known format.
const known = "known are JSONL with id, task and url, WebVoyager's JSONL (id, ques, web), Online-Mind2Web's JSON (task_id, confirmed_task, website), " +
	"WebTailBench's TSV or CSV (id, task_summary), and CSV or TSV with a header id, task, url"

// words are the names that a format has for what every task has; the first of
// several that a row has is meant.
type words struct {
	format        Format
	id, task, url []string
	settings      bool // whether other names may be flags of a run
}

// own reports whether a name is one of these.
func (w words) own(name string) bool {
	return slices.Contains(w.id, name) || slices.Contains(w.task, name) || slices.Contains(w.url, name)
}

// vocabulary is in the order in which files are tried.
var vocabulary = []words{
	{format: WebTailBench, id: []string{"id", "subdir"}, task: []string{"task_summary", "ques"}, url: []string{"init_url", "web"}},
	{format: OnlineMind2Web, id: []string{"task_id"}, task: []string{"confirmed_task"}, url: []string{"website"}},
	{format: WebVoyager, id: []string{"id"}, task: []string{"ques"}, url: []string{"web"}},
	{format: Table, id: []string{"id"}, task: []string{"task"}, url: []string{"url"}, settings: true},
	{format: Fara, id: []string{"id"}, task: []string{"task"}, url: []string{"url"}, settings: true},
}

// wordsOf gives the names of a format; nil for one that does not exist.
func wordsOf(f Format) *words {
	for i, w := range vocabulary {
		if w.format == f {
			return &vocabulary[i]
		}
	}
	return nil
}

// formatOf finds out the format of a row with these names; empty when it is none.
func formatOf(names []string, as shape) Format {
	has := func(name string) bool { return slices.Contains(names, name) }
	switch {
	case has("task_summary"):
		return WebTailBench
	case has("confirmed_task"):
		return OnlineMind2Web
	case has("ques") && (has("precomputed_rubric") || has("category")):
		return WebTailBench
	case has("ques"):
		return WebVoyager
	case has("task") && as == table:
		return Table
	case has("task"):
		return Fara
	}
	return ""
}

// plain gives a file's text, without the mark that some programs write before it.
func plain(path string, raw []byte) (string, error) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return "", fmt.Errorf("%s is in UTF-16; save it as UTF-8", path)
	case bytes.IndexByte(raw[:min(len(raw), 4096)], 0) >= 0:
		return "", fmt.Errorf("%s is no text in UTF-8 (UTF-16, or a file of another kind); %s, all in UTF-8", path, known)
	}
	return strings.TrimPrefix(string(raw), "\ufeff"), nil
}
