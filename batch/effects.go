package batch

import "fara/trajectory"

// touched reports whether a run did something, or may have, that a new run would do
// once more: an action of a class that somebody could have been asked about.
func touched(events []trajectory.Event) bool {
	var decided *trajectory.Decided
	for _, e := range events {
		switch {
		case e.Observed != nil:
			decided = nil
		case e.Decided != nil:
			decided = e.Decided
		case e.Acting != nil && decided != nil && decided.Allowed && len(decided.Classes) > 0:
			return true
		}
	}
	return false
}

// stepOf is how far a run is.
func stepOf(events []trajectory.Event) int {
	if len(events) == 0 {
		return 0
	}
	return events[len(events)-1].Step
}
