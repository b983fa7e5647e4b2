package ingest

import (
	"encoding/json"
	"time"

	"fara/env"
	"fara/imagebudget"
	"fara/model"
	"fara/parse"
	"fara/trajectory"
)

// recording is what a source tells, in the order in which it happened.
type recording struct {
	format Format
	// tool is the program that recorded it.
	tool string
	// task is what was asked, id its name in its batch, meta what else is known of it.
	task, url, id string
	meta          map[string]json.RawMessage
	// model and dialect are how the model is called and how it speaks; system is its
	// prompt. Empty is unknown.
	model, dialect, system string
	// space is what points count, where the source shows it; empty takes the dialect's.
	space imagebudget.Space
	// viewport is the page's size in CSS pixels; zero takes each picture's own.
	viewport env.Size
	// batch and sample are the run's place in a batch of ours; sample 0 is unknown.
	batch   string
	sample  int
	created time.Time
	// parts are *picture, *turn, *outcome, *words and trajectory.Verdict, nothing else.
	parts []any
	end   ending
	notes []string
	// files are what it was read from.
	files digest
}

// picture is a screenshot, by the file it is in or as its bytes.
type picture struct {
	name string // as the source calls it
	read func() ([]byte, error)
	url  string
	// scale is device pixels for one CSS pixel; 0 is 1.
	scale float64
	at    time.Time
	// The rest only our own runs tell. viewport is in CSS pixels, sent the picture's size
	// as the model saw it; nil is unknown.
	viewport, sent *env.Size
	title          string
	notes          []env.Note
	tabs           []env.Tab
}

// turn is a reply of the model and what was done about it.
type turn struct {
	raw, thinking string
	// thoughts and did are what the recorder read in it; did is nil when the source keeps
	// the reply alone.
	thoughts string
	did      *deed
	// unused says why the reply was not followed; empty when it was.
	unused string
	ours   *kept // nil where another program acted
	// more are the further actions of the same reply that were done as well.
	more   []deed
	model  string
	finish model.Finish
	usage  model.Usage
	took   time.Duration
	when   time.Time
}

// deed is an action as a recorder wrote it down.
type deed struct {
	// text is the action with its arguments, as a JSON object or as a call in the text
	// form.
	text string
	form parse.Form
	// at is where the model pointed, as shares of the picture's sides, where the source
	// says that too; from is a drag's beginning.
	at, from *model.Point
}

// outcome is what came of the action before it.
type outcome struct {
	text, fault string
	hit         *env.Element
	when        time.Time
}

// words are what a person said to the model.
type words struct {
	text string
	by   trajectory.By
	// rejects: it says why an answer was not accepted.
	rejects bool
	when    time.Time
}

// ending is how the source says that it ended.
type ending struct {
	status  trajectory.Status
	reason  string
	message string
	// claim, verified and question are known of our own runs alone; nil is unknown.
	claim    *string
	verified []string
	question string
	// answer is nil when the source names none apart from the last action.
	answer *string
	usage  *model.Usage // of the whole run; nil adds up the turns'
	// started and ended are the source's own times; zero takes those of the parts.
	started, ended time.Time
}

// note adds what had to be assumed, once.
func (r *recording) note(text string) {
	for _, n := range r.notes {
		if n == text {
			return
		}
	}
	r.notes = append(r.notes, text)
}
