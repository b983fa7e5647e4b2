package agent

import (
	"encoding/json"

	"fara/dialect"
	"fara/env"
)

func schemaOf(d dialect.Dialect) json.RawMessage {
	if s, ok := any(d).(interface{ Schema() json.RawMessage }); ok {
		return s.Schema()
	}
	return nil
}

func toolsOf(d dialect.Dialect, picture env.Size) json.RawMessage {
	if s, ok := any(d).(interface {
		Tools(env.Size) json.RawMessage
	}); ok {
		return s.Tools(picture)
	}
	return nil
}

func systemForTools(d dialect.Dialect, picture env.Size) string {
	if s, ok := any(d).(interface{ SystemForTools(env.Size) string }); ok {
		return s.SystemForTools(picture)
	}
	return d.System(picture)
}

// OwnWay is how a dialect's replies get their form unless something else is said.
func OwnWay(d dialect.Dialect) Replies {
	if d.Name == "json" {
		return Constrained
	}
	return FreeText
}
