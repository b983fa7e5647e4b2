// Package parse turns a reply's text into thoughts and one call, repairing what
// is safely repairable, or says exactly why it cannot.
//
// A repair is made only where it cannot change which action, point or text is
// meant; the comment of each Repair states the rule. What could mean two things
// is an error, and its text tells the model what to send instead.
//
// The package knows what arguments look like, not what they are good for: points
// stay in model space and may lie outside the picture, keys may not exist, and
// addresses may not be allowed. Those are for its callers to judge.
package parse
