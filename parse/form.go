package parse

// Form is how a model family writes its calls.
type Form string

// The forms. The zero Form is Tagged.
const (
	// Tagged: {"name": …, "arguments": {…}} between <tool_call> tags.
	Tagged Form = "tagged"
	// Text: lines such as Action: click(start_box='(412,233)').
	Text Form = "text"
	// Object: one JSON object without tags that holds action and arguments, and
	// its thoughts under the key "thoughts". A reply that a server held to a
	// schema has this form, whatever the dialect.
	Object Form = "object"
)

// Forms lists the forms.
func Forms() []Form { return []Form{Tagged, Text, Object} }
