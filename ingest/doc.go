// Package ingest turns what other programs recorded into runs: Fara-1.5's DataPoint
// folders, webeval's trajectory folders from the time of Fara-7B, and the JSON files of
// UI-TARS (GUIAgentData, version 1).
//
// An imported run holds what its source holds and no more: the very bytes of the
// screenshots, the replies where they were kept, points in the model's own space, the
// recorded times. What was not recorded stays empty. No request's hash is known, so
// the prompts of such a run can be built again but not proven to be what was sent.
// Secrets that stand in a source stand in the run too: nobody can tell any more which
// of its texts and pictures they are in.
//
// Each format has a reader that gives a recording; one writer makes the run. Finding
// the recordings in a folder is Find, importing one is Importer.Import.
package ingest
