package main

import (
	"slices"
	"strings"
)

// ourWords are keys of a run's files whose texts are words, names, times and hashes
// of ours and of the model's server: programs go by them, and no page has a say in
// them.
var ourWords = []string{
	"api", "approve", "at", "browser", "by", "choice", "claim", "class", "classes", "code", "created", "dialect", "dialogs", "dir",
	"ended", "evidence", "expires", "fara_version", "finish", "frame", "frame_format", "frames", "kind", "mime", "model",
	"outcome_class", "page", "prompt_file", "repairs", "replies", "request", "request_sha256", "resume", "run", "secrets",
	"sha256", "started", "status", "system", "trim", "verified", "version",
	"priority", "sameSite", "sourceScheme", // of a cookie
	"origin", "top", // of what a site keeps
}

// ourPaths are the same by the last keys that lead to them.
var ourPaths = []string{
	"call.action", "action.kind", "action.keys", "problem.reason", "error.reason", "run_ended.reason", "tool_calls.name",
}

// freeFlags are flags whose values are people's own words.
var freeFlags = []string{"assert", "auto-reply", "search-url", "url", "proxy", "endpoint", "verify-endpoint", "grant"}

// ours reports whether what stands at a path of a run's files is not a page's.
func ours(path string) bool {
	keys := strings.Split(path, ".")
	last := keys[len(keys)-1]
	switch {
	case last == "": // a key
		return !slices.Contains(keys, "items")
	case keys[0] == "flags":
		return !slices.Contains(freeFlags, last)
	case slices.Contains(keys, "speech"), slices.Contains(keys, "schema"), slices.Contains(keys, "tools"), slices.Contains(keys, "secrets"):
		return true
	case len(keys) == 1 && (last == "reason" || last == "type" || last == "action"):
		return true
	case slices.Contains(ourWords, last):
		return true
	}
	return slices.ContainsFunc(ourPaths, func(p string) bool { return strings.HasSuffix(path, p) })
}
