package judge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fara/model"
	"fara/trajectory"
)

// word is a judging model's verdict.
type word struct {
	verdict string // "accept", "reject" or "unsure"
	class   string // one of Classes; empty with "accept"
	reason  string
}

// spellings are the ways in which models write a verdict.
var spellings = map[string]string{
	"accept": "accept", "accepted": "accept", "pass": "accept", "passed": "accept", "success": "accept", "valid": "accept", "yes": "accept",
	"reject": "reject", "rejected": "reject", "fail": "reject", "failed": "reject", "failure": "reject", "invalid": "reject", "no": "reject",
	"unsure": "unsure", "unknown": "unsure", "uncertain": "unsure",
}

// thought is what a model thinks aloud before its reply.
var thought = regexp.MustCompile(`(?s)^.*</think(?:ing)?>`)

// readReply reads a verdict. It is taken only from an object that stands alone: one
// within other text may be a quotation of what the judge was shown, so of such only
// what does not accept is believed. The error says what is wrong with the reply.
func readReply(reply model.Reply) (word, error) {
	text := strings.TrimSpace(reply.Text)
	if !strings.HasPrefix(text, "{") {
		text = strings.TrimSpace(thought.ReplaceAllString(text, ""))
	}
	if text == "" {
		text = strings.TrimSpace(reply.Thinking) // servers that file all of it there
	}
	if m := fence.FindStringSubmatch(text); m != nil {
		text = strings.TrimSpace(m[1])
	}
	if text == "" {
		return word{}, errors.New("it is empty")
	}
	objects, alone, err := objectsIn(text)
	if err != nil {
		return word{}, err
	}
	if len(objects) != 1 {
		return word{}, fmt.Errorf("it has %d JSON objects and should have one", len(objects))
	}
	w, err := readWord(objects[0])
	if err == nil && !alone && w.verdict == "accept" {
		err = errors.New("other text stands around the JSON object")
	}
	return w, err
}

// objectsIn finds the JSON objects of a text that are in no other one, and whether
// nothing else is there. What begins like an object and is none is an error: what
// lies inside could be a quotation.
func objectsIn(text string) (objects []json.RawMessage, alone bool, err error) {
	alone = strings.HasPrefix(text, "{")
	for {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			return objects, alone && strings.TrimSpace(text) == "", nil
		}
		text = text[at:]
		dec := json.NewDecoder(strings.NewReader(text))
		var object json.RawMessage
		if err := dec.Decode(&object); err != nil {
			return nil, false, fmt.Errorf("its JSON cannot be read: %s", oneLine(plainly(err).Error(), 200))
		}
		objects = append(objects, object)
		text = text[dec.InputOffset():]
	}
}

// readWord reads the object's members, each of which may be there once.
func readWord(object json.RawMessage) (word, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	var w word
	seen := map[string]bool{}
	if _, err := dec.Token(); err != nil {
		return w, err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return w, err
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			return w, err
		}
		name := strings.ToLower(fmt.Sprint(key))
		if seen[name] {
			return w, fmt.Errorf("it has %s twice", name)
		}
		seen[name] = true
		w.set(name, value)
	}
	return w, w.check()
}

func (w *word) set(name string, value any) {
	text, _ := value.(string)
	switch name {
	case "verdict":
		w.verdict = spellings[fold(text)]
	case "class":
		w.class = strings.ReplaceAll(fold(text), " ", "_")
	case "reason":
		w.reason = oneLine(text, 500)
	}
}

// check finds a verdict that says nothing, or two things.
func (w *word) check() error {
	known := slices.Contains(Classes(), w.class)
	w.reason = cmp.Or(w.reason, "the judging model gave no reason")
	switch {
	case w.verdict == "":
		return errors.New(`its verdict is none of "accept", "reject" and "unsure"`)
	case w.verdict == "accept" && known:
		return fmt.Errorf("it accepts and names the class %s", w.class)
	case w.verdict == "accept":
		w.class = ""
	case w.verdict == "unsure":
		if w.class != Infra {
			w.class = Unproven
		}
	case !known:
		w.class = Wrong
	}
	return nil
}

// verdict is the word as a verdict.
func (w word) into(v trajectory.Verdict) trajectory.Verdict {
	v.Accepted, v.Unsure = w.verdict == "accept", w.verdict == "unsure"
	v.Class, v.Reason = w.class, w.reason
	return v
}
