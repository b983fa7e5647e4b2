// Package parse turns a reply's text into thoughts and one call, repairing what
// is safely repairable, or says exactly why it cannot.
//
// A reply has one of three forms: a JSON call between tags, lines such as
// Action: click(start_box='(412,233)'), or one JSON object. A server may also
// file the call apart, as a native tool call. Whatever the form, the result is the
// same canonical call.
//
// A repair is made only where it cannot change which action, point or text is
// meant; the comment of each Repair states the rule, and testdata/repairs.jsonl
// shows it. What could mean two things is an error, and its text tells the model
// what to send instead. Arguments that an action does not take are left out,
// unless they are called almost as one that it does take.
//
// Where things are: page.go takes a text with tags and objects apart, textform.go
// one with lines, native.go a server's calls; choose.go finds the call among what
// is there, propose.go the action and its arguments in it, and call.go, fields.go,
// point.go and keys.go hold these against what the action takes. read.go and its
// neighbours read values in JSON's and Python's notation.
//
// The package knows what arguments look like, not what they are good for: points
// stay in model space and may lie outside the picture, keys may not exist, and
// addresses may not be allowed. Those are for its callers to judge.
package parse
