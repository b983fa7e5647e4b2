// Package dialect holds how each model family speaks, as data: its prompt, its
// actions, the space of its coordinates, its image grid and its reply format.
//
// A dialect decides nothing at run time; package prompt puts the words together,
// package parse reads the replies. Adding one takes no code:
//
//  1. data/<name>.json and data/<name>.txt, the prompt;
//  2. testdata/<name>/replies.jsonl, what models of the family reply and what it
//     is to be taken for;
//  3. go test . -update, which writes the other fixtures, to be read by eye, and
//     go test ../cmd/fara -run Help -update, since the help lists the dialects.
//
// The tests name what is missing.
package dialect
