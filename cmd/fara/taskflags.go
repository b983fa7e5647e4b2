package main

import (
	"github.com/spf13/pflag"

	"fara/batch/taskfile"
)

// notForTasks says why a task's own line cannot set some flags of a run.
var notForTasks = map[string]string{
	"out": "all runs of a batch are in its folder; give --out on the command line", "json": "it is about what the whole command prints; give --json on the command line",
	"control": "a batch is not steered over HTTP", "metrics": "it is about the whole batch; give --metrics on the command line",
	"otel": "it is about the whole batch; give --otel on the command line", "task": "the task has a key of its own: task",
	"api-key": "a key does not belong in a file of tasks; give it as FARA_API_KEY", "verify-api-key": "a key does not belong in a file of tasks; give it as FARA_VERIFY_API_KEY",
	"cdp": "all runs of a batch use the same browser; give --cdp on the command line", "cdp-header": "all runs of a batch use the same browser; give --cdp-header on the command line",
	"downloads-folder": "all runs of a batch are in its folder; give --out on the command line", "browserbase": "it is not built in", "save-screenshots": "frames are always saved",
}

// namesOfFiles are the flags whose values name files.
var namesOfFiles = map[string]taskfile.Path{
	"endpoint-config": taskfile.FilePath, "prompt-file": taskfile.FilePath, "calibration": taskfile.FilePath, "browser": taskfile.FilePath,
	"upload": taskfile.FilePath, "policy": taskfile.FilePath, "check": taskfile.FilePath, "answer-schema": taskfile.FilePath,
	"profile-dir": taskfile.AnyPath, "dialect": taskfile.NameOrFile,
}

// taskFlags are the flags of a run as a task's own line may set them.
func taskFlags() map[string]taskfile.Flag {
	set := pflag.NewFlagSet("task", pflag.ContinueOnError)
	set.SetNormalizeFunc(spelling)
	(&runFlags{}).register(set)
	all := map[string]taskfile.Flag{}
	set.VisitAll(func(f *pflag.Flag) {
		all[f.Name] = taskfile.Flag{
			Repeats: repeats(f.Value), Path: namesOfFiles[f.Name], Inline: f.Name == "answer-schema", Refused: notForTasks[f.Name],
		}
	})
	return all
}

func repeats(v pflag.Value) bool {
	switch v.(type) {
	case pflag.SliceValue, *several, *files:
		return true
	}
	return false
}
