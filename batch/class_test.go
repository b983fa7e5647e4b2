package batch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fara/batch"
	"fara/env"
	"fara/trajectory"
)

// classes are the class of every ending, by status and reason; "*" is every reason that
// has none of its own.
var classes = map[trajectory.Status]map[string]batch.Class{
	trajectory.Success:         {"terminate": batch.Done, "*": batch.Done},
	trajectory.Failure:         {"gave_up": batch.Done, "rejected": batch.Done, "start_url": batch.Refused, "*": batch.Done},
	trajectory.BudgetExhausted: {"max_steps": batch.Done, "max_tokens": batch.Done, "max_calls": batch.Done, "max_failures": batch.Done, "deadline": batch.Done, "*": batch.Done},
	trajectory.Stuck:           {"cycle": batch.Done, "no_progress": batch.Done, "same_answer": batch.Done, "*": batch.Done},
	trajectory.BadReplies:      {"empty": batch.Done, "syntax": batch.Done, "*": batch.Done},
	trajectory.ContextOverflow: {"server": batch.Done, "num_ctx": batch.Done, "garbled": batch.Done, "*": batch.Done},
	trajectory.Blocked:         {"captcha": batch.Done, "policy": batch.Done, "*": batch.Done},
	trajectory.WaitingForUser:  {"question": batch.Person, "expired": batch.Person, "*": batch.Person},
	trajectory.NeedsApproval:   {"expired": batch.Person, "*": batch.Person},
	trajectory.ModelUnavailable: {
		"model_not_found": batch.Model, "unauthorized": batch.Model, "unreachable": batch.Model, "busy": batch.Model, "server_error": batch.Model, "incomplete_replies": batch.Model,
		"no_images": batch.Request, "picture": batch.Request, "schema": batch.Request, "tools": batch.Request, "bad_request": batch.Request, "*": batch.Model,
	},
	trajectory.BrowserLost: {"gone": batch.Browser, "launch": batch.Browser, "*": batch.Browser},
	trajectory.Cancelled:   {"interrupted": batch.Stopped, "abandoned": batch.Done, "*": batch.Done},
	trajectory.Error: {
		"internal": batch.Internal, "site_down": batch.Site, "poisoned": batch.Poisoned, "uncertain": batch.Poisoned, batch.ReasonSettings: batch.Request, "damaged": batch.Internal, "*": batch.Internal,
	},
}

func TestEveryEndingHasItsClass(t *testing.T) {
	for status, reasons := range classes {
		for reason, want := range reasons {
			if got := batch.ClassOf(trajectory.Result{Status: status, Reason: reason}, ""); got != want {
				t.Errorf("ClassOf(%s, %s): got %s, want %s", status, reason, got, want)
			}
		}
	}
}

func TestEveryStatusIsClassed(t *testing.T) {
	n := 0
	for _, f := range parsed(t, "../trajectory/result.go") {
		ast.Inspect(f, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Status" {
				return true
			}
			n++
			if text := literal(spec.Values[0]); classes[trajectory.Status(text)] == nil {
				t.Errorf("the status %q has no class in the table; say what a batch does with it", text)
			}
			return true
		})
	}
	if n != len(classes) {
		t.Errorf("got %d statuses in the source, want the %d of the table", n, len(classes))
	}
}

// TestEveryReasonOfTheAgentIsClassed reads which endings package agent can give, so that
// nobody adds one without saying what a batch does with it.
func TestEveryReasonOfTheAgentIsClassed(t *testing.T) {
	files, err := filepath.Glob("../agent/*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range parsed(t, files...) {
		ast.Inspect(f, func(node ast.Node) bool {
			lit, ok := node.(*ast.CompositeLit)
			if !ok {
				return true
			}
			status, reason := ending(lit)
			if status == "" || reason == "" {
				return true
			}
			n++
			if _, known := statusNamed(status)[reason]; !known {
				t.Errorf("agent ends runs as %s/%s, which has no class in the table; say what a batch does with it", status, reason)
			}
			return true
		})
	}
	if n < 25 {
		t.Errorf("got %d endings out of the agent's source, want 25 or more; the test reads it wrongly", n)
	}
}

// ending is the status and the reason of a composite literal such as Ending{Status:
// trajectory.Stuck, Reason: "cycle"} or {model.ErrBusy, trajectory.ModelUnavailable, "busy"}.
func ending(lit *ast.CompositeLit) (status, reason string) {
	for i, e := range lit.Elts {
		key := ""
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			name, _ := kv.Key.(*ast.Ident)
			if name == nil {
				return "", ""
			}
			key, e = name.Name, kv.Value
		}
		if sel, ok := e.(*ast.SelectorExpr); ok && (key == "Status" || key == "" && i == 1) {
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "trajectory" {
				status = sel.Sel.Name
			}
		}
		if key == "Reason" || key == "" && i == 2 {
			reason = literal(e)
		}
	}
	return status, reason
}

// statusNamed are the classes of the status that a constant of package trajectory is.
func statusNamed(constant string) map[string]batch.Class {
	for status, reasons := range classes {
		if strings.ReplaceAll(string(status), "_", "") == strings.ToLower(constant) {
			return reasons
		}
	}
	return nil
}

func literal(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return text
}

func parsed(t *testing.T, files ...string) (all []*ast.File) {
	t.Helper()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

func TestAPageThatMayBeThereLaterIsTheSites(t *testing.T) {
	for message, want := range map[string]batch.Class{
		"net::ERR_CONNECTION_REFUSED":                     batch.Site,
		"x could not be opened (net::ERR_TIMED_OUT); see": batch.Site,
		"net::ERR_NAME_NOT_RESOLVED":                      batch.Address,
		"net::ERR_CERT_DATE_INVALID":                      batch.Address,
		"net::ERR_ABORTED":                                batch.Address,
		"this is not an address":                          batch.Refused,
		"the site is not allowed":                         batch.Refused,
	} {
		r := trajectory.Result{Status: trajectory.Failure, Reason: "start_url", Message: message}
		if got := batch.ClassOf(r, env.Navigation); got != want {
			t.Errorf("ClassOf(%q): got %s, want %s", message, got, want)
		}
	}
	for code, want := range map[env.Code]batch.Class{
		env.Busy: batch.Site, env.TimedOut: batch.Site, env.PageFailed: batch.Site, env.Refused: batch.Refused, env.BadArgument: batch.Refused, env.Navigation: batch.Refused, "": batch.Refused,
	} {
		r := trajectory.Result{Status: trajectory.Failure, Reason: "start_url", Message: "it did not open"}
		if got := batch.ClassOf(r, code); got != want {
			t.Errorf("ClassOf(start failed with %q): got %s, want %s", code, got, want)
		}
	}
}
