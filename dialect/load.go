package dialect

import (
	"fmt"
	"strings"

	"fara/userfile"
)

// file is what a user's own dialect is called in faults.
var file = userfile.Kind{Noun: "dialect", See: "fara prompt --dialect fara-1.5 --as-file shows what is expected"}

// Load reads a dialect from a user's own file, in YAML or JSON with the fields
// of Dialect. Words that it leaves out of turns are ours. What is wrong in it is
// a *userfile.Fault with file and line, as is a field that does not exist.
func Load(path string) (Dialect, error) {
	d, err := common()
	if err != nil {
		return Dialect{}, err
	}
	read, err := file.Read(path, &d)
	if err != nil {
		return Dialect{}, err
	}
	d.Prompt = strings.TrimSuffix(d.Prompt, "\n")
	if wrong := d.check(); wrong.text != "" {
		return Dialect{}, read.FaultInside(wrong.path, wrong.line, wrong.text)
	}
	return d, nil
}

// AsFile writes the dialect as Load reads it.
func (d Dialect) AsFile() ([]byte, error) {
	raw, err := userfile.Encode(d)
	if err != nil {
		return nil, fmt.Errorf("dialect %s: %w", d.Name, err)
	}
	return raw, nil
}
