package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"fara/judge"
	"fara/userfile"
)

// verifyFlags say what answers are held to.
type verifyFlags struct {
	schema string
	checks files
	// asserts are assertions as they stand on the command line.
	asserts                 []string
	verify                  bool
	model, endpoint, apiKey string

	// chain is what they come to, but for the model. contents are the files' texts, to
	// be kept with a run: what is checked does not change with the files.
	chain    judge.Chain
	contents map[string]string
}

// assertionHelp is the language of assertions in short.
const assertionHelp = `Assertions stand one a line in a file for --check, or in --assert:
  url is https://shop.test/order/*         title contains Thank you
  text does not contain Sold out           text matches /order \d+/i
  element "#cart .total" number is 12.5 €  element #agree is checked
  element .row count >= 3                  cookie session exists
  download *.csv exists                    request POST /order count is 1
  answer number is 1234.5 within 0.01      not answer is empty
"any of" and "none of" hold for the lines indented below them. * stands for any characters
in addresses and file names; case and white space do not count in texts; quotes are for
names with spaces.`

func (v *verifyFlags) register(f *pflag.FlagSet) {
	f.StringVar(&v.schema, "answer-schema", "", "a `file` with the JSON Schema that the answer has to fit")
	v.checks.kind = "file"
	f.Var(&v.checks, "check", "a `file` of assertions on answer, page and run, one a line (may be repeated)")
	f.StringArrayVar(&v.asserts, "assert", nil, "an `assertion`, such as: url contains /done (may be repeated)")
	f.BoolVar(&v.verify, "verify", false, "have a model that sees judge the answer")
	f.StringVar(&v.model, "verify-model", "", "the model that judges (default: the run's own)")
	f.StringVar(&v.endpoint, "verify-endpoint", "", "the `address` of the judging model's server (default: the run's own)")
	f.StringVar(&v.apiKey, "verify-api-key", "", "that server's key; better given as FARA_VERIFY_API_KEY")
}

// check reads the files; kept are the contents of those of a run that goes on, which
// are taken in their place.
func (v *verifyFlags) check(kept map[string]string) error {
	v.verify = v.verify || v.model != "" || v.endpoint != ""
	v.contents, v.chain = map[string]string{}, judge.Chain{}
	if v.schema != "" {
		raw, err := v.read("answer-schema", v.schema, kept)
		if err != nil {
			return err
		}
		if v.chain.Schema, err = judge.ParseSchema(v.schema, raw); err != nil {
			return usage("%w", err)
		}
	}
	var all judge.Assertions
	for _, path := range v.checks.values {
		raw, err := v.read("check", path, kept)
		if err != nil {
			return err
		}
		more, err := judge.Parse(path, raw)
		if err != nil {
			return usage("%w", err)
		}
		all = all.And(more)
	}
	for _, text := range v.asserts {
		more, err := parseAssert(text)
		if err != nil {
			return usage("%w", err)
		}
		all = all.And(more)
	}
	if all.Len() > 0 {
		v.chain.Assertions = &all
	}
	return nil
}

// read gives a file's text, kept or not, and remembers it by the flag and the whole
// path.
func (v *verifyFlags) read(flag, path string, kept map[string]string) ([]byte, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, usage("--%s: %w", flag, err)
	}
	name := flag + " " + whole
	text, ok := kept[name]
	if !ok {
		raw, err := userfile.Text(path)
		if err != nil {
			return nil, usage("--%s: %w", flag, err)
		}
		text = string(raw)
	}
	v.contents[name] = text
	return []byte(text), nil
}

// parseAssert reads --assert, which is mostly one line.
func parseAssert(text string) (judge.Assertions, error) {
	a, err := judge.Parse("", []byte(text))
	var f *userfile.Fault
	if errors.As(err, &f) {
		f.File = "--assert"
		if !strings.Contains(strings.TrimSpace(text), "\n") {
			f.Line, f.Text = 0, fmt.Sprintf("%q: %s", cut(text, 100), f.Text)
		}
	}
	return a, err
}

// any reports whether answers are held to anything.
func (v *verifyFlags) any() bool {
	return v.verify || v.chain.Schema != nil || v.chain.Assertions != nil
}

// answerSchema is the schema that the answer has to fit; empty when it is free.
func (v *verifyFlags) answerSchema() string {
	if v.chain.Schema == nil {
		return ""
	}
	return v.chain.Schema.Text()
}

// connect finds the model that judges, when one does: own, on own's server, where
// the flags name no other. It is asked before a run begins, so that a server that is
// not there is found then.
func (v *verifyFlags) connect(ctx context.Context, log *slog.Logger, own *modelFlags, srv *server) error {
	switch {
	case !v.verify:
		return nil
	case v.model == "" && v.endpoint == "":
		v.chain.Model = &judge.Model{Chat: srv.chat, Name: own.model}
		return nil
	}
	other := *own
	other.model, other.measured = v.model, nil
	if v.endpoint != "" {
		other.api, other.apiKey = "auto", v.apiKey
		other.servers = []place{{v.endpoint, v.apiKey, other.api}}
		if err := checkPlaces(other.servers); err != nil {
			return usage("--verify-endpoint: %s", strings.TrimPrefix(err.Error(), "--endpoint: "))
		}
	}
	judging, err := other.connect(ctx, log)
	if err != nil {
		return fmt.Errorf("the judging model: %w", err)
	}
	v.chain.Model = &judge.Model{Chat: judging.chat, Name: other.model}
	return nil
}
