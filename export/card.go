package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Card is the export's README.md: a data card with the front matter that the Hugging
// Face hub reads. It holds no time, so that the same export has the same card.
func (m *Manifest) Card() string {
	var b strings.Builder
	m.frontMatter(&b)
	fmt.Fprintf(&b, "# Browser trajectories as %s\n\n", m.Format)
	fmt.Fprintf(&b, "%s of %d runs of `fara` %s, %s.\n\n", counted(m.Rows.Total, m.rowWord()), m.Runs.Exported, m.Fara, m.perWord())
	m.truth(&b)
	m.reading(&b)
	table(&b, "Part", "Rows", m.Rows.Parts)
	m.origin(&b)
	table(&b, "Turns to be learned", "Number", m.Rows.Learned)
	table(&b, "Replies in no row", "Number", m.Rows.NotLearned)
	table(&b, "Refused, by reason", "Number", m.Requests.Why)
	table(&b, "Runs left out, by reason", "Number", m.Runs.LeftOut)
	b.WriteString(rights)
	return b.String()
}

const rights = `## Rights and privacy

The frames and the texts in them come from web pages of third parties and stay theirs;
nothing here grants a licence to them. No licence is set above: who publishes this decides
that, and answers for what the pages showed, names and faces included. Secrets that the
runs were given by name are in no row; whatever else pages showed is.
`

// frontMatter is what the hub reads.
func (m *Manifest) frontMatter(b *strings.Builder) {
	fmt.Fprintf(b, "---\npretty_name: Browser trajectories (%s)\n", m.Format)
	b.WriteString("task_categories:\n- image-text-to-text\n")
	fmt.Fprintf(b, "size_categories:\n- %s\n", sizeCategory(m.Rows.Total))
	fmt.Fprintf(b, "tags:\n- fara\n- computer-use\n- web-agent\n- trajectories\n- %s\n", m.Kind)
	var files []string
	for _, part := range slices.Sorted(maps.Keys(m.Rows.Parts)) {
		for _, f := range m.partFiles(part) {
			files = append(files, fmt.Sprintf("  - split: %s\n    path: %s\n", f.split, f.path))
		}
	}
	if len(files) > 0 {
		fmt.Fprintf(b, "configs:\n- config_name: default\n  data_files:\n%s", strings.Join(files, ""))
	}
	b.WriteString("---\n\n")
}

type partFile struct{ split, path string }

// partFiles are the files that hold a part's rows: PART.EXT, or PART-NNNNN-of-NNNNN.EXT
// and the like, also in a folder of their own.
func (m *Manifest) partFiles(part string) []partFile {
	var out []partFile
	shards := ""
	for _, f := range m.Files {
		if f.Rows == 0 {
			continue
		}
		dir, name := "", f.Path
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			dir, name = name[:i+1], name[i+1:]
		}
		base, ext, _ := strings.Cut(name, ".")
		switch {
		case base == part:
			out = append(out, partFile{part, f.Path})
		case strings.HasPrefix(base, part+"-") && shards == "":
			shards = dir + part + "-*." + ext
			out = append(out, partFile{part, shards})
		}
	}
	return out
}

// sizeCategory is the hub's word for a number of rows.
func sizeCategory(n int) string {
	for _, c := range []struct {
		under int
		word  string
	}{{1000, "n<1K"}, {10_000, "1K<n<10K"}, {100_000, "10K<n<100K"}, {1_000_000, "100K<n<1M"}, {10_000_000, "1M<n<10M"}} {
		if n < c.under {
			return c.word
		}
	}
	return "10M<n<100M"
}

func (m *Manifest) rowWord() string {
	switch {
	case m.whole():
		return "folder"
	case m.Kind == Pairs:
		return "preference pair"
	}
	return "row"
}

// whole reports whether whole runs were written, in another system's layout.
func (m *Manifest) whole() bool {
	return slices.ContainsFunc(m.Files, func(f File) bool { return f.Path == sumsFile })
}

