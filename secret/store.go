package secret

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Store knows secrets and takes their values out of texts. A nil Store knows none.
// Several goroutines may use it.
type Store struct {
	secrets []Secret

	mu     sync.Mutex
	known  int // values when search was made
	search search
}

// New gives a store of secrets. Their names must differ, and no name may hold a
// value.
func New(secrets ...Secret) (*Store, error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	st := &Store{secrets: secrets}
	for i, s := range secrets {
		if slices.ContainsFunc(secrets[:i], func(other Secret) bool { return other.Name == s.Name }) {
			return nil, fmt.Errorf("%s is given twice; every secret has a name of its own", s.Name)
		}
		for _, other := range secrets {
			if other.code == nil && strings.Contains(strings.ToLower(s.Name), strings.ToLower(other.value)) {
				return nil, fmt.Errorf("the name %s holds the value of a secret, and names are told to the model; choose another name", other.Name)
			}
		}
	}
	return st, nil
}

// Names are the secrets' names, in the order in which they were given.
func (st *Store) Names() []string {
	var names []string
	for _, s := range st.All() {
		names = append(names, s.Name)
	}
	return names
}

// Strings are the secrets as the command line has them, without their values.
func (st *Store) Strings() []string {
	var out []string
	for _, s := range st.All() {
		out = append(out, s.String())
	}
	return out
}

// All are the secrets, in the order in which they were given.
func (st *Store) All() []Secret {
	if st == nil {
		return nil
	}
	return st.secrets
}

func (st *Store) lookup(name string) (Secret, bool) {
	for _, s := range st.All() {
		if s.Name == name {
			return s, true
		}
	}
	return Secret{}, false
}

// Values are the texts that no picture may show: the values with the one-time
// codes so far, and how programs write them. It grows when a code is typed.
func (st *Store) Values() []string {
	var out []string
	add := func(s string) {
		if len(s) >= minLength && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, s := range st.All() {
		for _, value := range s.values() {
			for _, spelled := range spellings(value) {
				add(spelled)
			}
			for _, n := range needles(s.Name, value) {
				if n.in == anyCase || n.in == asIs {
					add(n.text)
				}
			}
		}
	}
	return out
}

// fill gives what is typed for a secret at this moment. The error is the cause of
// ctx, while a one-time code is waited for.
func (s Secret) fill(ctx context.Context) (string, error) {
	if s.code == nil {
		return s.value, nil
	}
	return s.code.next(ctx)
}

// Recall tells the store that a text with Marks in it was typed at that moment, when
// another Store did it: one-time codes of then are values too.
func (st *Store) Recall(text string, at time.Time) {
	for _, m := range mark.FindAllStringSubmatch(text, -1) {
		if s, ok := st.lookup(m[1]); ok && s.code != nil {
			s.code.recall(at)
		}
	}
}

// searching gives what to look for, with the codes that were given meanwhile.
func (st *Store) searching() search {
	st.mu.Lock()
	defer st.mu.Unlock()
	known := 0
	for _, s := range st.secrets {
		known += len(s.values())
	}
	if known == st.known {
		return st.search
	}
	found := search{}
	for _, s := range st.secrets {
		for _, value := range s.values() {
			found.needles = append(found.needles, needles(s.Name, value)...)
		}
		found.safe = append(found.safe, strings.Map(folded, Mark(s.Name)))
		for _, site := range s.Sites {
			found.safe = append(found.safe, strings.Map(folded, site.Name))
		}
	}
	st.search, st.known = found, known
	return found
}
