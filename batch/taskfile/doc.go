// Package taskfile reads files of tasks: our own, those of the known benchmarks, and
// tables.
//
// It says what stands in a file and, line by line, what is wrong with it. What a
// flag's value means and how a task is done are left to the caller.
//
// # Formats
//
// Fara is one JSON object a line, or a list of them:
//
//	{"id": "tea", "task": "What does green tea cost?", "url": "shop.test",
//	 "answer_schema": {"type": "object"}, "checks": ["url contains /tea"],
//	 "limits": {"max_steps": 30}, "temperature": 0.7, "meta": {"level": "easy"}}
//
// Beside id, task and url come settings of a run by their flags' names, with - or _,
// at the top, in limits or in flags; checks is another word for assert. A name that
// is none of these is a fault.
//
// WebVoyager, OnlineMind2Web and WebTailBench are those benchmarks' own names for the
// same three things, in objects or in a table; whatever else a row says is kept as
// the task's Meta. A Table has a header with our names: columns that are neither id,
// task, url nor a flag are Meta, and rows without a column id are numbered from 1.
//
// Tables are separated by commas, tabs or semicolons. All files are UTF-8.
package taskfile
