package parse

import (
	"slices"
	"strings"
	"unicode"

	"fara/env"
)

// otherNames are words that models use for an action and that stand for no other
// one, written as squash gives them.
var otherNames = map[string]env.Kind{
	"keypress": env.Key, "presskey": env.Key, "press": env.Key, "hotkey": env.Key,
	"inputtext": env.Type, "typetext": env.Type, "input": env.Type, "write": env.Type,
	"hover": env.MouseMove, "movemouse": env.MouseMove, "move": env.MouseMove,
	"click": env.LeftClick, "tap": env.LeftClick, "singleclick": env.LeftClick,
	"drag":         env.LeftClickDrag,
	"contextclick": env.RightClick, "rightsingle": env.RightClick,
	"leftdouble": env.DoubleClick,
	"visit":      env.VisitURL, "goto": env.VisitURL, "navigate": env.VisitURL, "openurl": env.VisitURL, "gotourl": env.VisitURL,
	"back": env.HistoryBack, "goback": env.HistoryBack,
	"search": env.WebSearch, "searchweb": env.WebSearch,
	"readpage": env.ReadPage, "readpageandanswer": env.ReadPage,
	"memorize": env.Memorize, "memorizefact": env.Memorize,
	"ask": env.AskUser, "askuser": env.AskUser,
	"sleep": env.Wait,
	"stop":  env.Terminate, "done": env.Terminate, "finish": env.Terminate, "finished": env.Terminate,
	"stopexecution": env.Terminate, "stopandanswerquestion": env.Terminate,
}

// kinds has every action under its own name, written as squash gives it.
var kinds = func() map[string]env.Kind {
	own := make(map[string]env.Kind)
	for _, kind := range env.Kinds() {
		own[squash(string(kind))] = kind
	}
	return own
}()

// kindOf gives the action that a word stands for. Case and what stands between
// the letters do not matter, for no two actions differ only in that.
func kindOf(word string) (env.Kind, bool) {
	squashed := squash(word)
	if kind, ok := kinds[squashed]; ok {
		return kind, true
	}
	kind, ok := otherNames[squashed]
	return kind, ok
}

// squash takes spaces, hyphens, underscores and case out of a word.
func squash(word string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || unicode.IsSpace(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, word)
}

// allowed gives the action that a word stands for if the schema has it.
func (s Schema) allowed(word string) (env.Kind, *Error) {
	allowed := s.Actions
	if len(allowed) == 0 {
		allowed = env.Kinds()
	}
	if kind, ok := kindOf(word); ok && slices.Contains(allowed, kind) {
		return kind, nil
	}
	names := make([]string, len(allowed))
	for i, kind := range allowed {
		names[i] = string(kind)
	}
	return "", refuse(UnknownAction, "There is no action %s; use one of: %s.", quote(word), strings.Join(names, ", "))
}
