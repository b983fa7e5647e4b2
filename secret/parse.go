package secret

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reader reads secrets as people write them.
type Reader struct {
	// Getenv gives the value of an environment variable.
	Getenv func(name string) string
	// Site reads one site. Its errors are shown.
	Site func(text string) (Site, error)
}

// form is how a secret is written.
const form = "write it as NAME=env:VARIABLE@site, NAME=file:PATH@site or NAME=totp:env:VARIABLE@site"

var (
	goodName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)
)

// maxValue is the longest value, in bytes: what is longer is another file than the
// one that was meant.
const maxValue = 8192

// Parse reads NAME=SOURCE@SITE[,SITE], the source being env:VARIABLE, file:PATH, or
// totp: before one of these for the seed of one-time codes. The value is read at
// once. An error is one line that repeats nothing but the name and the sites: a
// value may stand anywhere else by mistake.
func (r Reader) Parse(text string) (Secret, error) {
	name, rest, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !ok || !goodName.MatchString(name) {
		return Secret{}, errors.New("a secret begins with its name, of letters, digits and _; " + form)
	}
	s := Secret{Name: name}
	at := strings.LastIndex(rest, "@") // a path may have one, a site cannot
	if at < 0 {
		at = len(rest)
	}
	var err error
	s.From = wholePath(strings.TrimSpace(rest[:at]))
	if s.value, s.code, err = r.value(s.From); err != nil {
		return Secret{}, fmt.Errorf("%s: %w", name, err)
	}
	if s.Sites, err = r.sites(strings.TrimPrefix(rest[at:], "@")); err != nil {
		return Secret{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := s.usable(); err != nil {
		return Secret{}, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// wholePath gives a source whose file is found from every folder.
func wholePath(source string) string {
	before, path, ok := strings.Cut(source, "file:")
	if !ok || path == "" || before != "" && before != "totp:" {
		return source
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return before + "file:" + path
}

func (r Reader) sites(text string) ([]Site, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("it names no site that it may be typed on; " + form)
	}
	var sites []Site
	for part := range strings.SplitSeq(text, ",") {
		site, err := r.Site(part)
		if err != nil {
			return nil, err
		}
		sites = append(sites, site)
	}
	return sites, nil
}

// value reads a source.
func (r Reader) value(source string) (string, *code, error) {
	inner, isCode := strings.CutPrefix(source, "totp:")
	value, err := r.read(inner)
	if err != nil || !isCode {
		return value, nil, err
	}
	c, err := newCode(value)
	return value, c, err
}

func (r Reader) read(source string) (string, error) {
	kind, what, _ := strings.Cut(source, ":")
	var value string
	switch {
	case kind == "env" && what != "":
		if value = r.Getenv(what); value == "" {
			return "", errors.New("its environment variable is empty or not set; export it first, and name it without a $")
		}
	case kind == "file" && what != "":
		var err error
		if value, err = readFile(what); err != nil {
			return "", err
		}
	default:
		return "", errors.New("where its value comes from is not understood, and the value itself has no place here; " + form)
	}
	value = strings.TrimPrefix(value, "\ufeff") // some editors begin files so
	value = strings.TrimRight(value, "\r\n")    // the end of its line is nothing to type
	return value, checkValue(value)
}

func readFile(path string) (string, error) {
	f, err := os.Open(path)
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err // without the path: it may be a value
	}
	if err != nil {
		return "", fmt.Errorf("its file cannot be opened: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxValue+2))
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	if err != nil {
		return "", fmt.Errorf("its file cannot be read: %w", err)
	}
	return string(data), nil
}

func checkValue(value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return errors.New("its value is empty")
	case strings.ContainsAny(value, "\r\n\t"):
		return errors.New("its value has several lines or a tab, which would leave its field while it is typed; give one line")
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return errors.New("its value has bytes that cannot be typed; it has to be text in UTF-8")
	case len(value) > maxValue:
		return fmt.Errorf("its value is longer than %d bytes, which cannot be meant", maxValue)
	}
	return nil
}

// usable says why a secret could not be kept out of texts.
func (s Secret) usable() error {
	if s.code != nil {
		return nil
	}
	if n := len(squeeze(s.value)); n < minLength {
		return fmt.Errorf("its value has fewer than %d characters, and so little is part of too many words to be kept out of them; choose a longer one", minLength)
	}
	folded := strings.ToLower(s.value)
	for _, site := range s.Sites {
		if strings.EqualFold(strings.TrimSpace(s.value), site.Name) {
			return errors.New("its value is the name of its site, which no page can be kept from showing; choose another")
		}
	}
	if strings.Contains(strings.ToLower(s.Name), folded) {
		return errors.New("its name holds its value, and the name is told to the model; choose another name")
	}
	return nil
}

// squeeze gives the characters of a value without white space.
func squeeze(value string) []rune {
	return []rune(strings.Join(strings.Fields(value), ""))
}
