package agent

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"fara/env"
)

// DefaultSearchURL is the search the Fara models were trained with.
const DefaultSearchURL = "https://www.bing.com/search?q=%s&FORM=QBLH"

// scheme matches an address that begins with one. A port after a bare host,
// as in localhost:3000, is none.
var scheme = regexp.MustCompile(`(?i)^[a-z][a-z0-9+.-]*:(?:[^0-9]|$)`)

func (a *Agent) visit(ctx context.Context, address string) error {
	address = strings.TrimSpace(address)
	if address == "" {
		return a.failed(env.Fail(env.BadArgument, "visit_url needs an address"))
	}
	if strings.ContainsAny(address, " \t\n") && !scheme.MatchString(address) {
		return a.search(ctx, address)
	}
	return a.perform(ctx, env.Action{Kind: env.VisitURL, URL: Absolute(address)})
}

func (a *Agent) search(ctx context.Context, words string) error {
	if strings.TrimSpace(words) == "" {
		return a.failed(env.Fail(env.BadArgument, "web_search needs a query"))
	}
	return a.perform(ctx, env.Action{Kind: env.VisitURL, URL: SearchURL(a.cfg.SearchURL, words)})
}

// SearchURL puts words into a search's template, form-encoded.
func SearchURL(template, words string) string {
	return strings.Replace(template, "%s", url.QueryEscape(words), 1)
}

// Absolute gives an address as people and models write it a scheme: http for
// this machine, https for the rest. One that has a scheme stays as it is.
func Absolute(address string) string {
	if scheme.MatchString(address) {
		return address
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "//"), "/")
	name, _, _ := strings.Cut(host, ":")
	if name == "localhost" || name == "127.0.0.1" || strings.HasPrefix(host, "[::1]") {
		return "http://" + strings.TrimPrefix(address, "//")
	}
	return "https://" + strings.TrimPrefix(address, "//")
}
