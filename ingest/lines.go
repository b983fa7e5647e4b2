package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// decode reads one JSON value and says what is wrong in words without Go's types.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%s is a %s, which it cannot be", pick(kind.Field, "the whole"), kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no JSON at byte %d: %v", syntax.Offset, err)
	}
	return err
}

// eachLine calls do for every line that is not empty. torn says that the last one is no
// JSON and has no end: a crash in the middle of writing.
func eachLine(raw []byte, do func(n int, line []byte) error) (torn bool, err error) {
	for n := 1; len(raw) > 0; n++ {
		line, rest, whole := bytes.Cut(raw, []byte("\n"))
		raw = rest
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if !whole && !json.Valid(line) {
			return true, nil
		}
		if err := do(n, line); err != nil {
			return false, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return false, nil
}

// stamps reads times and remembers what had to be assumed.
type stamps struct{ naive, bad bool }

// layouts are the ways times are written, those with a zone first.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999Z07:00"}
var naive = []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05,999999999"}

// read gives a time; zero when there is none that can be read.
func (s *stamps) read(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	for _, layout := range naive {
		if at, err := time.Parse(layout, text); err == nil {
			s.naive = true
			return at
		}
	}
	s.bad = true
	return time.Time{}
}

func (s *stamps) note(rec *recording) {
	if s.naive {
		rec.note("times stand in the source without a zone and are taken for UTC")
	}
	if s.bad {
		rec.note("some times cannot be read; those before them stand in their place")
	}
	if rec.created.IsZero() {
		rec.created = rec.first()
	}
	if rec.created.IsZero() {
		rec.note("the source names no time")
	}
}

// first is the first time that any part names; zero when none does.
func (r *recording) first() time.Time {
	for _, part := range r.parts {
		var at time.Time
		switch p := part.(type) {
		case *picture:
			at = p.at
		case *turn:
			at = p.when
		}
		if !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}
