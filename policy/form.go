package policy

import (
	"slices"
	"strings"

	"fara/env"
)

// choices are the types of fields that carry a choice and no words.
var choices = map[string]bool{
	"checkbox": true, "radio": true, "select": true, "select-one": true, "select-multiple": true, "range": true, "color": true,
	"number": true, "date": true, "time": true, "datetime-local": true, "month": true, "week": true, "file": true, "hidden": true,
}

// sendForm is what sending a form does. typing says that the field hit gets text
// before.
func sendForm(hit *env.Element, form *env.Form, typing bool, found set, does effect) effect {
	does.target = form.Action
	button := !field(hit)
	post := form.Method == "post"
	does.posts = post
	fields := form.Fields
	if typing {
		fields = append(slices.Clone(fields), env.Field{Type: cmpType(hit), Name: hit.Name, Autocomplete: hit.Autocomplete, Filled: true})
	}
	carried := carries(fields, post)
	seeks := searches(hit, form, fields)
	if !seeks {
		found.add(carried.list()...)
	}
	if button {
		found.add(wordClasses(hit, !seeks)...)
	}
	if post {
		found.add(formTarget(form)...)
	}
	return does
}

// cmpType is a field's type as Form has it.
func cmpType(hit *env.Element) string {
	switch {
	case hit.Type != "":
		return hit.Type
	case hit.Tag == "input":
		return "text"
	}
	return hit.Tag
}

// pressForm is what a button does that stands in a form and does not send it by
// itself: a script may. Its words have to say so.
func pressForm(hit *env.Element, found set) {
	if hit.Form == nil || hit.Type == "reset" {
		return
	}
	if says("submit", true, hit.Name, hit.Text) || found[Buy] || found[Pay] || found[Send] {
		found.add(carries(hit.Form.Fields, false).list()...)
	}
}

// carries is what the filled fields of a form make of sending it. free says that
// any free text counts, and not personal data alone.
func carries(fields []env.Field, free bool) set {
	found := set{}
	for _, f := range fields {
		switch {
		case !f.Filled || f.Type == "hidden":
			continue
		case f.Type == "file":
			found.add(Upload, Submit)
			continue
		case card(f):
			found.add(Pay, Submit)
		case secretField(f.Type, f.Autocomplete, f.Name):
			found.add(Credentials, Submit)
		}
		if personal(f.Type, f.Autocomplete) || free && !choices[f.Type] {
			found.add(Submit)
		}
	}
	return found
}

// card reports whether a field takes a means of payment.
func card(f env.Field) bool {
	return autocomplete(f.Autocomplete, func(t string) bool { return strings.HasPrefix(t, "cc-") }) ||
		!choices[f.Type] && says("card", false, f.Name)
}

// secretField reports whether what is typed into a field is a password, a part of
// a card, or a one-time code.
func secretField(kind, auto, name string) bool {
	switch {
	case kind == "password":
		return true
	case choices[kind] && kind != "number" || kind == "search":
		return false
	}
	secret := func(t string) bool {
		return strings.HasSuffix(t, "-password") || t == "one-time-code" || strings.HasPrefix(t, "cc-")
	}
	return autocomplete(auto, secret) || says("secret", false, name) || says("card", false, name)
}

// personal reports whether a field takes data about a person, or a text as people
// write it.
func personal(kind, auto string) bool {
	switch kind {
	case "email", "tel", "password", "textarea", "contenteditable", "file":
		return true
	}
	return autocomplete(auto, func(t string) bool {
		for _, own := range []string{"name", "given-", "additional-", "family-", "honorific-", "nickname", "username", "email", "tel", "street-", "address-", "bday", "cc-", "sex", "impp", "photo", "organization", "transaction-amount"} {
			if strings.HasPrefix(t, own) {
				return true
			}
		}
		return false
	})
}

// autocomplete reports whether one of the words of an autocomplete attribute is
// meant.
func autocomplete(value string, meant func(string) bool) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(value)), meant)
}

// searches reports whether a form looks for something: its words say so, and
// nothing personal is in it.
func searches(hit *env.Element, form *env.Form, fields []env.Field) bool {
	texts, own := 0, false
	words := []string{form.Name}
	if !field(hit) || hit.Type == "search" || hit.Role == "searchbox" {
		words = append(words, hit.Name, hit.Text)
	}
	for _, f := range fields {
		area := f.Type == "textarea" || f.Type == "contenteditable"
		if !choices[f.Type] && f.Type != "hidden" {
			texts++
			words = append(words, f.Name)
		}
		own = own || f.Type == "search"
		if secretField(f.Type, f.Autocomplete, f.Name) || card(f) || f.Type == "file" || personal(f.Type, f.Autocomplete) && !area {
			return false
		}
	}
	if form.Method == "post" && texts > 2 {
		return false
	}
	return own && texts == 1 || hit.Role == "searchbox" || says("search", true, words...)
}

// formTarget is what the address that a form is sent to, or its name, says.
func formTarget(form *env.Form) []Class {
	var out []Class
	last := lastWords(form.Action)
	for _, c := range []Class{Buy, Pay, Send, Delete, Sign} {
		if slices.ContainsFunc(last, func(segment []string) bool { return deed(c, segment) }) || c == Delete && deed(c, addressWords(form.Name)) {
			out = append(out, c)
		}
	}
	return out
}
