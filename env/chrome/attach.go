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

	"fara/env"
)

// attachLimit is how long a running browser may take to let us in.
const attachLimit = 9 * time.Second

var errNoAttach = fmt.Errorf("nothing there spoke a browser's protocol within %v", attachLimit)

// Attach opens a tab of its own in a running browser and drives that. endpoint is
// what the browser was started with ("9222", ":9222", "host:9222",
// "http://host:9222") or its WebSocket address ("ws://…", "wss://…"). The tabs
// that are open there stay as they are, and Close closes only what was opened
// here. Downloads go where that browser puts them, and its scale is its own.
// Config.Binary, ProfileDir, DownloadDir, Scale, Window, Identity, Grant and Proxy have
// no meaning. A browser that
// ends is lost: it is not ours to start.
func Attach(ctx context.Context, endpoint string, cfg Config) (*Browser, error) {
	cfg = cfg.withDefaults()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := checkUploads(cfg.Uploads); err != nil {
		return nil, err
	}
	before, err := readState(cfg.Resume)
	if err != nil {
		return nil, err
	}
	cfg.Scale = 0 // the browser's own
	b, err := attach(ctx, endpoint, cfg)
	if err != nil {
		return nil, err
	}
	return b.goOn(ctx, before)
}

func attach(ctx context.Context, endpoint string, cfg Config) (*Browser, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, attachLimit, errNoAttach)
	defer cancel()
	address, err := resolve(ctx, endpoint, cfg.Header)
	if err != nil {
		return nil, attachError(ctx, endpoint, err)
	}
	t, err := dial(ctx, address, cfg.Header)
	if err != nil {
		return nil, attachError(ctx, endpoint, err)
	}
	b := newInstance(cfg, t, &past{})
	if err := b.open(ctx, openAttached); err != nil {
		_ = b.Close()
		return nil, attachError(ctx, endpoint, err)
	}
	return newBrowser(b, nil, nil), nil
}

func attachError(ctx context.Context, endpoint string, err error) error {
	var request *url.Error // carries the whole address, key and all
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.As(err, &request):
		err = request.Err
	case errors.Is(err, env.ErrLost):
		err = fmt.Errorf("what is there speaks no browser's protocol (%w)", err)
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
	if len(pages) == 0 {
		return
	}
	targets, err := proto.TargetGetTargets{Filter: proto.TargetTargetFilter{{Type: "page"}}}.Call(b.root(ctx))
	if err != nil {
		return
	}
	if len(targets.TargetInfos) <= len(pages) {
		_, _ = proto.PageNavigate{URL: "about:blank"}.Call(session{ctx, b.conn, pages[0].session})
		pages = pages[1:]
	}
	for _, p := range pages {
		_, _ = proto.TargetCloseTarget{TargetID: p.target}.Call(b.root(ctx))
	}
}

// resolve turns what people write into a WebSocket address.
func resolve(ctx context.Context, endpoint string, header http.Header) (string, error) {
	endpoint = strings.TrimSpace(endpoint)
	if strings.HasPrefix(endpoint, "ws://") || strings.HasPrefix(endpoint, "wss://") {
		if u, err := url.Parse(endpoint); err != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
			return endpoint, err
		}
		endpoint = "http" + strings.TrimPrefix(endpoint, "ws")
	}
	if !strings.Contains(endpoint, "://") {
		endpoint = "http://" + withPort(endpoint)
	}
	base, err := url.Parse(endpoint)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return "", errors.New("it is not an address such as http://127.0.0.1:9222")
	}
	return askVersion(ctx, base, header)
}

// withPort completes what is not a whole address: "9222" and ":9222" are ports of
// this machine, and a host without a port has the usual one.
func withPort(endpoint string) string {
	const usual = "9222"
	host, path, _ := strings.Cut(endpoint, "/")
	ip := net.ParseIP(strings.Trim(host, "[]"))
	switch {
	case ip != nil:
		host = net.JoinHostPort(ip.String(), usual)
	case strings.HasPrefix(host, ":"):
		host = "127.0.0.1" + host
	case strings.Trim(host, "0123456789") == "":
		host = "127.0.0.1:" + host
	case !strings.Contains(host, ":"):
		host += ":" + usual
	}
	return host + "/" + path
}

// askVersion asks the browser's HTTP side for its WebSocket address. The browser
// names itself as it sees itself; from here it is where it was asked.
func askVersion(ctx context.Context, base *url.URL, header http.Header) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("json/version").String(), nil)
	if err != nil {
		return "", err
	}
	withHeader(req, header)
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
	if prefix := strings.TrimSuffix(base.Path, "/"); !strings.HasPrefix(u.Path, prefix+"/") {
		u.Path = prefix + u.Path
	}
	if base.Scheme == "https" {
		u.Scheme = "wss"
	}
	return u.String(), nil
}

// withHeader adds the caller's lines. Host is a field of its own in a request.
func withHeader(req *http.Request, header http.Header) {
	for name, values := range header {
		req.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
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
