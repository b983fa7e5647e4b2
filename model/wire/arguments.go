package wire

import "encoding/json"

// Arguments gives the arguments of a past call as a JSON object, since templates
// read them as one: the text itself when it is an object, also inside a string,
// and else an object that holds the text under "arguments".
func Arguments(text string) json.RawMessage {
	for range 2 {
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &object) == nil && object != nil {
			return json.RawMessage(text)
		}
		var inner string
		if json.Unmarshal([]byte(text), &inner) != nil {
			break
		}
		text = inner
	}
	if text == "" || text == "null" {
		return json.RawMessage("{}")
	}
	wrapped, _ := json.Marshal(map[string]string{"arguments": text}) // a string always has a JSON form
	return wrapped
}
