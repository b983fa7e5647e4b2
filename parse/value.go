package parse

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// value is what was given for a field, on its way to the field's type.
type value struct {
	node
	field   string
	repairs *repairs
}

func (v value) refuse(want string) *Error {
	return refuse(BadArgument, "%q must be %s, not %s.", v.field, want, quote(v.raw))
}

// with gives another value for the same field.
func (v value) with(n node) value {
	v.node = n
	return v
}

// plainNumber is a number that a text consists of.
var plainNumber = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// float reads a finite number; ok is false for anything else.
func (v value) float() (f float64, ok bool) {
	switch v.kind {
	case numberNode:
		f = v.node.float()
	case textNode:
		trimmed := strings.TrimSpace(v.node.text)
		if !plainNumber.MatchString(trimmed) {
			return 0, false
		}
		f, _ = strconv.ParseFloat(trimmed, 64)
		v.repairs.add(NumberFromString)
	default:
		return 0, false
	}
	return f, !math.IsInf(f, 0) && !math.IsNaN(f)
}

func (v value) number() (*float64, *Error) {
	f, ok := v.float()
	if !ok {
		return nil, v.refuse("a number")
	}
	return &f, nil
}

func (v value) truth() (*bool, *Error) {
	is := v.node.truth
	switch {
	case v.kind == truthNode:
		return &is, nil
	case v.kind == textNode && strings.EqualFold(strings.TrimSpace(v.node.text), "true"), v.kind == numberNode && v.raw == "1":
		is = true
	case v.kind == textNode && strings.EqualFold(strings.TrimSpace(v.node.text), "false"), v.kind == numberNode && v.raw == "0":
	default:
		return nil, v.refuse("true or false")
	}
	v.repairs.add(BoolFromString)
	return &is, nil
}

// plainDecimal is a number whose digits are the only way to write it down.
var plainDecimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// text gives a text exactly as it was sent.
func (v value) text() (*string, *Error) {
	s := v.node.text
	switch {
	case v.kind == textNode:
		return &s, nil
	case v.kind == numberNode && plainDecimal.MatchString(v.raw):
		v.repairs.add(TextFromNumber)
		s = v.raw
		return &s, nil
	}
	return nil, v.refuse("a text")
}

// words gives a text that says something.
func (v value) words() (*string, *Error) {
	s, err := v.text()
	if err == nil && strings.TrimSpace(*s) == "" {
		return nil, refuse(MissingArgument, "%q is empty; send the call again with it filled in.", v.field)
	}
	return s, err
}

// answer gives a text, or the source of a value that is none.
func (v value) answer() (*string, *Error) {
	if v.kind == textNode {
		return v.text()
	}
	if !v.complete() {
		return nil, v.refuse("a text")
	}
	v.repairs.add(AnswerSource)
	s := v.raw
	return &s, nil
}

// status gives a terminate's verdict.
func (v value) status() (*string, *Error) {
	for _, s := range []string{"success", "failure"} {
		if v.kind == textNode && strings.EqualFold(strings.TrimSpace(v.node.text), s) {
			return &s, nil
		}
	}
	return nil, v.refuse(`"success" or "failure"`)
}
