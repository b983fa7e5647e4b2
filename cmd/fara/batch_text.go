package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"fara/batch"
	"fara/trajectory"
)

// textBatch shows a person what a batch came to.
func textBatch(w io.Writer, sum batch.Summary) {
	fmt.Fprintf(w, "%d tasks, %d runs: %d ended, %d remain\n", sum.Tasks, sum.Jobs, sum.Ended, sum.Remaining)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, status := range byCount(sum.Statuses) {
		fmt.Fprintf(t, "  %s\t%d\t%s\n", status, sum.Statuses[status], because(sum, status))
	}
	t.Flush()
	if n := sum.Statuses[trajectory.Success]; n > 0 {
		fmt.Fprintf(w, "of the successes %s\n", agreed(sum))
	}
	fmt.Fprintf(w, "%d steps, %d tokens read and %d written, %v of runs", sum.Steps, sum.Usage.PromptTokens, sum.Usage.CompletionTokens, sum.Took.Round(time.Second))
	if sum.Attempts > 0 {
		fmt.Fprintf(w, ", %d attempts made again", sum.Attempts)
	}
	fmt.Fprintln(w)
	for _, kind := range []struct {
		name   string
		counts map[string]int
	}{{"server", sum.Servers}, {"worker", sum.Workers}} {
		for _, name := range byCount(kind.counts) {
			fmt.Fprintf(w, "  %s %s: %d\n", kind.name, name, kind.counts[name])
		}
	}
	fmt.Fprintf(w, "results: %s/results.jsonl and summary.json\n", sum.Dir)
}

// because is a status's reasons.
func because(sum batch.Summary, status trajectory.Status) string {
	var parts []string
	for _, r := range byCount(sum.Reasons) {
		if reason, ok := strings.CutPrefix(r, string(status)+"/"); ok {
			parts = append(parts, fmt.Sprintf("%s %d", reason, sum.Reasons[r]))
		}
	}
	return strings.Join(parts, ", ")
}

// agreed says who agreed with the successes.
func agreed(sum batch.Summary) string {
	parts := []string{fmt.Sprintf("%d are the model's word alone", sum.Unverified)}
	for _, by := range byCount(sum.Verified) {
		parts = append(parts, fmt.Sprintf("%d were accepted by %s", sum.Verified[by], by))
	}
	return strings.Join(parts, ", ")
}
