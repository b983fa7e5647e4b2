package chrome

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// moment is a date, a time, or both; only what its field has is set.
type moment struct {
	year, month, day, week       int
	hour, minute, second, millis int
	timed                        bool // it has a time, which may be midnight
}

func (m moment) empty() bool { return m == moment{} }

// value is the moment as an input of the type holds it; empty for an empty one.
func (m moment) value(kind string) string {
	if m.empty() {
		return ""
	}
	date := fmt.Sprintf("%04d-%02d-%02d", m.year, m.month, m.day)
	clock := fmt.Sprintf("%02d:%02d", m.hour, m.minute)
	switch {
	case m.millis > 0:
		clock += fmt.Sprintf(":%02d.%03d", m.second, m.millis)
	case m.second > 0:
		clock += fmt.Sprintf(":%02d", m.second)
	}
	switch kind {
	case "date":
		return date
	case "time":
		return clock
	case "month":
		return date[:7]
	case "week":
		return fmt.Sprintf("%04d-W%02d", m.year, m.week)
	}
	return date + "T" + clock
}

// digits is what a part of a field has to hold, with leading zeros where it has
// room for them; the hour as its clock counts.
func (m moment) digits(q part) string {
	switch q.name {
	case "year":
		return fmt.Sprintf("%04d", m.year)
	case "month":
		if q.worded {
			return strconv.Itoa(m.month)
		}
		return fmt.Sprintf("%02d", m.month)
	case "week":
		return fmt.Sprintf("%02d", m.week)
	case "day":
		return fmt.Sprintf("%02d", m.day)
	case "hour":
		return fmt.Sprintf("%02d", hourOn(q.max, m.hour))
	case "minute":
		return fmt.Sprintf("%02d", m.minute)
	case "second":
		return fmt.Sprintf("%02d", m.second)
	case "millisecond":
		return fmt.Sprintf("%03d", m.millis)
	}
	return ""
}

// hourOn is an hour of the day on a clock that counts to max: 23, 24, 12 (from 1)
// or 11 (from 0).
func hourOn(max, hour int) int {
	switch {
	case max == 12 && hour%12 == 0:
		return 12
	case max == 12, max == 11:
		return hour % 12
	case max == 24 && hour == 0:
		return 24
	}
	return hour
}

// The spellings of dates and times that are read.
var (
	isoDate   = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$`)
	tightDate = regexp.MustCompile(`^(\d{4})(\d\d)(\d\d)$`)
	signDate  = regexp.MustCompile(`^(\d{1,2})[-/. ]+(\d{1,2})[-/. ]+(\d{4})$`)
	wordDate  = regexp.MustCompile(`^(?:(\d{1,2})(?:st|nd|rd|th|\.)?(?: of)? )?([a-z]{3,9})\.?(?: (\d{1,2})(?:st|nd|rd|th)?)?,? (\d{4})$`)
	isoMonth  = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})$`)
	signMonth = regexp.MustCompile(`^(\d{1,2})[-/. ](\d{4})$`)
	isoWeek   = regexp.MustCompile(`^(\d{4})[-/ ]?w(?:eek )?(\d{1,2})$`)
	wordWeek  = regexp.MustCompile(`^w(?:eek )?(\d{1,2})[,/ -]+(\d{4})$`)
	clock     = regexp.MustCompile(`^(\d{1,2})(?:[:.h](\d\d))?(?:[:.](\d\d))?(?:\.(\d{1,3}))? ?(am|pm|a\.m\.|p\.m\.)?$`)
	dateTime  = regexp.MustCompile(`^(.*\d{4}|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{8})(?:t|,? at |,? )(\d.*)$`)
)

