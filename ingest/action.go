package ingest

import (
	"encoding/json"
	"strings"

	"fara/env"
	"fara/model"
)

// action is a recorder's action as JSON, with the thoughts that it keeps among the
// arguments.
func action(name string, args map[string]json.RawMessage) (*deed, string) {
	var thoughts string
	kept := map[string]json.RawMessage{}
	for key, value := range args {
		if key == "thoughts" || key == "thought" {
			_ = json.Unmarshal(value, &thoughts) // what is no text is no thought
			continue
		}
		kept[key] = value
	}
	if _, given := kept["action"]; !given {
		kept["action"], _ = json.Marshal(legacy(name))
	}
	var given string
	if json.Unmarshal(kept["action"], &given) == nil {
		kept["action"], _ = json.Marshal(legacy(given))
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return nil, thoughts
	}
	return &deed{text: string(raw)}, strings.TrimSpace(thoughts)
}

// legacy gives an action of old recordings the name that it has now.
func legacy(name string) string {
	switch name {
	case "stop_execution", "stop_and_answer_question", "stop":
		return string(env.Terminate)
	case "keypress":
		return string(env.Key)
	case "hover":
		return string(env.MouseMove)
	case "sleep":
		return string(env.Wait)
	case "click":
		return string(env.LeftClick)
	case "input_text":
		return string(env.Type)
	}
	return name
}

func finish(reason string) model.Finish {
	switch reason {
	case "stop", "length":
		return model.Finish(reason)
	}
	return ""
}
