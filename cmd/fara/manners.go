package main

import (
	"fara/agent"
	"fara/calibrate"
	"fara/dialect"
	"fara/env"
)

// certainty says how the first manner of asking was found.
type certainty string

// How it was found.
const (
	// sure: the user said so, or the model's name does. The other manners are for
	// replies that cannot be read.
	sure certainty = "sure"
	// guessed: any manner may be right.
	guessed certainty = "guessed"
)

// manners are the ways to ask a model, the likeliest first.
func (m *modelFlags) manners(viewport env.Size) (ways []manner, first certainty, err error) {
	first = guessed
	if _, known := dialect.ForModel(m.model); known || m.dialect != "auto" {
		first = sure
		d, err := m.fitted(viewport)
		if err != nil {
			return nil, first, err
		}
		for _, r := range []agent.Replies{m.replies(d), agent.OwnWay(d), agent.Constrained} {
			ways = append(ways, manner{m.spokenAs(d), d, r})
		}
	}
	for _, other := range others {
		own := *m
		own.dialect, own.promptFile = other.dialect, ""
		own.constrain, own.tools = false, false // said below
		d, err := own.fitted(viewport)
		if err != nil {
			return nil, first, err
		}
		ways = append(ways, manner{d.Name, d, other.replies})
	}
	return distinct(ways), first, nil
}

// others stand for the forms of replies: tagged, text, an object, and one that the
// server holds to its schema. The last one tells the model the picture's size.
var others = []struct {
	dialect string
	replies agent.Replies
}{
	{"qwen3-vl", agent.FreeText}, {"ui-tars-1.5", agent.FreeText}, {"json", agent.FreeText}, {"json", agent.Constrained}, {"qwen2.5-vl", agent.FreeText},
}

// distinct leaves out manners that are there already.
func distinct(ways []manner) []manner {
	seen := map[[2]string]bool{}
	var out []manner
	for _, w := range ways {
		key := [2]string{w.name, string(w.replies)}
		if !seen[key] {
			seen[key] = true
			out = append(out, w)
		}
	}
	return out
}

// spokenAs is what a later run takes as --dialect: a name, or a file's path that
// does not depend on the folder.
func (m *modelFlags) spokenAs(d dialect.Dialect) string {
	if path, ok := dialectFile(m.dialect); ok {
		return path
	}
	return d.Name
}

// leads reports whether another manner may come out better than a round did.
func (r round) leads(first certainty) bool {
	switch r.verdict.Why {
	case calibrate.Unread:
		return true
	case calibrate.Blind, calibrate.Noisy:
		return first == guessed
	}
	return false
}

// rank is how much a round says, the most first.
func (r round) rank() int {
	switch r.verdict.Why {
	case calibrate.Fits:
		return 0
	case calibrate.Noisy:
		return 2
	case calibrate.Blind:
		return 3
	case calibrate.Unread:
		return 4
	}
	return 1
}