// parseMoment reads what goes into an input of the type. A date of numbers whose
// order could be either is read in the order of the field: days first or months
// first.
func parseMoment(kind, text string, dayFirst bool) (m moment, ok bool) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	switch kind {
	case "date":
		if d := dateTime.FindStringSubmatch(text); d != nil {
			if _, timed := parseClock(moment{}, d[2]); timed {
				text = strings.TrimSuffix(d[1], ",")
			}
		}
		return parseDate(text, dayFirst)
	case "time":
		return parseClock(moment{}, text)
	case "month":
		return parseMonth(text)
	case "week":
		return parseWeek(text)
	}
	d := dateTime.FindStringSubmatch(text)
	if d == nil {
		return m, false
	}
	if m, ok = parseDate(strings.TrimSuffix(d[1], ","), dayFirst); !ok {
		return m, false
	}
	return parseClock(m, strings.TrimSuffix(d[2], "z"))
}

func parseDate(text string, dayFirst bool) (moment, bool) {
	if d := isoDate.FindStringSubmatch(text); d != nil {
		return date(d[1], d[2], d[3])
	}
	if d := tightDate.FindStringSubmatch(text); d != nil {
		return date(d[1], d[2], d[3])
	}
	if d := wordDate.FindStringSubmatch(text); d != nil && (d[1] == "") != (d[3] == "") {
		return date(d[4], strconv.Itoa(monthNamed(d[2])), d[1]+d[3])
	}
	d := signDate.FindStringSubmatch(text)
	if d == nil {
		return moment{}, false
	}
	first, second := number(d[1]), number(d[2])
	if first > 12 || second <= 12 && (dayFirst || strings.Contains(text, ".")) {
		return date(d[3], d[2], d[1])
	}
	return date(d[3], d[1], d[2])
}

// date is a day that the calendar has.
func date(year, month, day string) (moment, bool) {
	m := moment{year: number(year), month: number(month), day: number(day)}
	t := time.Date(m.year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC)
	return m, m.year > 0 && t.Year() == m.year && int(t.Month()) == m.month && t.Day() == m.day
}

func parseMonth(text string) (moment, bool) {
	var m moment
	if d := isoMonth.FindStringSubmatch(text); d != nil {
		m = moment{year: number(d[1]), month: number(d[2])}
	} else if d := signMonth.FindStringSubmatch(text); d != nil {
		m = moment{year: number(d[2]), month: number(d[1])}
	} else if d := wordDate.FindStringSubmatch(text); d != nil && d[1] == "" && d[3] == "" {
		m = moment{year: number(d[4]), month: monthNamed(d[2])}
	} else if whole, ok := parseDate(text, false); ok && isoDate.MatchString(text) {
		m = moment{year: whole.year, month: whole.month}
	}
	return m, m.year > 0 && m.month >= 1 && m.month <= 12
}

func parseWeek(text string) (moment, bool) {
	var m moment
	if d := isoWeek.FindStringSubmatch(text); d != nil {
		m = moment{year: number(d[1]), week: number(d[2])}
	} else if d := wordWeek.FindStringSubmatch(text); d != nil {
		m = moment{year: number(d[2]), week: number(d[1])}
	}
	_, last := time.Date(m.year, time.December, 28, 0, 0, 0, 0, time.UTC).ISOWeek()
	return m, m.year > 0 && m.week >= 1 && m.week <= last
}

// parseClock adds a time of day to a moment.
func parseClock(m moment, text string) (moment, bool) {
	if len(text) == 4 && number(text) > 0 {
		text = text[:2] + ":" + text[2:]
	}
	c := clock.FindStringSubmatch(text)
	if c == nil || c[2] == "" && c[5] == "" {
		return m, false
	}
	m.hour, m.minute, m.second, m.timed = number(c[1]), number(c[2]), number(c[3]), true
	m.millis = number((c[4] + "000")[:3])
	if c[5] != "" {
		if m.hour < 1 || m.hour > 12 {
			return m, false
		}
		m.hour %= 12
		if c[5][0] == 'p' {
			m.hour += 12
		}
	}
	return m, m.hour < 24 && m.minute < 60 && m.second < 60
}

// monthNamed is the number of a month by its English name or the first three or
// more letters of it; 0 for no month.
func monthNamed(name string) int {
	for m := time.January; m <= time.December; m++ {
		if len(name) >= 3 && strings.HasPrefix(strings.ToLower(m.String()), name) {
			return int(m)
		}
	}
	if name == "sept" {
		return 9
	}
	return 0
}

// number reads digits; 0 for none.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
