package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"fara/env"
	"fara/trajectory"
)

// Limits of what an environment tells: beyond them there may be more.
const (
	textLimit     = 200_000 // characters
	requestsLimit = 2_000
)

// lookLimit bounds looking at a page.
const lookLimit = 20 * time.Second

// evidenceVersion is the version of the files that Bytes writes.
const evidenceVersion = 1

// Evidence is what is known about a page and a run at one moment. What it does not
// know it does not deny: a check about it is unproven.
type Evidence struct {
	Version int `json:"version"`
	env.Evidence
	// Text, Downloads and Requests are known; else their fields mean nothing.
	KnowsText      bool `json:"knows_text,omitempty"`
	KnowsDownloads bool `json:"knows_downloads,omitempty"`
	KnowsRequests  bool `json:"knows_requests,omitempty"`
	// KnowsCookies are the names of the cookies that were looked for.
	KnowsCookies []string `json:"knows_cookies,omitempty"`
	// Missing says why there is less than there could be; empty when nothing failed.
	Missing string `json:"missing,omitempty"`
	// File is where it is stored, below the run's folder; empty when it is not.
	File string `json:"-"`
}

// Wants are the things that checks look at, beside those that are always kept.
type Wants struct {
	// Selectors are CSS selectors, Cookies the names of cookies. Others are not kept:
	// a session's cookie is a key.
	Selectors, Cookies []string
}

// Look asks a page. That it does not answer is no error but told in Missing; the
// error is ctx's cause, or wraps env.ErrLost.
func Look(ctx context.Context, page Inspector, w Wants) (*Evidence, error) {
	within, cancel := context.WithTimeoutCause(ctx, lookLimit, fmt.Errorf("the page did not tell its state within %v", lookLimit))
	defer cancel()
	seen, err := page.Inspect(within, env.Query{Selectors: w.Selectors, Text: true, Cookies: len(w.Cookies) > 0})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, env.ErrLost):
		return nil, err
	case err != nil:
		return &Evidence{Version: evidenceVersion, Missing: "the page could not be looked at: " + oneLine(err.Error(), 200)}, nil
	}
	seen.Cookies = slices.DeleteFunc(slices.Clone(seen.Cookies), func(c env.Cookie) bool { return !slices.Contains(w.Cookies, c.Name) })
	return &Evidence{
		Version: evidenceVersion, Evidence: seen,
		KnowsText: true, KnowsDownloads: true, KnowsRequests: true, KnowsCookies: w.Cookies,
	}, nil
}

// Bytes is the evidence as JSON, which Recorded reads.
func (e *Evidence) Bytes() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(e)
	return b.Bytes(), err
}

// Recorded gives what a run's folder tells of the page it ended on: the evidence of
// its last verdict, or what its events say when it did something afterwards. An
// error means that a file of the run cannot be read.
func Recorded(events []trajectory.Event, load func(file string) ([]byte, error)) (*Evidence, error) {
	e := &Evidence{Version: evidenceVersion}
	file := ""
	for _, event := range events {
		switch {
		case event.Observed != nil:
			e.URL, e.Title = event.Observed.URL, event.Observed.Title
		case event.Acting != nil, event.Resumed != nil:
			file = ""
		case event.Verdict != nil && event.Verdict.Evidence != "":
			file = event.Verdict.Evidence
		}
	}
	if file == "" {
		return e, nil
	}
	raw, err := load(file)
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	stored := &Evidence{File: file}
	if err := json.Unmarshal(raw, stored); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if stored.Version != evidenceVersion {
		return nil, fmt.Errorf("%s has version %d; this program reads %d", file, stored.Version, evidenceVersion)
	}
	return stored, nil
}

// cutText reports whether the page's text may go on behind its end.
func (e *Evidence) cutText() bool { return utf8.RuneCountInString(e.Text) >= textLimit }
