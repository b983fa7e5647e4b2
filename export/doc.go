// Package export turns runs into the rows that trainers read.
//
// A row is made of a request, as package prompt builds it from the run's events, and
// of the reply that was recorded. The request's hash is held against the one that was
// written down when it was sent: a row that differs is refused and named. What is in a
// row is what the model saw and said, and nothing else.
//
// The way of a row: Find finds the runs, Open reads one, Source.Replies gives what the
// model was asked and answered, a plan (steps, runs, pairs, targets) makes rows of it,
// and a Format writes them. Folder holds what is written until it is whole.
//
// The package judges no run and asks no model. Whole runs in the layouts of other
// systems are package export/layout's, Parquet files package export/parquet's.
package export
