package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"fara/env"
	"fara/judge"
	"fara/model"
	"fara/policy"
	"fara/secret"
	"fara/trajectory"
)

// secretFlags say which values a run may type without its model knowing them.
type secretFlags struct {
	given []string
	store *secret.Store // what they come to; nil without any
}

func (s *secretFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&s.given, "secret", nil, "a `secret` that the model types by its name alone, as NAME=env:VARIABLE@site, NAME=file:PATH@site or, for one-time codes, NAME=totp:env:VARIABLE@site; several sites are separated by commas (may be repeated)")
}

// keepSecrets reads the secrets and takes their values out of all that is printed
// from here on. kept are those of a run that goes on, as its folder has them: values
// are read again, and what is given anew wins.
func (p *program) keepSecrets(s *secretFlags, kept []string) error {
	var err error
	if s.store, err = p.readSecrets(s.given, kept); err != nil {
		return err
	}
	p.secrets = s.store
	p.stdout, p.stderr = s.store.Writer(p.stdout, ours), s.store.Writer(p.stderr, ours)
	return nil
}

// readSecrets reads secrets, and those that a run had.
func (p *program) readSecrets(given, kept []string) (*secret.Store, error) {
	read := secret.Reader{Getenv: p.getenv, Site: secretSite}
	var all []secret.Secret
	for _, text := range given {
		one, err := read.Parse(text)
		if err != nil {
			return nil, usage("--secret %w", err)
		}
		all = append(all, one)
	}
	all, err := again(all, kept, read)
	if err != nil {
		return nil, err
	}
	store, err := secret.New(all...)
	if err != nil {
		return nil, usage("--secret %w", err)
	}
	return store, nil
}

// again adds the secrets of a run that goes on to those that were given. All that
// cannot be read are named at once.
func again(given []secret.Secret, kept []string, read secret.Reader) ([]secret.Secret, error) {
	has := func(name string) bool {
		return slices.ContainsFunc(given, func(s secret.Secret) bool { return s.Name == name })
	}
	all := slices.Clone(given)
	var missing []string
	for _, text := range kept {
		name, from, _ := strings.Cut(text, "=")
		if has(name) {
			continue
		}
		one, err := read.Parse(text)
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s (from %s: %s)", name, from, strings.TrimPrefix(err.Error(), name+": ")))
		}
		all = append(all, one)
	}
	if len(missing) > 0 {
		return nil, usage("the values of secrets are not kept with a run, and some cannot be read again: %s; make them readable, or give each anew with --secret NAME=env:VARIABLE@site", strings.Join(missing, ", "))
	}
	return all, nil
}

// unknownTo is an error when a secret is given to a run whose model was not told of
// it.
func (s *secretFlags) unknownTo(kept []string) error {
	for _, name := range s.store.Names() {
		if !slices.ContainsFunc(kept, func(k string) bool { return strings.HasPrefix(k, name+"=") }) {
			return usage("--secret %s: the run was begun without it, so its model cannot know the name; start a new run with fara run", name)
		}
	}
	return nil
}

// recall tells of what the run typed before it stopped.
func (s *secretFlags) recall(events []trajectory.Event) {
	for _, e := range events {
		if e.Acting != nil {
			s.store.Recall(e.Acting.Action.Text, e.At)
		}
	}
}

func secretSite(text string) (secret.Site, error) {
	site, err := policy.ParseSite(text)
	return secret.Site{Name: site.String(), Covers: site.Covers}, err
}

// names are the secrets as the model is told of them.
func (s *secretFlags) names() []trajectory.Secret {
	var out []trajectory.Secret
	for _, one := range s.store.All() {
		named := trajectory.Secret{Name: one.Name}
		for _, site := range one.Sites {
			named.Sites = append(named.Sites, site.Name)
		}
		out = append(out, named)
	}
	return out
}

// clean is what a run's folder is written through; nil without secrets.
func (s *secretFlags) clean() func([]byte) []byte {
	if s.store == nil {
		return nil
	}
	return func(text []byte) []byte { return s.store.CleanJSON(text, ours) }
}

// task is what was asked, cleaned.
func (s *secretFlags) task(t trajectory.Task) (trajectory.Task, error) {
	if s.store == nil {
		return t, nil
	}
	raw, err := json.Marshal(t)
	if err != nil {
		return t, err
	}
	var cleaned trajectory.Task
	err = json.Unmarshal(s.store.CleanJSON(raw, ours), &cleaned)
	return cleaned, err
}

// chat cleans what a model writes, but for the words that it was taught.
func (s *secretFlags) chat(next model.Chatter, words string) model.Chatter {
	if s.store == nil {
		return next
	}
	return cleanChat{next, s.store, words}
}

type cleanChat struct {
	model.Chatter
	store *secret.Store
	words string
}

// Chat cleans the reply.
func (c cleanChat) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	reply, err := c.Chatter.Chat(ctx, req, until)
	reply.Text, reply.Thinking = c.store.CleanReply(reply.Text, c.words), c.store.CleanReply(reply.Thinking, c.words)
	reply.Calls = slices.Clone(reply.Calls)
	for i, call := range reply.Calls {
		reply.Calls[i].Arguments = c.store.CleanReply(call.Arguments, c.words)
	}
	return reply, err
}

// page cleans what verifiers are told of a page.
func (s *secretFlags) page(next judge.Inspector) judge.Inspector { return cleanPage{next, s.store} }

type cleanPage struct {
	judge.Inspector
	store *secret.Store
}

// Inspect cleans the evidence.
func (c cleanPage) Inspect(ctx context.Context, q env.Query) (env.Evidence, error) {
	e, err := c.Inspector.Inspect(ctx, q)
	return c.store.Evidence(e), err
}

// state gives what a browser needs to go on from where it is, without values: an
// address that holds one is kept without what follows its path, so that a page is not
// asked for once more with something else in its place. The rest is cleaned when it
// is written.
func (s *secretFlags) state(next func(context.Context) ([]byte, error)) func(context.Context) ([]byte, error) {
	if s.store == nil {
		return next
	}
	return func(ctx context.Context) ([]byte, error) {
		raw, err := next(ctx)
		if err != nil {
			return nil, err
		}
		var state map[string]json.RawMessage
		var tabs []map[string]any
		if json.Unmarshal(raw, &state) != nil || json.Unmarshal(state["tabs"], &tabs) != nil {
			return raw, nil
		}
		for _, tab := range tabs {
			if address, ok := tab["url"].(string); ok {
				tab["url"] = s.harmless(address)
			}
			// What stands for a value is nothing to put back into a field.
			if entered, err := json.Marshal(tab["entered"]); err == nil && s.store.Clean(string(entered)) != string(entered) {
				delete(tab, "entered")
			}
		}
		if state["tabs"], err = json.Marshal(tabs); err != nil {
			return nil, err
		}
		return json.Marshal(state)
	}
}

// harmless is as much of an address as holds no value.
func (s *secretFlags) harmless(address string) string {
	if s.store.Clean(address) == address {
		return address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "about:blank"
	}
	u.RawQuery, u.Fragment, u.RawFragment = "", "", ""
	if short := u.String(); s.store.Clean(short) == short {
		return short
	}
	u.Path, u.RawPath = "/", ""
	if short := u.String(); s.store.Clean(short) == short {
		return short
	}
	return "about:blank"
}
