// Package control lets people and programs steer a run that is under way: hold it
// still and let it go on, answer its questions, and decide about its actions, over
// HTTP and by signals.
//
// It decides nothing itself. What it is told it hands to the run, which writes it
// down and acts on it.
package control
