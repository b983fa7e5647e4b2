package main

import (
	"path/filepath"
	"slices"
	"strings"

	"fara/agent"
	"fara/calibrate"
	"fara/dialect"
)

// calibrated reads --calibration, which says which dialect the model has; a flag
// that says otherwise contradicts it.
func (m *modelFlags) calibrated() error {
	if m.calibration == "" {
		return nil
	}
	c, err := calibrate.Load(m.calibration)
	if err != nil {
		return usage("--calibration: %w; fara calibrate makes one", err)
	}
	if m.dialect != "auto" && !sameDialect(m.dialect, c.Dialect) {
		return usage("--dialect %s contradicts --calibration %s, which was made with %s; leave one of the two out", m.dialect, m.calibration, c.Dialect)
	}
	if m.tools && c.Replies != string(agent.NativeTools) || m.constrain && c.Replies != string(agent.Constrained) {
		return usage("--calibration %s was made with replies as %s; leave --tools and --constrain out, or calibrate with them", m.calibration, c.Replies)
	}
	m.dialect, m.measured = c.Dialect, &c
	_, err = m.measuredFor(dialect.Dialect{})
	return err
}

// measuredFor is the dialect with the page's size that was measured with the model,
// which has to be the one that is used. Before the server has told the model's
// name, any may be.
func (m *modelFlags) measuredFor(d dialect.Dialect) (dialect.Dialect, error) {
	if m.measured == nil {
		return d, nil
	}
	if m.model != "" && !sameModel(m.model, m.measured.Model) {
		return d, usage("--calibration %s is of the model %s, not of %s; run fara calibrate --model %[3]s", m.calibration, m.measured.Model, m.model)
	}
	d.Viewport = m.measured.Viewport
	return d, nil
}

// sameModel compares names as Ollama does: without a tag the latest is meant.
func sameModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// sameDialect compares names, or files by where they are.
func sameDialect(a, b string) bool {
	if a == b {
		return true
	}
	absolute, err := filepath.Abs(a)
	return err == nil && absolute == b
}

// dialectFile is the absolute path of a dialect's file, false when --dialect gives
// a name.
func dialectFile(given string) (path string, ok bool) {
	if given == "auto" || slices.Contains(dialect.Names(), given) {
		return "", false
	}
	path, err := filepath.Abs(given)
	return path, err == nil
}
