package secret

import (
	"errors"
	"slices"

	"fara/env"
)

// observation is what a page shows without the values in its words. The picture
// is not looked at.
func (st *Store) observation(o env.Observation) env.Observation {
	o.URL, o.Title = st.cleanShown(o.URL), st.cleanShown(o.Title)
	o.Tabs, o.Notes = slices.Clone(o.Tabs), slices.Clone(o.Notes)
	for i, tab := range o.Tabs {
		o.Tabs[i].URL, o.Tabs[i].Title = st.cleanShown(tab.URL), st.cleanShown(tab.Title)
	}
	for i, n := range o.Notes {
		o.Notes[i].Text, o.Notes[i].Quote = st.cleanShown(n.Text), st.cleanShown(n.Quote)
	}
	return o
}

func (st *Store) document(d env.Document) env.Document {
	return env.Document{URL: st.cleanShown(d.URL), Title: st.cleanShown(d.Title), Markdown: st.cleanShown(d.Markdown)}
}

func (st *Store) element(el *env.Element) *env.Element {
	if el == nil {
		return nil
	}
	out := *el
	st.each(&out.Tag, &out.Role, &out.Name, &out.Text, &out.Type, &out.Autocomplete, &out.Link, &out.Document)
	if el.Form != nil {
		form := *el.Form
		st.each(&form.Action, &form.Name)
		form.Fields = slices.Clone(form.Fields)
		for i := range form.Fields {
			st.each(&form.Fields[i].Type, &form.Fields[i].Name, &form.Fields[i].Autocomplete)
		}
		out.Form = &form
	}
	return &out
}

// Evidence is what is known of a page, cleaned. Hashes are left alone.
func (st *Store) Evidence(e env.Evidence) env.Evidence {
	if st == nil {
		return e
	}
	st.each(&e.URL, &e.Title, &e.Text)
	e.Elements, e.Cookies = slices.Clone(e.Elements), slices.Clone(e.Cookies)
	e.Downloads, e.Requests = slices.Clone(e.Downloads), slices.Clone(e.Requests)
	for i := range e.Elements {
		found := slices.Clone(e.Elements[i].Found)
		for k := range found {
			st.each(&found[k].Text, &found[k].Value)
		}
		e.Elements[i].Found = found
		st.each(&e.Elements[i].Problem)
	}
	for i := range e.Cookies {
		st.each(&e.Cookies[i].Name, &e.Cookies[i].Value, &e.Cookies[i].Path)
	}
	for i := range e.Downloads {
		st.each(&e.Downloads[i].Name, &e.Downloads[i].URL)
	}
	for i := range e.Requests {
		st.each(&e.Requests[i].URL)
	}
	return e
}

func (st *Store) each(texts ...*string) {
	for _, text := range texts {
		*text = st.cleanShown(*text)
	}
}

// err is an error without values in what it says; what it wraps stays.
func (st *Store) err(err error) error {
	if err == nil || st == nil {
		return err
	}
	var action *env.ActionError
	if errors.As(err, &action) {
		return &env.ActionError{Code: action.Code, Text: st.cleanShown(action.Text), Err: action.Err}
	}
	if text := st.cleanShown(err.Error()); text != err.Error() {
		return &cleanError{text, err}
	}
	return err
}

type cleanError struct {
	text string
	err  error
}

// Error gives the cleaned text.
func (e *cleanError) Error() string { return e.text }

// Unwrap gives the error itself, for errors.Is and errors.As.
func (e *cleanError) Unwrap() error { return e.err }
