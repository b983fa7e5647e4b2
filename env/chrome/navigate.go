package chrome

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-rod/rod/lib/cdp"
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
	to := func(context.Context, *page) string { return a.URL }
	return b.patiently(to, b.travelling(func(ctx context.Context, p *page) (env.Outcome, error) {
		return b.visit(ctx, p, a.URL)
	})), nil
}

// travelling is settled for actions that load a document: they have
// Config.NavigationLimit for the server to begin its answer.
func (b *instance) travelling(do act) act {
	return func(ctx context.Context, p *page) (env.Outcome, error) {
		s := b.prepare(ctx, p)
		limited, cancel := context.WithTimeoutCause(ctx, b.cfg.NavigationLimit, errNoResponse)
		b.update(func() { p.leaving = true })
		out, err := do(patient(limited, b.cfg.NavigationLimit+callLimit), p)
		b.update(func() { p.leaving = false })
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
	var said *cdp.Error
	if errors.As(err, &said) && strings.Contains(said.Message, "invalid URL") {
		return env.Outcome{}, env.Fail(env.BadArgument, "%q is not an address that exists; check its host and port", shownAddress(address))
	}
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
	return env.Outcome{}, b.failedTo(b.failureName(p, res.ErrorText), address, p)
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
	return b.patiently(b.address, b.travelling(func(ctx context.Context, p *page) (env.Outcome, error) {
		s, cancel := b.bind(ctx, p)
		defer cancel()
		return env.Outcome{Text: "loaded the page again"}, proto.PageReload{}.Call(s)
	}))(ctx, p)
}

// shownAddress is an address as outcomes name it: short, and without a password.
func shownAddress(address string) string { return cut(env.WithoutUser(address), 200) }
