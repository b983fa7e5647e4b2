// Package trajectory holds the event log of a run: its types, its files, and
// reading them back.
//
// A run is a folder:
//
//	task.json        what was asked, with every setting that shaped the run
//	events.jsonl     one event a line, each on disk before the next effect
//	frames/<n>.png   the exact bytes sent to the model, an identical frame once
//	pages/<n>.md     the page texts a question was asked about
//	evidence/        what was known of the page when an answer was judged
//	downloads/       what the run downloaded
//	result.json      written last
//
// The events are the truth; everything else about a run is computed from them.
// This package decides nothing about what they mean to a model: package prompt
// does.
package trajectory