func (m *Manifest) perWord() string {
	switch {
	case m.whole():
		return "one for each run"
	case m.Kind == Pairs:
		return "one for each two replies to the same request of which one is better"
	case m.Kind == Labelled:
		return "one for each reply, with a label whether it is wanted"
	case m.Kind == Grounding:
		return "one for each element that an action reached"
	case m.Per == PerRun:
		return "as few for each run as hold every reply once in the context that it had"
	}
	return "one for each reply of the model"
}

// truth says how far rows are what was sent.
func (m *Manifest) truth(b *strings.Builder) {
	if m.whole() {
		return
	}
	b.WriteString("## What was checked\n\n")
	if m.Kind == Grounding {
		b.WriteString("Every frame was held against the hash that was recorded with it. Points are the models' own, boxes those of the elements that the browser found under them.\n\n")
		return
	}
	fmt.Fprintf(b, "The request of every row was built again from its run's events and held against the hash that was recorded when it was sent: %d are equal, %d were refused and are in no row", m.Requests.Equal, m.Requests.Refused)
	if m.Requests.Unrecorded > 0 {
		fmt.Fprintf(b, ", and **%d were never recorded**: they are in the words this program would have used, and not in those that the model saw", m.Requests.Unrecorded)
	}
	b.WriteString(". Replies are as they came. Where a format cannot carry a text as it was, the row's `altered` says so.\n\n")
}

// reading says what who trains with it has to know.
func (m *Manifest) reading(b *strings.Builder) {
	switch {
	case m.Format == "sharegpt" && m.Kind == Replies && m.Per == PerStep:
		b.WriteString("LLaMA-Factory learns every turn of the assistant unless it is told otherwise, and here only the last turn of a row is to be learned: set `mask_history: true`.\n\n")
	case m.Format == "sharegpt" && m.Kind == Replies:
		b.WriteString("In the data sets whose names end in `_last` only the last turn of a row is to be learned: train on them with `mask_history: true`, and on the others without it.\n\n")
	case m.Format == "openai" && m.Kind == Replies:
		b.WriteString("Turns of the assistant with `weight` 0 are context and not to be learned.\n\n")
	case m.Format == "swift" && m.Kind == Replies:
		b.WriteString("Turns of the assistant whose `loss` is false are context and not to be learned.\n\n")
	}
}

// origin says which runs it was made of.
func (m *Manifest) origin(b *strings.Builder) {
	statuses, sites, models, verified, verdicts := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, o := range m.origins {
		statuses[o.Status]++
		sites[cmp.Or(o.Site, "(none)")]++
		models[cmp.Or(o.Model, "(unknown)")+", "+o.Dialect]++
		verified[cmp.Or(strings.Join(o.Verified, ", "), "nobody")]++
		verdicts[cmp.Or(o.Verdict, "not judged")]++
	}
	b.WriteString("## Runs\n\n")
	table(b, "Ending", "Runs", statuses)
	table(b, "Success agreed to by", "Runs", verified)
	table(b, "Verdict of `fara judge`", "Runs", verdicts)
	table(b, "Model, dialect", "Runs", models)
	table(b, "Site", "Runs", sites)
}

// mostLines bounds a table.
const mostLines = 50

// table writes counts, the largest first; nothing when there are none.
func table(b *strings.Builder, what, number string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(a, c string) int {
		return cmp.Or(cmp.Compare(counts[c], counts[a]), cmp.Compare(a, c))
	})
	fmt.Fprintf(b, "| %s | %s |\n|---|---:|\n", what, number)
	rest := 0
	for i, k := range keys {
		if i >= mostLines {
			rest += counts[k]
			continue
		}
		fmt.Fprintf(b, "| %s | %d |\n", strings.ReplaceAll(k, "|", "\\|"), counts[k])
	}
	if rest > 0 {
		fmt.Fprintf(b, "| %d others | %d |\n", len(keys)-mostLines, rest)
	}
	b.WriteString("\n")
}

func counted(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}
