package chrome

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// errNoResponse is the cause of a navigation that ran into Config.NavigationLimit.
var errNoResponse = errors.New("the server did not answer in time")

func (b *instance) planVisit(a env.Action) (act, error) {
	u, err := url.Parse(a.URL)
	if err != nil || u.Scheme == "" || (u.Host == "" && u.Opaque == "" && u.Path == "") {
		return nil, env.Fail(env.BadArgument, "%q is not a full address; write it as https://host/path", shownAddress(a.URL))
	}
	if u.Scheme == "javascript" {
		return nil, env.Fail(env.BadArgument, "a javascript: address is not a page")
	}
	if forProgram(a.URL) {
		return nil, env.Fail(env.Navigation, "%s is for another program, not for a browser; open a page instead", shownAddress(a.URL))
	}
	return b.travelling(func(ctx context.Context, p *page) (env.Outcome, error) {
		return b.visit(ctx, p, a.URL)
	}), nil
}

// travelling is settled for actions that load a document: they have
// Config.NavigationLimit for the server to begin its answer.
func (b *instance) travelling(do act) act {
	return func(ctx context.Context, p *page) (env.Outcome, error) {
		s := b.prepare(ctx, p)
		limited, cancel := context.WithTimeoutCause(ctx, b.cfg.NavigationLimit, errNoResponse)
		out, err := do(patient(limited, b.cfg.NavigationLimit+callLimit), p)
		cancel()
		if errors.Is(err, errNoResponse) && ctx.Err() == nil {
			b.stopLoading(ctx, p)
			err = &env.ActionError{Code: env.TimedOut, Err: err,
				Text: fmt.Sprintf("the server did not answer within %v; try again later or another address", b.cfg.NavigationLimit)}
		}
		if err != nil {
			var action *env.ActionError
			if errors.As(err, &action) {
				return env.Outcome{}, b.failedVisit(ctx, s, err)
			}
			return env.Outcome{}, err
		}
		return out, s.wait(ctx)
	}
}

// failedVisit waits until the browser's error page is drawn. What it says is told
// by err, so it is not noted as well.
func (b *instance) failedVisit(ctx context.Context, s *settling, err error) error {
	if waited := s.wait(ctx); waited != nil {
		return waited
	}
	b.update(func() { s.page.fresh = false })
	return err
}

// visit opens an address. Pages that answer with an HTTP error are pages.
func (b *instance) visit(ctx context.Context, p *page, address string) (env.Outcome, error) {
	before := b.downloadsBegun()
	s, cancel := b.bind(ctx, p)
	defer cancel()
	res, err := proto.PageNavigate{URL: address}.Call(s)
	if err != nil {
		return env.Outcome{}, err
	}
	if res.ErrorText == "net::ERR_ABORTED" {
		if err := b.refusedTo(p); err != nil {
			return env.Outcome{}, err
		}
	}
	switch {
	case res.ErrorText == "":
		return env.Outcome{Text: "opened " + shownAddress(address)}, nil
	case res.ErrorText == "net::ERR_ABORTED" && b.downloadBeganAfter(ctx, before):
		if b.cfg.DownloadDir == "" {
			return env.Outcome{Text: "the address is a file, which was refused: no download folder is set; the page stays", Tell: true}, nil
		}
		return env.Outcome{Text: "the address is a file; its download has begun and the page stays", Tell: true}, nil
	case res.ErrorText == "net::ERR_ABORTED":
		return env.Outcome{}, env.Fail(env.Navigation, "%s has nothing to show; the page stays", shownAddress(address))
	}
	return env.Outcome{}, b.failedTo(res.ErrorText, address, p)
}

// stopLoading gives up a navigation whose server keeps silent.
func (b *instance) stopLoading(ctx context.Context, p *page) {
	ctx, cancel := context.WithTimeout(ctx, 2*probeLimit)
	defer cancel()
	s, release := b.bind(ctx, p)
	defer release()
	_ = proto.PageStopLoading{}.Call(s)
}

func (b *instance) reload(ctx context.Context, p *page) (env.Outcome, error) {
	return b.travelling(func(ctx context.Context, p *page) (env.Outcome, error) {
		s, cancel := b.bind(ctx, p)
		defer cancel()
		return env.Outcome{Text: "loaded the page again"}, proto.PageReload{}.Call(s)
	})(ctx, p)
}

// goBack goes to the page before this one. A tab that was opened by another has
// no page before it; then it is closed and the other is in front again.
func (b *instance) goBack(ctx context.Context, p *page) (env.Outcome, error) {
	return b.travelling(func(ctx context.Context, p *page) (env.Outcome, error) {
		out, err := b.historyStep(ctx, p, -1)
		var none *env.ActionError
		if !errors.As(err, &none) || none.Code != env.NoEffect || !b.hasOpener(p) {
			return out, err
		}
		return env.Outcome{Text: "closed this tab, which had no page before it; the tab that had opened it is in front", Tell: true}, b.closeTab(ctx, p)
	})(ctx, p)
}

