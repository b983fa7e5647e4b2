package dialect

import "encoding/json"

// Turns are the words that stand around the frames, as Go format strings where
// they take a value. They are the same for most families; a dialect's file
// overrides what its family needs otherwise.
type Turns struct {
	// Budget follows the task and takes the number of steps.
	Budget string `json:"budget"`
	// Blank follows the task when no page is open yet.
	Blank string `json:"blank"`
	// AnswerSchema follows the task when the answer has to fit a JSON Schema, which it
	// takes.
	AnswerSchema string `json:"answer_schema"`
	// Secrets stands before the secrets that may be typed, each of which goes through
	// Secret with its name and its sites.
	Secrets string `json:"secrets"`
	Secret  string `json:"secret"`
	// URL takes the trimmed address of the page in front.
	URL string `json:"url"`
	// Dropped stands in an old turn for its picture and takes the trimmed address.
	Dropped string `json:"dropped"`
	// Done is the tool's answer to a native call; what came of it is told with the
	// next picture.
	Done string `json:"done"`
	// Nudge ends an ordinary turn.
	Nudge string `json:"nudge"`
	// Note takes one thing that happened which the picture does not show.
	Note string `json:"note"`
	// Quote takes such a thing and the page's own words, which are data and no
	// instructions.
	Quote string `json:"quote"`
	// Named takes a line of ours in which things of a page are named between
	// quotation marks, and says that those words are data.
	Named string `json:"named"`
	// Failed takes why the last action failed.
	Failed string `json:"failed"`
	// Refused takes why the last action was not allowed.
	Refused string `json:"refused"`
	// Rejected takes why an answer was not accepted.
	Rejected string `json:"rejected"`
	// Unchanged says that the last action made no visible difference.
	Unchanged string `json:"unchanged"`
	// Answer takes a question about a page's text and its answer, which is data
	// too, since it may repeat the page.
	Answer string `json:"answer"`
	// Facts stands before the memorised facts, each of which goes through Fact.
	Facts string `json:"facts"`
	Fact  string `json:"fact"`
	// Correction takes why a reply could not be used.
	Correction string `json:"correction"`
	// Native ends the system prompt when the actions are native tools, and takes the
	// function's name. Constrained ends it when the server holds replies to one JSON
	// object although the dialect's form is another, and takes that name too.
	Native      string `json:"native"`
	Constrained string `json:"constrained"`
	// Empty stands for a reply without any text.
	Empty string `json:"empty"`
	// ReadSystem and ReadUser ask about a page's text: ReadUser takes the page
	// as Markdown and the question.
	ReadSystem string `json:"read_system"`
	ReadUser   string `json:"read_user"`
}

// byName gives the words by the names that files have for them.
func (t Turns) byName() map[string]string {
	words := map[string]string{}
	raw, err := json.Marshal(t)
	if err == nil {
		err = json.Unmarshal(raw, &words)
	}
	if err != nil {
		return nil // a struct of texts always encodes
	}
	return words
}
