// Package queue hands jobs to workers on other machines and brings their results
// back, each exactly once, through the JetStream of a NATS server.
//
// It knows nothing of tasks or browsers: a job is a key and bytes, a result is a key,
// bytes and, if wanted, a folder of files. The side that has the jobs opens a Hub; a
// worker sits down at a Bench. What a batch's queue consists of (NAME is Config.Name):
//
//	stream NAME-jobs      one message a job until its result is stored
//	stream NAME-results   one message a job that has ended: its result, and once that was
//	                      collected an empty mark in its place
//	stream NAME-state     the description of the batch, who has taken each job and what
//	                      was noted about it, who is at work
//	bucket NAME-folders   the folders of results that were not collected yet
//
// Why nothing comes twice: a job carries the sequence number that its result's subject
// had when it was published, and a result is accepted only while that number is still
// the last one. So of all who ever held a job one result is accepted, the first, after
// whatever delay, and a job that was already done is recognised before it is begun.
//
// Servers from version 2.10 on can hold a queue. What is in jobs and results is the
// caller's to judge: whoever can reach the server can write there.
package queue
