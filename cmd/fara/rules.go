package main

import (
	"slices"

	"github.com/spf13/pflag"

	"fara/policy"
	"fara/userfile"
)

// ruleFlags say what a run may do in the world without a person's yes.
type ruleFlags struct {
	file, approve string
	flags         *pflag.FlagSet

	// text is what the file holds, once it was read. A run that goes on sets it
	// beforehand, so that its rules stay what they were.
	text []byte
}

func (r *ruleFlags) register(f *pflag.FlagSet) {
	f.StringVar(&r.file, "policy", "", "a YAML or JSON `file` with sites, schemes and rules about what a run may do")
	f.StringVar(&r.approve, "approve", string(policy.Risky), "what a person is asked about before it is done: never, risky (sending forms, buying, paying, deleting ...) or always")
	r.flags = f
}

// base gives the policy of the file, or the one without a file.
func (r *ruleFlags) base() (policy.Policy, error) {
	mode := policy.Approve(r.approve)
	if !slices.Contains(policy.Approvals(), mode) {
		return policy.Policy{}, usage("--approve %q is unknown; use never, risky or always", r.approve)
	}
	p := policy.Policy{Approve: mode}
	if r.file == "" && r.text == nil {
		if r.flags.Changed("policy") {
			return p, usage("--policy names no file; give one, or leave it out")
		}
		return p, nil
	}
	if r.text == nil {
		raw, err := userfile.Text(r.file)
		if err != nil {
			return p, usage("--policy: %w", err)
		}
		r.text = raw
	}
	p, err := policy.Parse(r.file, r.text)
	if err != nil {
		return p, usage("--policy: %w", err)
	}
	if r.flags.Changed("approve") || p.Approve == "" {
		p.Approve = mode
	}
	return p, nil
}
