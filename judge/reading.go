package judge

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// fence is a block of code that models put JSON into.
var fence = regexp.MustCompile("(?s)^```[A-Za-z0-9]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```$")

// readingsOf are the values that an answer may be: its JSON, and where it is no
// object and no list, the text itself, the number or the yes or no that it is. The
// error says why it is no JSON; with readings, that does not matter.
func readingsOf(answer string) ([]any, error) {
	answer = strings.TrimSpace(answer)
	if m := fence.FindStringSubmatch(answer); m != nil {
		answer = strings.TrimSpace(m[1])
	}
	var all []any
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(answer))
	if err == nil {
		all = append(all, value)
	}
	if strings.HasPrefix(answer, "{") || strings.HasPrefix(answer, "[") {
		return all, plainly(err)
	}
	all = append(all, answer)
	if n, ok := aloneNumber(answer); ok {
		all = append(all, n)
	}
	switch fold(bare(answer)) {
	case "true", "yes":
		all = append(all, true)
	case "false", "no":
		all = append(all, false)
	}
	return all, plainly(err)
}

// plainly is a JSON error in words that say where.
func plainly(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it breaks off before its end")
	case errors.As(err, &syntax):
		return errors.New(syntax.Error() + " (character " + strconv.FormatInt(syntax.Offset, 10) + ")")
	}
	return err
}

// numberForm is a number with at most a currency or a unit.
var numberForm = regexp.MustCompile(`^(?:\p{Sc}|[A-Z]{3})?\s*[-+−]?\d[\d.,'’_\s\x{a0}\x{202f}\x{2009}]*(?:[eE][-+]?\d+)?\s*(?:%|‰|°?\p{L}{0,12}|\p{Sc})\.?$`)

// aloneNumber is the number that an answer is, when it can be read in one way only.
func aloneNumber(answer string) (json.Number, bool) {
	if !numberForm.MatchString(answer) {
		return "", false
	}
	found := numbersIn(answer)
	if len(found) != 1 || len(found[0].values) != 1 {
		return "", false
	}
	return json.Number(strconv.FormatFloat(found[0].values[0], 'f', -1, 64)), true
}
