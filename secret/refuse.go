package secret

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"fara/env"
)

// used are the secrets that a text to be typed has Marks of, or the value itself,
// which only a page can have told. The error is an *env.ActionError when one is
// not known.
func (st *Store) used(text string) ([]Secret, error) {
	var used []Secret
	for _, m := range mark.FindAllStringSubmatch(text, -1) {
		s, ok := st.lookup(m[1])
		if !ok {
			return nil, st.unknown()
		}
		used = append(used, s)
	}
	if rest := strings.ToLower(mark.ReplaceAllString(text, "")); strings.Contains(rest, "<secret>") || strings.Contains(rest, "</secret>") {
		return nil, env.Fail(CodeUnknown, "a secret is written %s, with nothing else between the two", Mark("NAME"))
	}
	if name := st.holds(text); name != "" {
		s, _ := st.lookup(name)
		used = append(used, s)
	}
	return used, nil
}

// mentioned reports whether a text to be typed has to do with secrets.
func (st *Store) mentioned(text string) bool {
	return mark.MatchString(text) || st.holds(text) != "" || strings.Contains(strings.ToLower(text), "secret>")
}

func (st *Store) unknown() error {
	names := st.Names()
	if len(names) == 0 {
		return env.Fail(CodeUnknown, "there is no secret of that name, nor any other; nothing was typed. Ask the user, who gives secrets with --secret")
	}
	return env.Fail(CodeUnknown, "there is no secret of that name; nothing was typed. There are: %s", strings.Join(names, ", "))
}

// fillIn puts values in the place of Marks.
func (st *Store) fillIn(ctx context.Context, text string) (string, error) {
	var failed error
	filled := mark.ReplaceAllStringFunc(text, func(m string) string {
		s, _ := st.lookup(mark.FindStringSubmatch(m)[1])
		value, err := s.fill(ctx)
		failed = cmp.Or(failed, err)
		return value
	})
	if failed != nil {
		return "", failed
	}
	return filled, nil
}

// fits says why a secret may not be typed into an element of a page: nil, or an
// *env.ActionError.
func (s Secret) fits(page string, hit *env.Element) error {
	switch {
	case hit == nil:
		return env.Fail(CodeSite, "the secret %s was not typed: nothing that takes text is there or has the focus; click its field first", s.Name)
	case !s.covers(page):
		return env.Fail(CodeSite, "the secret %s was not typed: it is for %s, and the page in front is of %s", s.Name, s.siteNames(), place(page))
	case !s.covers(hit.Document):
		return env.Fail(CodeSite, "the secret %s was not typed: it is for %s, and this part of the page is of %s", s.Name, s.siteNames(), place(hit.Document))
	case hit.Form != nil && !s.goesTo(hit.Form.Action):
		return env.Fail(CodeForm, "the secret %s was not typed: it is for %s, and this form sends what is in it to %s", s.Name, s.siteNames(), place(hit.Form.Action))
	}
	return nil
}

// Binds reports whether an action types nothing but secrets, each into a field of
// its own sites: what the user gave it for. page is the page in front.
func (st *Store) Binds(act env.Action, hit *env.Element, page string) bool {
	if act.Kind != env.Type || strings.TrimSpace(mark.ReplaceAllString(act.Text, "")) != "" {
		return false
	}
	used, err := st.used(act.Text)
	if err != nil || len(used) == 0 {
		return false
	}
	for _, s := range used {
		if s.fits(page, hit) != nil {
			return false
		}
	}
	return true
}

// goesTo reports whether a form with this address keeps to the secret's sites. One
// without an address goes where its document is from; a script of the document can
// do what it likes in either case.
func (s Secret) goesTo(action string) bool {
	u, err := url.Parse(action)
	if err != nil {
		return false
	}
	return slices.Contains([]string{"", "javascript", "about"}, strings.ToLower(u.Scheme)) || s.covers(action)
}

// place names where an address leads, without what else is in it.
func place(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" && u.Scheme == "":
		return "nowhere that has a name"
	case u.Host == "":
		return u.Scheme + ":"
	}
	return u.Host
}

// misplaced says what of an action holds a secret though it may not: nil, or an
// *env.ActionError. An address of the secret's own site may hold the value: the
// user may have begun with it.
func (st *Store) misplaced(act env.Action) error {
	address := act.URL
	for range maxDepth {
		next, err := url.QueryUnescape(address)
		if err != nil || next == address {
			break
		}
		if mark.MatchString(address) {
			break
		}
		address = next
	}
	switch {
	case mark.MatchString(address):
		return env.Fail(CodePlace, "a secret cannot stand in an address or a search; open the page and type it into its field")
	case slices.ContainsFunc(act.Keys, mark.MatchString) || mark.MatchString(strings.Join(act.Keys, "")):
		return env.Fail(CodePlace, "a secret cannot be pressed as keys; type it")
	}
	if name := st.holds(act.URL); name != "" {
		if s, _ := st.lookup(name); !s.covers(act.URL) {
			return env.Fail(CodeSite, "the address holds the value of the secret %s, which is for %s; it was not opened", name, s.siteNames())
		}
	}
	return nil
}
