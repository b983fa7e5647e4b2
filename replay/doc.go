// Package replay plays the input of a recorded run again, without a model, and says
// where the pages are not what they were.
//
// Read takes a run's events apart into moves: what was done, and what was seen before
// it. Play does the same things in an Environment, waits at each step for the page to
// look as it did, and compares address, target and picture. What the run did in the
// world is not done again without a word: see Config.Approve. Folder writes the
// replay's pictures, replay.json and a report that needs no network.
//
// It asks no model, judges no answer, and knows no browser: what a run read, remembered
// and asked is no input, is left out and said so.
package replay
