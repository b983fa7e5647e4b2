package policy

import (
	"fmt"
	"slices"
	"strings"

	"fara/userfile"
)

// kind is what a policy's file is called in faults.
var kind = userfile.Kind{Noun: "policy", See: "it takes sites, private_network, schemes, approve and rules"}

// written is a policy as a file has it.
type written struct {
	Sites struct {
		Allow userfile.Texts `json:"allow"`
		Deny  userfile.Texts `json:"deny"`
	} `json:"sites"`
	PrivateNetwork bool           `json:"private_network"`
	Schemes        userfile.Texts `json:"schemes"`
	Approve        Approve        `json:"approve"`
	Rules          []writtenRule  `json:"rules"`
}

type writtenRule struct {
	Class userfile.Texts `json:"class"`
	Site  userfile.Texts `json:"site"`
	Do    Do             `json:"do"`
}

// Parse reads a policy from the text of a user's file, in YAML or JSON; name is the
// file's. What is wrong in it is a *userfile.Fault with file and line.
func Parse(name string, raw []byte) (Policy, error) {
	var w written
	file, err := kind.Decode(name, raw, &w)
	if err != nil {
		return Policy{}, err
	}
	return w.policy(file)
}

// policy checks what was written; the faults are at their lines.
func (w written) policy(file *userfile.File) (p Policy, err error) {
	if p.Allow, err = sitesOf(file, "$.sites.allow", w.Sites.Allow); err != nil {
		return Policy{}, err
	}
	if p.Deny, err = sitesOf(file, "$.sites.deny", w.Sites.Deny); err != nil {
		return Policy{}, err
	}
	for i, allow := range p.Allow {
		if at := slices.IndexFunc(p.Deny, func(deny Site) bool { return deny.includes(allow) }); at >= 0 {
			return Policy{}, file.Fault(fmt.Sprintf("$.sites.allow[%d]", i), fmt.Sprintf("%s is allowed here, and denied by %s; leave one of the two out", allow, p.Deny[at]))
		}
	}
	if w.PrivateNetwork {
		p.Network = Any
	}
	if p.Approve = w.Approve; p.Approve != "" && !slices.Contains(Approvals(), p.Approve) {
		return Policy{}, file.Fault("$.approve", fmt.Sprintf("approve is one of %s; %q is none", listed(Approvals()), p.Approve))
	}
	if p.Schemes, err = schemesOf(file, w.Schemes); err != nil {
		return Policy{}, err
	}
	if p.Rules, err = rulesOf(file, w.Rules); err != nil {
		return Policy{}, err
	}
	return p, nil
}

// sitesOf reads sites. A list that is there and empty is a fault: it would allow
// everything, or deny nothing, by mistake.
func sitesOf(file *userfile.File, path string, texts userfile.Texts) ([]Site, error) {
	if texts != nil && len(texts) == 0 {
		return nil, file.Fault(path, "the list is empty; name a site, such as example.com, or leave it out")
	}
	var out []Site
	for i, text := range texts {
		s, err := ParseSite(text)
		if err != nil {
			return nil, file.Fault(fmt.Sprintf("%s[%d]", path, i), err.Error())
		}
		out = append(out, s)
	}
	return out, nil
}

func schemesOf(file *userfile.File, texts userfile.Texts) ([]string, error) {
	if texts != nil && len(texts) == 0 {
		return nil, file.Fault("$.schemes", "the list is empty; name http, https or both, or leave it out")
	}
	var out []string
	for i, text := range texts {
		if text != "http" && text != "https" {
			return nil, file.Fault(fmt.Sprintf("$.schemes[%d]", i), fmt.Sprintf("%q is no scheme of pages; it is http or https", text))
		}
		out = append(out, text)
	}
	return out, nil
}

func rulesOf(file *userfile.File, rules []writtenRule) ([]Rule, error) {
	var out []Rule
	for i, w := range rules {
		at := fmt.Sprintf("$.rules[%d]", i)
		r := Rule{Do: w.Do}
		if !slices.Contains(dos(), r.Do) {
			return nil, file.Fault(at+".do", fmt.Sprintf("do is one of %s", listed(dos())))
		}
		if w.Class != nil && len(w.Class) == 0 {
			return nil, file.Fault(at+".class", "the list is empty; name a class, or leave class out for every action")
		}
		for j, name := range w.Class {
			c := Class(name)
			if !slices.Contains(Classes(), c) {
				return nil, file.Fault(fmt.Sprintf("%s.class[%d]", at, j), fmt.Sprintf("there is no class %q; it is one of %s", name, listed(Classes())))
			}
			r.Classes = append(r.Classes, c)
		}
		var err error
		if r.Sites, err = sitesOf(file, at+".site", w.Site); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	if i, err := shadowed(out); err != nil {
		return nil, file.Fault(fmt.Sprintf("$.rules[%d]", i), err.Error()+"; put the narrower one first, or leave one out")
	}
	return out, nil
}

func listed[T ~string](values []T) string { return strings.Join(names(values), ", ") }
