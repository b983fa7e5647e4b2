package ingest

import (
	"net/url"
	"regexp"
	"strings"

	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

// searchURL is where the recorders searched.
const searchURL = "https://www.bing.com/search?q=%s&FORM=QBLH"

// hasScheme matches an address that begins with one. A port after a bare host is none.
var hasScheme = regexp.MustCompile(`(?i)^[a-z][a-z0-9+.-]*:(?:[^0-9]|$)`)

// inBrowser is a call as the browser did it, in viewport CSS pixels. It returns an
// *env.ActionError for a point outside the page.
func inBrowser(call model.Call, geo imagebudget.Geometry) (env.Action, error) {
	switch env.Kind(call.Action) {
	case env.WebSearch:
		return env.Action{Kind: env.VisitURL, URL: search(text(call.Query))}, nil
	case env.VisitURL:
		return env.Action{Kind: env.VisitURL, URL: env.WithoutUser(address(text(call.URL)))}, nil
	}
	return geo.ToViewport(call)
}

func search(words string) string {
	return strings.Replace(searchURL, "%s", url.QueryEscape(words), 1)
}

// address is what the recorders made of an address as a model writes it.
func address(given string) string {
	given = strings.TrimSpace(given)
	switch {
	case given == "", hasScheme.MatchString(given):
		return given
	case strings.Contains(given, " "):
		return search(given)
	}
	return "https://" + given
}
