// Package batch does many tasks with several workers, so that each ends exactly
// once, whatever happens on the way.
//
// It decides what is done next, what is done again and when a site or a server is
// left alone; how one run is done is its Runner's. The tasks come from package
// batch/taskfile, and other machines through package batch/queue.
package batch
