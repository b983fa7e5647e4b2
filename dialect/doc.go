// Package dialect holds how each model family speaks, as data: its prompt, its
// actions, the space of its coordinates, its image grid and its reply format.
// Package prompt puts the words together, package parse reads the replies.
//
// A dialect decides nothing at run time, and adding one takes no code:
//
//  1. data/NAME.json has the fields of Dialect; what it leaves out of turns is in
//     turns.json.
//  2. data/NAME.txt is the template of its system prompt, with {{tools}} between
//     <tools> tags or, in the forms without tags, {{actions}}.
//  3. testdata/NAME/replies.jsonl has replies, one a line, with the call that each
//     gives or the reason for which it is refused: every action, and five bad ones.
//  4. testdata/NAME/points.json has points of the model with the place in the page
//     that each means: at three sizes, one of them at a scale of 2.
//  5. go test ./dialect -update writes the requests as they would be sent, the
//     schema and the tools: look at them.
//
// A user's own file, read by Load, has the same fields and the template as prompt.
package dialect
