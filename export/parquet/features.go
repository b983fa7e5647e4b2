package parquet

import "encoding/json"

// metadataKey is where datasets looks for a file's features.
const metadataKey = "huggingface"

// ordered is a feature with named parts; their order is the columns'.
type ordered []named

type named struct {
	name    string
	feature any
}

// MarshalJSON writes an object that keeps the order.
func (o ordered) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, n := range o {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := json.Marshal(n.feature)
		if err != nil {
			return nil, err
		}
		out = append(out, '"')
		out = append(out, n.name+`":`...)
		out = append(out, value...)
	}
	return append(out, '}'), nil
}

// metadata says the columns in the words of datasets, which all its versions know: a
// list of objects is a JSON list with what it is of, and only the lists of plain values
// and of pictures are a Sequence.
func metadata() string {
	text, whole, truth := value("string"), value("int64"), value("bool")
	message := ordered{
		{"role", text},
		{"content", []any{ordered{{"type", text}, {"text", text}}}},
		{"reasoning_content", text},
		{"tool_calls", []any{ordered{{"id", text}, {"type", text}, {"function", ordered{{"name", text}, {"arguments", text}}}}}},
		{"tool_call_id", text},
		{"weight", whole},
	}
	features := ordered{
		{"id", text}, {"messages", []any{message}}, {"images", sequence(ordered{{"_type", "Image"}})}, {"tools", text},
		{"chosen", []any{message}}, {"rejected", []any{message}}, {"label", truth},
		{"run", text}, {"batch", text}, {"task_id", text}, {"sample", whole}, {"site", text}, {"status", text},
		{"reason", text}, {"verdict", text}, {"run_steps", whole}, {"model", text}, {"dialect", text},
		{"provenance", sequence(text)}, {"fara", text},
	}
	data, _ := json.Marshal(ordered{{"info", ordered{{"features", features}}}}) // names alone
	return string(data)
}

func value(dtype string) ordered { return ordered{{"dtype", dtype}, {"_type", "Value"}} }

func sequence(of any) ordered { return ordered{{"feature", of}, {"_type", "Sequence"}} }
