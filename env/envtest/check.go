package envtest

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"fara/env"
)

// check refuses what a browser refuses before it does anything.
func check(a env.Action, size env.Size) error {
	if !a.Kind.InBrowser() || !known(a.Kind) {
		return env.Fail(env.BadArgument, "%q is not an action of the browser", a.Kind)
	}
	for _, p := range []*env.Point{a.From, a.Point} {
		if p != nil && !(p.X >= 0 && p.X < float64(size.W) && p.Y >= 0 && p.Y < float64(size.H)) {
			return env.Fail(env.BadArgument, "%s at %v is outside the page's visible %v pixels", a.Kind, p, size)
		}
	}
	missing := ""
	switch a.Kind {
	case env.MouseMove, env.LeftClick, env.RightClick, env.DoubleClick, env.TripleClick, env.LeftClickDrag:
		missing = when(a.Point == nil, "a point")
	case env.Key:
		missing = when(len(a.Keys) == 0, "a key")
	case env.Type:
		missing = when(a.Text == "" && !a.Clear && !a.Enter, "a text")
	case env.Scroll, env.HScroll:
		missing = when(a.DX == 0 && a.DY == 0, "a distance")
	case env.Wait:
		missing = when(a.For < 0, "a time that is not negative")
	case env.VisitURL:
		u, err := url.Parse(a.URL)
		missing = when(err != nil || u.Scheme == "", "a full address")
	}
	if missing != "" {
		return env.Fail(env.BadArgument, "%s needs %s", a.Kind, missing)
	}
	return nil
}

func known(kind env.Kind) bool {
	for _, k := range env.Kinds() {
		if k == kind {
			return true
		}
	}
	return false
}

func when(lacking bool, what string) string {
	if lacking {
		return what
	}
	return ""
}

func pause(ctx context.Context, d time.Duration) (env.Outcome, error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return env.Outcome{Text: fmt.Sprintf("waited %v", d)}, nil
	case <-ctx.Done():
		return env.Outcome{}, context.Cause(ctx)
	}
}
