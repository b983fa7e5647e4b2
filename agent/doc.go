// Package agent is the loop: it looks, asks the model, acts, and writes down
// everything until one of its endings.
//
// The runtime disposes here: budgets, what is allowed, what an ending is called
// are decided by this package and those it asks, never by what a model writes
// or a page shows. It leaves the browser to an Environment, the model to a
// model.Chatter, the words to package prompt and the files to package
// trajectory.
package agent
