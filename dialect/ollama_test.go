package dialect_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"fara/dialect"
	"fara/model"
	"fara/model/ollama"
	"fara/model/ollama/ollamatest"
	"fara/parse"
)

// TestWhateverTheSchemaLetsThroughIsACall asks a model that talks nonsense. Its
// server's grammar alone makes calls of it: of every reply that has an end.
func TestWhateverTheSchemaLetsThroughIsACall(t *testing.T) {
	client, err := ollama.New(ollama.Config{Endpoint: ollamatest.Start(t), Model: ollamatest.Vision, NumCtx: 4096})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range dialect.Names() {
		d := get(t, name)
		if d.Schema() == nil {
			continue
		}
		t.Run(name, func(t *testing.T) { constrained(t, client, d) })
	}
}

// constrained asks with the whole schema, and with that of each action alone: a
// model that talks nonsense likes some first letters more than others.
func constrained(t *testing.T, client *ollama.Client, d dialect.Dialect) {
	var calls []string
	for _, temperature := range []float64{0, 0.7, 1.5, 2.5} {
		for seed := range 3 {
			calls = append(calls, nonsense(t, client, d, temperature, seed))
		}
	}
	for _, action := range d.Actions {
		alone := d
		alone.Actions = []dialect.Named{action}
		var got []string
		for seed := range 3 {
			got = append(got, nonsense(t, client, alone, 1.5, seed))
		}
		if !slices.Contains(got, string(action.Name)) {
			t.Errorf("%s alone: got the calls %q, want one of it", action.Name, got)
		}
		calls = append(calls, got...)
	}
	ended := len(slices.DeleteFunc(slices.Clone(calls), func(call string) bool { return call == "" }))
	if ended < len(calls)*3/4 {
		t.Errorf("%d of %d replies came to an end, want three of four", ended, len(calls))
	}
}

// nonsense gives the action of one reply, empty for one that came to no end:
// nothing bounds the texts that a user gets or types.
func nonsense(t *testing.T, client *ollama.Client, d dialect.Dialect, temperature float64, seed int) string {
	t.Helper()
	allowed, err := d.Allowed(d.System(d.Viewport))
	if err != nil {
		t.Fatal(err)
	}
	req := ollamatest.Ask(fmt.Sprint("step ", seed))
	req.Schema, req.Temperature, req.Seed, req.MaxTokens = d.Schema(), temperature, &seed, 2500
	reply, err := client.Chat(t.Context(), req, nil)
	if errors.Is(err, model.ErrIncomplete) {
		return "" // the server leaves a reply that repeats itself
	}
	if err != nil {
		t.Fatalf("%d actions, temperature %g, seed %d: %v", len(allowed), temperature, seed, err)
	}
	result, err := d.Parse(reply, allowed)
	var wrong *parse.Error
	if errors.As(err, &wrong) && reply.Finish == model.FinishLength && wrong.Reason == parse.Truncated {
		return ""
	}
	if err != nil {
		t.Errorf("temperature %g, seed %d: got %v for the reply (%s)\n%s", temperature, seed, err, reply.Finish, reply.Text)
	}
	return result.Call.Action
}
