package policy

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"fara/env"
)

// The codes of decisions about actions.
const (
	CodeDefault   = "default"        // nothing speaks against it
	CodeNever     = "approve_never"  // it has classes, and nobody wants to be asked
	CodeRisky     = "approve_risky"  // one of its classes is risky
	CodeAlways    = "approve_always" // a person wants to be asked about every action
	CodeBound     = "secret_bound"   // it types secrets where the user wants them typed
	CodeRuleAllow = "rule_allow"     // a rule allows all of it
	CodeRuleAsk   = "rule_ask"       // a rule has a person asked
	CodeRuleDeny  = "rule_deny"      // a rule denies it
	CodeSubmit    = "submit_denied"  // a page wanted to send a form, and a rule denies that
)

// Decision is what the policy says about an action.
type Decision struct {
	Do Do
	// Code is a stable name for what decided.
	Code string
	// Text says it in one line; empty when the action is allowed. It repeats no
	// words of the page.
	Text string
	// Classes are what the action was taken for; none is nothing in particular.
	Classes []Class
}

// Stricter reports whether more stands in the way of an action than another decision
// has it: asking is stricter than allowing, and denying than both.
func (d Decision) Stricter(than Decision) bool { return stricter(d.Do, than.Do) }

// Judge decides about an action. hit is the element that it is about to reach,
// nil when there is none; page is the address of the page in front.
//
// The rules decide first, for each of its classes, and the strictest decision
// holds. What no rule decides goes by Approve. Looking around (scrolling, moving
// the pointer, waiting, going back) is always allowed.
func (p Policy) Judge(act env.Action, hit *env.Element, page string) Decision {
	if looks(act.Kind) {
		return Decision{Do: Allow, Code: CodeDefault}
	}
	did := classify(act, hit)
	did.bound = p.Bound != nil && p.Bound(act, hit, page)
	d := p.weigh(act, did, page)
	if did.posts && d.Do != Deny {
		// Whoever lets no form be sent means those without free text, too.
		if r := p.rule(Submit, did.places(page)); r != nil && r.Do == Deny {
			with := set{Submit: true}
			with.add(did.classes...)
			did.classes = with.list()
			d = p.weigh(act, did, page)
		}
	}
	if d.Do != Allow {
		d.Text = reason(act, d, page)
	}
	return d
}

// looks reports whether actions of a kind change nothing.
func looks(k env.Kind) bool {
	switch k {
	case env.MouseMove, env.RightClick, env.Scroll, env.HScroll, env.HistoryBack, env.Wait:
		return true
	}
	return !k.InBrowser()
}

// weigh decides about the classes together.
func (p Policy) weigh(act env.Action, did effect, page string) Decision {
	d := Decision{Do: Allow, Code: CodeDefault, Classes: did.classes}
	each := did.classes
	if len(each) == 0 {
		each = []Class{""}
	}
	for i, c := range each {
		do, code := p.decide(act, c, did, page)
		if i == 0 || stricter(do, d.Do) {
			d.Do, d.Code = do, code
		}
	}
	return d
}

func stricter(a, b Do) bool { return slices.Index(dos(), a) > slices.Index(dos(), b) }

// decide decides about one class, empty for none.
func (p Policy) decide(act env.Action, class Class, did effect, page string) (Do, string) {
	if r := p.rule(class, did.places(page)); r != nil {
		return r.Do, map[Do]string{Allow: CodeRuleAllow, Ask: CodeRuleAsk, Deny: CodeRuleDeny}[r.Do]
	}
	known := act.Kind == env.VisitURL && slices.Contains(p.Trusted, act.URL)
	switch {
	case p.Approve == Always && !known:
		return Ask, CodeAlways
	case class == "" || !class.Risky():
		return Allow, CodeDefault
	case p.Approve == Never:
		return Allow, CodeNever
	case class == Credentials && did.bound:
		return Allow, CodeBound
	}
	return Ask, CodeRisky
}

// reason says why an action is not simply done, without words of the page.
func reason(act env.Action, d Decision, page string) string {
	what := strings.ReplaceAll(string(act.Kind), "_", " ")
	if act.Point != nil {
		what += " at " + act.Point.String()
	}
	if u, err := url.Parse(page); err == nil && u.Host != "" {
		what += " on " + placeOf(u).String()
	}
	return what + counts(d)
}

// counts says what something counts as, and what follows from it.
func counts(d Decision) string {
	what := " was proposed"
	if len(d.Classes) > 0 {
		what = " counts as " + strings.Join(names(d.Classes), ", ")
	}
	if d.Do == Deny {
		return what + ", which the rules of this run deny"
	}
	return what + ", which needs a person's yes"
}

// Document says whether a document may be asked for by this method: nil, or why
// not. Beside what Show says, a rule that denies Submit lets no form be sent by
// POST to or from its sites, whatever led to it. from is the address of the page
// that asks; empty when that is not known.
func (p Policy) Document(method, address, from string) *Refusal {
	if refusal := p.Show(address); refusal != nil {
		return refusal
	}
	if m := strings.ToUpper(method); m == "" || m == "GET" || m == "HEAD" {
		return nil
	}
	if r := p.rule(Submit, placesOf(address, from)); r != nil && r.Do == Deny {
		return &Refusal{CodeSubmit, fmt.Sprintf("nothing may be sent to %s by %s", siteOf(address), strings.ToUpper(method))}
	}
	return nil
}

func siteOf(address string) string {
	for _, at := range placesOf(address) {
		return at.String()
	}
	return "this address"
}

// placesOf gives the places of web addresses; others have none.
func placesOf(addresses ...string) []place {
	var out []place
	for _, a := range addresses {
		if u, err := url.Parse(strings.TrimPrefix(a, "blob:")); err == nil && isWeb(u) && u.Host != "" {
			out = append(out, placeOf(u))
		}
	}
	return out
}
