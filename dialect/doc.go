// Package dialect holds how each model family speaks, as data: its prompt, its
// actions, the space of its coordinates, its image grid and its reply format.
//
// A dialect decides nothing at run time. Adding one means adding a JSON file
// and a prompt text under data/, and fixtures to its tests; package prompt puts
// the words together, package parse reads the replies.
package dialect
