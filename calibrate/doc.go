// Package calibrate tells from a model's answers to targets of known places what
// its coordinates count, how far they are off, and why when no space fits.
//
// It is arithmetic alone, and the small file that keeps its outcome: it draws no
// target, asks no model and reads no reply.
package calibrate
