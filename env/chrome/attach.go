package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// attachLimit is how long a running browser may take to let us in.
const attachLimit = 30 * time.Second

var errNoAttach = fmt.Errorf("nothing there spoke the browser's protocol within %v", attachLimit)

// Attach opens a tab of its own in a running browser and drives that. endpoint is
// what the browser was started with ("9222", ":9222", "host:9222",
// "http://host:9222") or its WebSocket address ("ws://…", "wss://…"). The tabs
// that are open there stay as they are, and Close closes only what was opened
// here. Config.Binary, ProfileDir, Window and Proxy have no meaning.
func Attach(ctx context.Context, endpoint string, cfg Config) (*Browser, error) {
	cfg = cfg.withDefaults()
	if err := checkUploads(cfg.Uploads); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, attachLimit, errNoAttach)
	defer cancel()
	address, err := resolve(ctx, endpoint)
	if err != nil {
		return nil, attachError(ctx, endpoint, err)
	}
	t, err := dial(ctx, address)
	if err != nil {
		return nil, attachError(ctx, endpoint, err)
	}
	b := newInstance(cfg, t)
	if err := b.open(ctx, openAttached); err != nil {
		_ = b.Close()
		return nil, attachError(ctx, endpoint, err)
	}
	return &Browser{current: b}, nil
}

func attachError(ctx context.Context, endpoint string, err error) error {
	var request *url.Error // carries the whole address, key and all
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.As(err, &request):
		err = request.Err
	}
	return fmt.Errorf("attach to %s: %w; start the browser with --remote-debugging-port=9222 and give that address", redact(endpoint), err)
}

// redact leaves out the parts of an endpoint that may be secret: a hosted
// browser's key is in its query.
func redact(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return cut(endpoint, 60)
	}
	return u.Scheme + "://" + u.Host
}

func openAttached(ctx context.Context, b *instance) error {
	if err := (proto.TargetSetDiscoverTargets{Discover: true}).Call(b.root(ctx)); err != nil {
		return err
	}
	return b.newTab(ctx)
}

// leave closes our tabs in a browser that goes on without us. When they are its
// last ones, one stays behind empty, because a browser quits with its last tab.
func (b *instance) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	b.mu.Lock()
	pages := b.pages
	b.pages = nil // what closes now is not replaced
	b.mu.Unlock()
	targets, err := proto.TargetGetTargets{Filter: proto.TargetTargetFilter{{Type: "page"}}}.Call(b.root(ctx))
	if err != nil {
		return
	}
	if len(pages) > 0 && len(targets.TargetInfos) <= len(pages) {
		_, _ = proto.PageNavigate{URL: "about:blank"}.Call(session{ctx, b.conn, pages[0].session})
		pages = pages[1:]
	}
	for _, p := range pages {
		_, _ = proto.TargetCloseTarget{TargetID: p.target}.Call(b.root(ctx))
	}
	if b.cfg.DownloadDir != "" {
		_ = proto.BrowserSetDownloadBehavior{Behavior: proto.BrowserSetDownloadBehaviorBehaviorDefault}.Call(b.root(ctx))
	}
}

// resolve turns what people write into a WebSocket address.
func resolve(ctx context.Context, endpoint string) (string, error) {
	endpoint = strings.TrimSpace(endpoint)
	if strings.HasPrefix(endpoint, "ws://") || strings.HasPrefix(endpoint, "wss://") {
		if u, err := url.Parse(endpoint); err != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
			return endpoint, err
		}
		endpoint = "http" + strings.TrimPrefix(endpoint, "ws")
	}
	if !strings.Contains(endpoint, "://") {
		if !strings.Contains(endpoint, ":") {
			endpoint = ":" + endpoint
		}
		if strings.HasPrefix(endpoint, ":") {
			endpoint = "127.0.0.1" + endpoint
		}
		endpoint = "http://" + endpoint
	}
	base, err := url.Parse(endpoint)
	if err != nil || base.Host == "" {
		return "", errors.New("it is not an address such as http://127.0.0.1:9222")
	}
	return askVersion(ctx, base)
}

// askVersion asks the browser's HTTP side for its WebSocket address. The browser
// names itself as it sees itself; from here it is where it was asked.
func askVersion(ctx context.Context, base *url.URL) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("json/version").String(), nil)
	if err != nil {
		return "", err
	}
	client := httpClient()
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return "", err
	}
	var version struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	if res.StatusCode != http.StatusOK || json.Unmarshal(body, &version) != nil || version.Address == "" {
		return "", fmt.Errorf("%s/json/version answered %s and no browser", redact(base.String()), res.Status)
	}
	u, err := url.Parse(version.Address)
	if err != nil {
		return "", err
	}
	u.Host, u.User = base.Host, base.User
	if base.Scheme == "https" {
		u.Scheme = "wss"
	}
	return u.String(), nil
}

// httpClient goes through the system's proxy, except to this machine.
func httpClient() *http.Client {
	return &http.Client{Transport: &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) {
		host := r.URL.Hostname()
		if ip := net.ParseIP(host); host == "localhost" || (ip != nil && ip.IsLoopback()) {
			return nil, nil
		}
		return http.ProxyFromEnvironment(r)
	}}}
}
