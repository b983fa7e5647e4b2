package chrome

import "testing"

func TestDatesAreReadInManySpellings(t *testing.T) {
	for _, c := range []struct {
		kind, text string
		dayFirst   bool
		want       string // empty: cannot be read
	}{
		{"date", "2026-03-05", false, "2026-03-05"}, {"date", " 2026-3-5 ", false, "2026-03-05"}, {"date", "2026/03/05", true, "2026-03-05"},
		{"date", "20260305", false, "2026-03-05"}, {"date", "5 March 2026", false, "2026-03-05"}, {"date", "March 5, 2026", true, "2026-03-05"},
		{"date", "Mar 5th, 2026", false, "2026-03-05"}, {"date", "5. Mar 2026", false, "2026-03-05"}, {"date", "05.03.2026", false, "2026-03-05"},
		{"date", "03/05/2026", false, "2026-03-05"}, {"date", "03/05/2026", true, "2026-05-03"}, {"date", "25/03/2026", false, "2026-03-25"}, {"date", "03/25/2026", true, "2026-03-25"},
		{"date", "2026-03-05T14:30", false, "2026-03-05"}, {"date", "2024-02-29", false, "2024-02-29"}, {"date", "2025-02-29", false, ""}, {"date", "2026-13-01", false, ""},
		{"date", "tomorrow", false, ""}, {"date", "5 2026", false, ""}, {"date", "05/03/26", false, ""}, {"date", "March 2026", false, ""},
		{"time", "14:30", false, "14:30"}, {"time", "2:30 PM", false, "14:30"}, {"time", "2:30pm", false, "14:30"}, {"time", "12:05 am", false, "00:05"}, {"time", "12 p.m.", false, "12:00"},
		{"time", "14.30", false, "14:30"}, {"time", "1430", false, "14:30"}, {"time", "14:30:15", false, "14:30:15"}, {"time", "14:30:15.250", false, "14:30:15.250"}, {"time", "00:00", false, "00:00"},
		{"time", "25:00", false, ""}, {"time", "13 pm", false, ""}, {"time", "half past two", false, ""}, {"time", "14", false, ""},
		{"month", "2026-03", false, "2026-03"}, {"month", "03/2026", false, "2026-03"}, {"month", "March 2026", false, "2026-03"}, {"month", "sept 2026", false, "2026-09"}, {"month", "2026-03-05", false, "2026-03"}, {"month", "2026-00", false, ""},
		{"week", "2026-W10", false, "2026-W10"}, {"week", "2026W9", false, "2026-W09"}, {"week", "week 10, 2026", false, "2026-W10"}, {"week", "2026-W53", false, "2026-W53"}, {"week", "2025-W53", false, ""}, {"week", "2026-10", false, ""},
		{"datetime-local", "2026-03-05T14:30", false, "2026-03-05T14:30"}, {"datetime-local", "2026-03-05 14:30", false, "2026-03-05T14:30"}, {"datetime-local", "2026-03-05 2:30 PM", false, "2026-03-05T14:30"},
		{"datetime-local", "03/05/2026, 02:30 PM", false, "2026-03-05T14:30"}, {"datetime-local", "5 March 2026 at 14:30", false, "2026-03-05T14:30"}, {"datetime-local", "2026-03-05T00:00", false, "2026-03-05T00:00"},
		{"datetime-local", "2026-03-05T14:30:00Z", false, "2026-03-05T14:30"}, {"datetime-local", "2026-03-05", false, ""}, {"datetime-local", "14:30", false, ""},
	} {
		m, ok := parseMoment(c.kind, c.text, c.dayFirst)
		got := ""
		if ok {
			got = m.value(c.kind)
		}
		if got != c.want {
			t.Errorf("%s %q (day first: %v): got %q, want %q", c.kind, c.text, c.dayFirst, got, c.want)
		}
	}
}

func TestHoursFitTheirClock(t *testing.T) {
	for _, c := range []struct{ max, hour, want int }{{23, 0, 0}, {23, 14, 14}, {24, 0, 24}, {12, 0, 12}, {12, 12, 12}, {12, 14, 2}, {11, 12, 0}, {11, 14, 2}} {
		if got := hourOn(c.max, c.hour); got != c.want {
			t.Errorf("%d h on a clock to %d: got %d, want %d", c.hour, c.max, got, c.want)
		}
	}
}
