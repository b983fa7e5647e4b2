package secret

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"fara/env"
)

// Why a Guard refuses an action.
const (
	CodeSite    env.Code = "secret_site"    // the field belongs to another site than the secret
	CodeUnknown env.Code = "secret_unknown" // there is no secret of that name
	CodePlace   env.Code = "secret_place"   // secrets are typed, and stand nowhere else
	CodeForm    env.Code = "secret_form"    // the field's form would send it to another site
)

// Environment is what a Guard stands before.
type Environment interface {
	Observe(ctx context.Context) (env.Observation, error)
	Perform(ctx context.Context, act env.Action) (env.Outcome, error)
	Read(ctx context.Context) (env.Document, error)
	Aim(ctx context.Context, act env.Action) (*env.Element, error)
}

// Guard is an environment in which secrets are typed by their names, and which
// tells nothing of their values. Its words are cleaned; its pictures are the
// environment's own matter. It belongs to one goroutine at a time, as what it
// stands before.
type Guard struct {
	Environment
	// Store knows the secrets; nil knows none, and then every Mark is of an unknown
	// one.
	Store *Store

	page string // the address of the page that was seen last, as it was
}

// Observe is the environment's, with its words cleaned.
func (g *Guard) Observe(ctx context.Context) (env.Observation, error) {
	obs, err := g.Environment.Observe(ctx)
	g.page = obs.URL
	return g.Store.observation(obs), g.Store.err(err)
}

// Read is the environment's, cleaned.
func (g *Guard) Read(ctx context.Context) (env.Document, error) {
	doc, err := g.Environment.Read(ctx)
	return g.Store.document(doc), g.Store.err(err)
}

// Aim is the environment's, cleaned. An action that Perform would refuse is refused
// already here, so that nobody is asked about it.
func (g *Guard) Aim(ctx context.Context, act env.Action) (*env.Element, error) {
	if err := g.Store.misplaced(act); err != nil {
		return nil, err
	}
	hit, err := g.Environment.Aim(ctx, act)
	if err == nil {
		_, err = g.uses(act, hit)
	}
	return g.Store.element(hit), g.Store.err(err)
}

// Perform types the values of the secrets whose Mark stands in the text of a Type,
// when the page, the document of the field and where its form goes belong to the
// sites of each, and into that document only. Otherwise it does nothing and
// returns an *env.ActionError with a code of this package. All other actions are
// the environment's, as long as no Mark stands in them. What comes back is cleaned
// and does not say how long a value is. For a one-time code it may have to wait.
func (g *Guard) Perform(ctx context.Context, act env.Action) (env.Outcome, error) {
	if err := g.Store.misplaced(act); err != nil {
		return env.Outcome{}, err
	}
	typed, err := g.filled(ctx, act)
	if err != nil {
		return env.Outcome{}, g.Store.err(err)
	}
	out, err := g.Environment.Perform(ctx, typed)
	if typed.Document != act.Document {
		n := strconv.Itoa(utf8.RuneCountInString(typed.Text))
		out.Text = strings.ReplaceAll(out.Text, "typed "+n+" characters", "typed the secret")
	}
	out.Text, out.Hit = g.Store.cleanShown(out.Text), g.Store.element(out.Hit)
	return out, g.Store.err(err)
}

// filled is the action with the values in their places.
func (g *Guard) filled(ctx context.Context, act env.Action) (env.Action, error) {
	if act.Kind != env.Type || !g.Store.mentioned(act.Text) {
		return act, nil
	}
	hit, err := g.Environment.Aim(ctx, act)
	if err != nil {
		return act, err
	}
	if used, err := g.uses(act, hit); err != nil || !used {
		return act, err
	}
	act.Document = hit.Document
	act.Text, err = g.Store.fillIn(ctx, act.Text)
	return act, err
}

// uses reports whether an action types secrets into the element that it reaches.
// The error is an *env.ActionError when one of them may not be.
func (g *Guard) uses(act env.Action, hit *env.Element) (bool, error) {
	if act.Kind != env.Type {
		return false, nil
	}
	used, err := g.Store.used(act.Text)
	if err != nil {
		return false, err
	}
	for _, s := range used {
		if err := s.fits(g.page, hit); err != nil {
			return false, err
		}
	}
	return len(used) > 0, nil
}
