package parse

import "slices"

// Repair names one departure from a well-formed reply that was put right.
type Repair string

// The repairs, each with the rule that makes it safe.
const (
	// MissingTag: the opening or the closing tag is missing. The call's own
	// braces say where it begins and ends, so the tags add nothing.
	MissingTag Repair = "missing_tag"
	// NoTags: the call stands in the text without tags. It is used only when no
	// tagged call is there.
	NoTags Repair = "no_tags"
	// Fence: a code fence around the call, inside or outside its tags, was left
	// out. A fence is outside the braces and so part of no value.
	Fence Repair = "fence"
	// SkippedObject: an object that names no action, such as {}, stood before the
	// call and was passed over. It could not have been run.
	SkippedObject Repair = "skipped_object"
	// CallFromThoughts: the call stood among the thoughts, nothing followed them,
	// and the thoughts hold no second, different call.
	CallFromThoughts Repair = "call_from_thoughts"
	// OtherForm: the reply has another form than the dialect's, a call between tags
	// or a bare object, and nothing in the dialect's own form.
	OtherForm Repair = "other_form"
	// FunctionTags: the call was written as <function=…> with a <parameter=…> for
	// each argument. Everything between the tags of a parameter is its value, less
	// one line break at either end, and behind them only another parameter or the
	// end of the function may stand.
	FunctionTags Repair = "function_tags"
	// Wrapper: the call stood in an object of the server's own making, under
	// function or tool_calls, and nothing beside it names an action or an argument.
	Wrapper Repair = "wrapper"
	// MissingLabel: the action stood within a line or had no label before it. It is
	// used only when no line begins with a label and an action; without a label only
	// at the start of a line and by a name that exists.
	MissingLabel Repair = "missing_label"
	// FullWidth: Chinese brackets, commas, colons or equals signs stood where their
	// counterparts belong. Each has exactly one; inside text nothing is replaced.
	FullWidth Repair = "full_width"
	// InnerQuotes: quotes stood unescaped in a text. The text ends at the first one
	// that only a bracket and the end of the line follow, and none of the others
	// touches another quote, the text's ends or a bracket.
	InnerQuotes Repair = "inner_quotes"
	// Positional: one value came without its name and no other was given, so it is
	// the action's first; or two numbers came to an action that needs a point alone.
	Positional Repair = "positional"
	// ClosedBraces: closing brackets were added at the end of the call. Nothing
	// else is ever added, and only where no argument can be missing; see
	// Schema.Finish. In the Text form the bracket is added behind a whole argument
	// of a reply that the model itself ended.
	ClosedBraces Repair = "closed_braces"

	// SingleQuotes: a text was quoted as Python does. Its end is found by
	// Python's rules, and every escape that two notations read differently is
	// refused.
	SingleQuotes Repair = "single_quotes"
	// PythonLiterals: True, False, None, a tuple or a number in Python's notation
	// stood where a value belongs; each has exactly one JSON counterpart. Inside
	// text nothing is replaced.
	PythonLiterals Repair = "python_literals"
	// PythonEscapes: a text holds an escape that only Python knows; it was read
	// as Python does.
	PythonEscapes Repair = "python_escapes"
	// TrailingComma: a comma before a closing bracket, with nothing between, was
	// left out.
	TrailingComma Repair = "trailing_comma"
	// UnquotedKeys: the name of an argument had no quotes. Names hold letters,
	// digits and underscores only, so their extent is certain; values without
	// quotes are refused.
	UnquotedKeys Repair = "unquoted_keys"
	// RawControl: a line break or another control character stood unescaped in a
	// text. It is kept as it is.
	RawControl Repair = "raw_control"

	// ArgumentsString: the arguments came as a text that holds the object. It was
	// decoded by the same rules as the reply.
	ArgumentsString Repair = "arguments_string"
	// ArgumentsAlias: the arguments were called parameters or args, and nothing
	// else was called arguments.
	ArgumentsAlias Repair = "arguments_alias"
	// FlatArguments: the arguments stood beside the name and no arguments object
	// held any of its own.
	FlatArguments Repair = "flat_arguments"
	// ActionBeside: the action stood beside the arguments object, which names none.
	ActionBeside Repair = "action_beside"
	// NameAsAction: no action was given and the name of the function is one.
	NameAsAction Repair = "name_as_action"
	// Alias: another word for the action was used that stands for no other action.
	Alias Repair = "alias"
	// ArgumentAlias: another word for an argument was used and the proper one was
	// not given.
	ArgumentAlias Repair = "argument_alias"

	// NumberFromString: a number came as text that is a plain number and nothing else.
	NumberFromString Repair = "number_from_string"
	// BoolFromString: a truth value came as the text true or false, or as 1 or 0.
	BoolFromString Repair = "bool_from_string"
	// TextFromNumber: a text came as a plain decimal number; its own digits are the text.
	TextFromNumber Repair = "text_from_number"
	// AnswerSource: the answer came as a value that is no text; its own source is
	// the answer. No action is taken with an answer.
	AnswerSource Repair = "answer_source"
	// BoxCentre: four numbers came where a point belongs. They are two corners, as
	// every model that draws boxes gives them, in either order, and stand for the
	// point half way between. For the end of a drag they are refused: they might be
	// its start and its end.
	BoxCentre Repair = "box_centre"
	// PointForm: a point came as text, as {"x":…,"y":…}, as [[x,y]], under a key
	// such as point_2d or as two arguments x and y. Exactly two numbers were there
	// in that order, or the four of a box.
	PointForm Repair = "point_form"
	// KeysForm: keys came as one text or joined by plus signs. No key's name
	// holds a plus sign but the plus key's own.
	KeysForm Repair = "keys_form"
)

// remove takes one out, where a form makes it no departure.
func (r *repairs) remove(some ...Repair) {
	*r = slices.DeleteFunc(*r, func(one Repair) bool { return slices.Contains(some, one) })
}

// repairs collects what was put right, each once, in the order it was met.
type repairs []Repair

func (r *repairs) add(more ...Repair) {
	for _, one := range more {
		if !slices.Contains(*r, one) {
			*r = append(*r, one)
		}
	}
}
