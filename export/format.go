package export

// Kind is what rows are about.
type Kind string

// The kinds.
const (
	// Replies: one row for each reply of the model.
	Replies Kind = "replies"
	// Pairs: two replies to the same request, of which one is preferred.
	Pairs Kind = "pairs"
	// Labelled: one row for each reply, with whether it is wanted.
	Labelled Kind = "labelled"
	// Grounding: one row for each element that an action reached.
	Grounding Kind = "grounding"
)

// Part is a share of the rows, in a file of its own.
type Part struct {
	// Name is such as "train": lower-case letters, digits and underscores.
	Name string
	Kind Kind
}

// Writer writes the rows of one part. It belongs to one goroutine.
type Writer interface {
	// Write takes a row, and keeps nothing of it. An error that wraps ErrMarked refuses
	// this row alone.
	Write(r *Row) error
	// Close writes what is left.
	Close() error
}

// Format writes rows in the form that one kind of reader takes.
type Format interface {
	// Check says why the format cannot carry rows of a kind; nil when it can.
	Check(k Kind) error
	// Begin opens a part's files in the folder.
	Begin(f *Folder, p Part) (Writer, error)
	// Finish writes what stands beside the parts, which are those that were begun, in
	// their order.
	Finish(f *Folder, parts []Part) error
}

// Reshaper is a Format that cannot carry every row as it is.
type Reshaper interface {
	// Reshape gives what stands for a row of a part, and in which parts.
	Reshape(part string, r *Row) []Placed
}

// Placed is a row with its part.
type Placed struct {
	Part string
	Row  *Row
}

// Layout begins to write whole runs below a folder, as folders that another system
// reads.
type Layout func(dir string) RunWriter

// RunWriter writes runs. It belongs to one goroutine.
type RunWriter interface {
	// Add writes a run and gives its folder's name. Nothing of it stays on an error.
	Add(s *Source) (string, error)
}
