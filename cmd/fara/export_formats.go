package main

import (
	"strings"

	"fara/export"
	"fara/export/layout"
	"fara/export/parquet"
)

// exportFormat is one of the forms that fara export writes: rows by new, or whole runs
// by layout.
type exportFormat struct {
	name, help string
	rows       func(c *export.Config) export.Format
	layout     export.Layout
}

func exportFormats() []exportFormat {
	return []exportFormat{
		{name: "openai", help: "chats as JSON lines, pictures and native calls in OpenAI's form, a weight on each reply",
			rows: func(*export.Config) export.Format { return export.OpenAI{} }},
		{name: "sharegpt", help: "conversations and dataset_info.json for LLaMA-Factory",
			rows: func(c *export.Config) export.Format { return export.ShareGPT{Per: c.Per} }},
		{name: "swift", help: "messages for ms-swift, a loss mark on each reply, objects for grounding",
			rows: func(*export.Config) export.Format { return export.Swift{} }},
		{name: "parquet", help: "Parquet files for Hugging Face datasets, with the pictures in them",
			rows: func(*export.Config) export.Format { return &parquet.Format{} }},
		{name: "datapoint", help: "whole runs as Fara's DataPoint folders", layout: layout.DataPoint},
		{name: "webvoyager", help: "whole runs as WebVoyager's result folders", layout: layout.WebVoyager},
		{name: "mind2web", help: "whole runs as Online-Mind2Web's result folders", layout: layout.OnlineMind2Web},
	}
}

func exportFormatNames() []string {
	var names []string
	for _, f := range exportFormats() {
		names = append(names, f.name)
	}
	return names
}

func exportFormatsHelp() string {
	text := "Formats:\n"
	for _, f := range exportFormats() {
		text += "  " + f.name + strings.Repeat(" ", 13-len(f.name)) + f.help + "\n"
	}
	return strings.TrimSuffix(text, "\n")
}

// formatInto has the config write the format that was asked for.
func (e *exportFlags) formatInto(c *export.Config) error {
	for _, f := range exportFormats() {
		switch {
		case f.name != e.format:
			continue
		case f.layout != nil:
			return e.wholeRuns(c, f)
		}
		c.Format = f.rows(c)
		return nil
	}
	if e.format == "" {
		return usage("say in which form: --format %s", orList(exportFormatNames()))
	}
	return usage("--format %q: it is %s", e.format, orList(exportFormatNames()))
}

// wholeRuns refuses what is about rows.
func (e *exportFlags) wholeRuns(c *export.Config, f exportFormat) error {
	for _, rows := range []struct {
		flag  string
		given bool
	}{
		{"per run", e.per == "run"}, {"rows grounding", e.rows == "grounding"}, {"pairs", e.pairs}, {"kto", e.kto}, {"embed", e.embed},
		{"dedupe", e.dedupe}, {"train-on", len(e.trainOn) > 0}, {"keep-untrained", e.untrained}, {"include-reads", e.reads},
	} {
		if rows.given {
			return usage("--%s is about rows, and --format %s writes whole runs", rows.flag, f.name)
		}
	}
	c.Layout = f.layout
	return nil
}

// orList writes words as "a, b or c".
func orList(words []string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
}
