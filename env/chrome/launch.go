package chrome

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fara/env"
)

// launchLimit is how long a browser may take to start and open its tab: under
// two seconds on an idle machine, far more when many start at once.
const launchLimit = 60 * time.Second

// errNoStart is the cause of a launch that took longer than launchLimit.
var errNoStart = fmt.Errorf("the browser did not start within %v", launchLimit)

// Launch starts a browser of our own with one empty tab. Nothing of it survives
// Close or the end of this process, however that ends, except ProfileDir and
// DownloadDir. It returns ErrNoBrowser when there is nothing to start, and the
// browser's own last words when it does not come up.
func Launch(ctx context.Context, cfg Config) (*Browser, error) {
	cfg = cfg.withDefaults()
	if err := checkUploads(cfg.Uploads); err != nil {
		return nil, err
	}
	if cfg.Binary == "" {
		path, err := Find()
		if err != nil {
			return nil, err
		}
		cfg.Binary = path
	}
	if missing := noScreen(); cfg.Window == Headful && missing != "" {
		return nil, fmt.Errorf("show the browser: %s", missing)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, launchLimit, errNoStart)
	defer cancel()
	b, err := launch(ctx, cfg, sandboxless())
	if err != nil && ctx.Err() == nil && isSandboxFailure(err) {
		cfg.Logger.Warn("the browser runs without its sandbox, which does not work here", "err", err)
		b, err = launch(ctx, cfg, true)
	}
	if err != nil {
		return nil, err
	}
	return &Browser{current: b}, nil
}

func launch(ctx context.Context, cfg Config, unsafe bool) (*instance, error) {
	home, err := openProfile(cfg.ProfileDir)
	if err != nil {
		return nil, err
	}
	proc, pipe, err := startProcess(cfg.Binary, arguments(cfg, home.dir, unsafe), home.tempDir())
	if err != nil {
		_ = home.close(ctx)
		return nil, fmt.Errorf("start the browser: %w; install Chromium or name another one with --browser PATH", err)
	}
	b := newInstance(cfg, pipe)
	b.process, b.profile = proc, home
	b.whenOver(proc.exited)
	if err := b.open(ctx, openLaunched); err != nil {
		err = launchError(ctx, proc, err)
		_ = b.Close()
		return nil, err
	}
	cfg.Logger.Debug("browser started", "binary", cfg.Binary, "pid", proc.cmd.Process.Pid)
	return b, nil
}

// exitError tells of a browser that ended while it was starting.
type exitError struct{ text, stderr string }

func (e *exitError) Error() string { return e.text }

// launchError finds the plainest words for why the browser did not come up.
func launchError(ctx context.Context, p *process, err error) error {
	if !errors.Is(err, env.ErrLost) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("start the browser: %w%s", err, quote(p.stderr.lines(3)))
	}
	select {
	case <-p.exited:
	case <-ctx.Done():
		return fmt.Errorf("start the browser: %w", context.Cause(ctx))
	}
	said := p.stderr.lines(10)
	text := fmt.Sprintf("start the browser: %s ended at once (%s)", p.cmd.Path, p.cmd.ProcessState)
	if strings.Contains(said, "ProcessSingleton") || strings.Contains(said, "existing browser session") {
		return &exitError{text + "; its profile is in use by another browser: close that one or choose another --profile-dir", said}
	}
	return &exitError{text + quote(said), said}
}

func quote(said string) string {
	if said == "" {
		return ""
	}
	return "; it said:\n" + said
}

func isSandboxFailure(err error) bool {
	var e *exitError
	if !errors.As(err, &e) {
		return false
	}
	for _, sign := range []string{"No usable sandbox", "Failed to move to new namespace", "--no-sandbox", "sandbox_host_linux"} {
		if strings.Contains(e.stderr, sign) {
			return true
		}
	}
	return false
}

// arguments are the browser's flags: no first-run pages, no calls home, no
// throttling of what is not in front, and a screen as large as the page, because
// menus are placed by it.
func arguments(cfg Config, profile string, unsafe bool) []string {
	size := fmt.Sprintf("%d,%d", cfg.Viewport.W, cfg.Viewport.H)
	args := []string{
		"--remote-debugging-pipe", "--no-startup-window", "--user-data-dir=" + profile,
		"--no-first-run", "--no-default-browser-check", "--no-service-autorun",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-domain-reliability", "--disable-client-side-phishing-detection", "--disable-default-apps",
		"--disable-breakpad", "--disable-crash-reporter", "--metrics-recording-only",
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		"--disable-hang-monitor", "--disable-smooth-scrolling", "--disable-infobars", "--disable-quic",
		"--disable-features=Translate,MediaRouter,OptimizationHints,GlobalMediaControls,DialMediaRouteProvider,AcceptCHFrame,Prerender2",
		"--password-store=basic", "--use-mock-keychain", "--force-color-profile=srgb", "--mute-audio",
		"--window-size=" + size,
	}
	if cfg.Window == Headless {
		args = append(args, "--headless=new", "--disable-gpu",
			fmt.Sprintf("--screen-info={%dx%d}", cfg.Viewport.W, cfg.Viewport.H))
	}
	if unsafe {
		args = append(args, "--no-sandbox")
	}
	if smallSharedMemory() {
		args = append(args, "--disable-dev-shm-usage")
	}
	return append(args, oneWayOut(cfg.Proxy)...)
}
