package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fara/dialect"
	"fara/env"
	"fara/userfile"
)

// speak finds the dialect: by name, or by the model's.
func (m *modelFlags) speak() (dialect.Dialect, error) {
	if m.dialect != "auto" {
		d, err := dialectOf(m.dialect)
		if err != nil {
			return d, usage("--dialect: %w", err)
		}
		return m.measuredFor(d)
	}
	d, ok := dialect.ForModel(m.model)
	if !ok {
		return d, usage("how the model %q speaks is not known by its name; say it with --dialect %s (json works with any model that sees), or let fara calibrate find it", m.model, strings.Join(dialect.Names(), " or "))
	}
	return d, nil
}

// dialectOf gives the dialect of a name, or of a user's own file.
func dialectOf(name string) (dialect.Dialect, error) {
	if slices.Contains(dialect.Names(), name) {
		return dialect.Get(name)
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return dialect.Load(name)
	}
	if strings.ContainsAny(name, `/\`) || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) {
		return dialect.Dialect{}, fmt.Errorf("there is no file %s", name)
	}
	return dialect.Get(name)
}

// fitted is the dialect with the user's own viewport and prompt, and with the space
// that was measured: the prompt stays as it was when it was measured.
func (m *modelFlags) fitted(viewport env.Size) (dialect.Dialect, error) {
	d, err := m.worded(viewport)
	if err != nil {
		return d, err
	}
	if m.measured != nil {
		d.Space = m.measured.Space
	}
	return d, m.formable(d)
}

// formable finds a form of replies that the dialect does not have.
func (m *modelFlags) formable(d dialect.Dialect) error {
	switch {
	case m.constrain && d.Schema() == nil:
		return usage("--constrain: replies in the dialect %s are lines of text, which no JSON schema can hold; leave it out, or use --dialect json", d.Name)
	case m.tools && d.Tools(d.Viewport) == nil:
		return usage("--tools: models of the dialect %s write their actions as text and know no tools; leave it out, or use --dialect json", d.Name)
	}
	return nil
}

func (m *modelFlags) worded(viewport env.Size) (dialect.Dialect, error) {
	d, err := m.speak()
	if err != nil {
		return d, err
	}
	if viewport != (env.Size{}) {
		d.Viewport = viewport
	}
	picture, err := d.Grid.Fit(d.Viewport)
	if err != nil {
		return d, usage("--viewport: %w", err)
	}
	if m.promptFile == "" {
		return d, nil
	}
	text, err := os.ReadFile(m.promptFile)
	if err != nil {
		return d, usage("--prompt-file: %w", err)
	}
	own, err := d.WithPrompt(string(text), picture)
	var fault *userfile.Fault
	if errors.As(err, &fault) {
		fault.File = m.promptFile
	}
	if err != nil {
		return d, usage("--prompt-file: %w", err)
	}
	return own, nil
}

// prompted says whose words the system prompt is.
func prompted(d dialect.Dialect, file string) string {
	picture, err := d.Grid.Fit(d.Viewport)
	if err != nil {
		return "no picture of such a page can be sent: " + err.Error()
	}
	ours := "in our own words"
	if file != "" {
		ours = "from " + file
	}
	switch other := publishedAt(d); {
	case d.IsPublished(d.System(picture)):
		return "the one the model was trained with, byte for byte as published"
	case other != env.Size{}:
		return fmt.Sprintf("%s: the published one, but for the screen of %v that it names; --viewport %v makes it the very one", ours, picture, other)
	case len(d.Published) == 0:
		return fmt.Sprintf("%s; the hash of a published one is not known for %s", ours, d.Name)
	case file != "":
		return ours + ", which is not byte for byte a published one"
	}
	return ours + "; --prompt-file takes the one the model was trained with"
}

// publishedAt gives the screen at which the prompt would be a published one; the
// zero size when there is none.
func publishedAt(d dialect.Dialect) env.Size {
	for _, p := range d.Published {
		if d.Screen == (env.Size{}) && d.IsPublished(d.System(p.Screen)) {
			return p.Screen
		}
	}
	return env.Size{}
}