func (b *instance) goForward(ctx context.Context, p *page) (env.Outcome, error) {
	return b.travelling(func(ctx context.Context, p *page) (env.Outcome, error) {
		return b.historyStep(ctx, p, +1)
	})(ctx, p)
}

func (b *instance) hasOpener(p *page) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ours(p.opener)
}

// historyStep goes one entry back (-1) or forward (+1). The empty page a tab
// starts with counts as no page.
func (b *instance) historyStep(ctx context.Context, p *page, step int) (env.Outcome, error) {
	s, cancel := b.bind(ctx, p)
	defer cancel()
	history, err := proto.PageGetNavigationHistory{}.Call(s)
	if err != nil {
		return env.Outcome{}, err
	}
	way := "earlier"
	if step > 0 {
		way = "later"
	}
	i := history.CurrentIndex + step
	if i < 0 || i >= len(history.Entries) || (i == 0 && history.Entries[0].URL == "about:blank") {
		return env.Outcome{}, env.Fail(env.NoEffect, "there is no %s page in this tab's history", way)
	}
	entry := history.Entries[i]
	if err := (proto.PageNavigateToHistoryEntry{EntryID: entry.ID}).Call(s); err != nil {
		return env.Outcome{}, err
	}
	if err := b.arrived(ctx, p, entry.ID); err != nil {
		return env.Outcome{}, err
	}
	return env.Outcome{Text: fmt.Sprintf("went to the %s page, %s", way, shownAddress(entry.URL))}, nil
}

// arrived waits until the entry is the page's current one: history is walked
// after the command that asks for it has been answered.
func (b *instance) arrived(ctx context.Context, p *page, entry int) error {
	s, cancel := b.bind(ctx, p)
	defer cancel()
	return poll(ctx, settlePoll, func() (bool, error) {
		history, err := proto.PageGetNavigationHistory{}.Call(s)
		if err != nil {
			return false, err
		}
		if err := b.refusedTo(p); err != nil {
			return false, err
		}
		i := history.CurrentIndex
		return i >= 0 && i < len(history.Entries) && history.Entries[i].ID == entry, nil
	})
}

// plainFailures say in words what the browser's error names mean.
var plainFailures = map[string]string{
	"NAME_NOT_RESOLVED":          "the host does not exist",
	"CONNECTION_REFUSED":         "the host refuses connections",
	"CONNECTION_RESET":           "the host broke the connection off",
	"CONNECTION_CLOSED":          "the host closed the connection",
	"CONNECTION_TIMED_OUT":       "the host does not answer",
	"TIMED_OUT":                  "the host does not answer",
	"ADDRESS_UNREACHABLE":        "the host cannot be reached",
	"INTERNET_DISCONNECTED":      "there is no network",
	"NETWORK_CHANGED":            "the network changed meanwhile",
	"EMPTY_RESPONSE":             "the host sent nothing",
	"TOO_MANY_REDIRECTS":         "the site redirects in a circle",
	"CERT_AUTHORITY_INVALID":     "the site's certificate is not trusted",
	"CERT_DATE_INVALID":          "the site's certificate has expired",
	"CERT_COMMON_NAME_INVALID":   "the site's certificate is for another host",
	"SSL_PROTOCOL_ERROR":         "the site does not speak TLS properly",
	"INVALID_AUTH_CREDENTIALS":   "the site asks for a user name and password",
	"HTTP_RESPONSE_CODE_FAILURE": "the site answered with an error and no page",
	"PROXY_CONNECTION_FAILED":    "the proxy cannot be reached",
	"TUNNEL_CONNECTION_FAILED":   "the proxy refuses this host",
	"BLOCKED_BY_CLIENT":          "it is blocked",
	"BLOCKED_BY_RESPONSE":        "the site does not allow it",
	"UNKNOWN_URL_SCHEME":         "no browser opens this kind of address",
	"INVALID_URL":                "the address is not valid",
	"FILE_NOT_FOUND":             "the file does not exist",
	"UNSAFE_PORT":                "browsers do not connect to this port",
}

// plainFailure gives the words and the browser's own name.
func plainFailure(name string) string {
	if name == "" {
		return "the network failed"
	}
	if words, ok := plainFailures[strings.TrimPrefix(name, "net::ERR_")]; ok {
		return words + " (" + name + ")"
	}
	return name
}

// shownAddress is an address as outcomes name it: short, and without a password.
func shownAddress(address string) string { return cut(env.WithoutUser(address), 200) }
