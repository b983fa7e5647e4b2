package chrome

import (
	"context"
	"errors"
	"fmt"
	"math"
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
// DownloadDir. It returns ErrNoBrowser when there is nothing to start, and within
// ten seconds what is wrong with a program that is no browser, with its own last
// words when it has any.
func Launch(ctx context.Context, cfg Config) (*Browser, error) {
	cfg = cfg.withDefaults()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	before, err := readState(cfg.Resume)
	if err != nil {
		return nil, err
	}
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
	b, err := launch(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return b.goOn(ctx, before)
}

func launch(ctx context.Context, cfg Config) (*Browser, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, launchLimit, errNoStart)
	defer cancel()
	r, err := releaseOf(ctx, cfg.Binary)
	if err != nil {
		return nil, fmt.Errorf("start the browser: %w", err)
	}
	home, err := openProfile(cfg.ProfileDir)
	if err != nil {
		return nil, err
	}
	s := &starter{cfg: cfg, release: r, home: home, past: &past{}, sandbox: sandboxHere()}
	i, err := s.first(ctx)
	if err != nil {
		_ = home.close(context.WithoutCancel(ctx))
		return nil, err
	}
	return newBrowser(i, home, s.start), nil
}

// sandbox says whether a browser runs in its sandbox.
type sandbox string

const (
	sandboxed   sandbox = "sandboxed"
	unsandboxed sandbox = "unsandboxed"
)

// starter starts browsers that follow each other on one profile.
type starter struct {
	cfg     Config
	release release
	home    *profile
	past    *past
	sandbox sandbox
}

// first starts the first browser: without its sandbox when that does not work
// here, which is never done in silence.
func (s *starter) first(ctx context.Context) (*instance, error) {
	why := "Chromium has none for root"
	i, err := s.start(ctx)
	if err != nil && ctx.Err() == nil && s.sandbox == sandboxed && isSandboxFailure(err) {
		why, s.sandbox = "this system does not allow it", unsandboxed
		i, err = s.start(ctx)
	}
	if err == nil && s.sandbox == unsandboxed {
		s.cfg.Logger.Warn("the browser runs without its sandbox: " + why + "; run as another user, or open only pages you trust")
	}
	return i, err
}

// start starts one browser.
func (s *starter) start(ctx context.Context) (*instance, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, launchLimit, errNoStart)
	defer cancel()
	s.home.tidy()
	proc, pipe, err := startProcess(s.cfg.Binary, s.arguments(), s.home.tempDir())
	if err != nil {
		return nil, fmt.Errorf("start the browser: %w; install Chromium or name another one with --browser PATH", err)
	}
	s.home.inUseBy(proc.cmd.Process.Pid)
	b := newInstance(s.cfg, pipe, s.past)
	b.process, b.identity = proc, identityOf(s.cfg, s.release)
	b.whenOver(proc.exited)
	if err := b.open(ctx, openLaunched); err != nil {
		err = s.explain(ctx, proc, err)
		_ = b.Close()
		return nil, err
	}
	s.cfg.Logger.Debug("browser started", "binary", s.cfg.Binary, "pid", proc.cmd.Process.Pid)
	return b, nil
}

// exitError tells of a browser that ended while it was starting.
type exitError struct{ text, stderr string }

func (e *exitError) Error() string { return e.text }

// explain finds the plainest words for why the browser did not come up.
func (s *starter) explain(ctx context.Context, p *process, err error) error {
	if !errors.Is(err, env.ErrLost) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("start the browser: %w%s", err, quote(p.stderr.lines(3)))
	}
	leaving := time.NewTimer(time.Second)
	defer leaving.Stop()
	select {
	case <-p.exited:
	case <-leaving.C:
		return fmt.Errorf("start the browser: %s does not speak the browser's protocol; name another one with --browser PATH (%w)%s",
			p.cmd.Path, err, quote(p.stderr.lines(3)))
	case <-ctx.Done():
		return fmt.Errorf("start the browser: %w", context.Cause(ctx))
	}
	said := p.stderr.lines(10)
	text := fmt.Sprintf("start the browser: %s ended at once (%s)", p.cmd.Path, p.cmd.ProcessState)
	if strings.Contains(said, "ProcessSingleton") || strings.Contains(said, "existing browser session") {
		return &exitError{fmt.Sprintf("%s; its profile is in use%s: close that one or choose another --profile-dir", text, s.home.heldBy()), said}
	}
	return &exitError{text + quote(p.stderr.lines(3)), said}
}

// quote gives the last words of a program, as part of a line.
func quote(said string) string {
	said = strings.Join(strings.Fields(said), " ")
	if said == "" {
		return ""
	}
	return "; it said: " + cutFront(said, 300)
}

// cutFront shortens text to its last n runes at most and marks the cut.
func cutFront(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return "…" + string(r[len(r)-n+1:])
	}
	return text
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
func (s *starter) arguments() []string {
	cfg := s.cfg
	size := fmt.Sprintf("%d,%d", cfg.Viewport.W, cfg.Viewport.H)
	args := []string{
		"--remote-debugging-pipe", "--no-startup-window", "--user-data-dir=" + s.home.dir,
		"--no-first-run", "--no-default-browser-check", "--no-service-autorun", "--hide-crash-restore-bubble",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-domain-reliability", "--disable-client-side-phishing-detection", "--disable-default-apps",
		"--disable-breakpad", "--disable-crash-reporter", "--metrics-recording-only",
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		"--disable-hang-monitor", "--disable-smooth-scrolling", "--disable-infobars", "--disable-quic",
		"--disable-features=Translate,MediaRouter,OptimizationHints,GlobalMediaControls,DialMediaRouteProvider,AcceptCHFrame,Prerender2",
		"--password-store=basic", "--use-mock-keychain", "--force-color-profile=srgb", "--mute-audio",
		"--window-size=" + size,
		// A scale that is only emulated does not reach frames of other sites, where
		// clicks then land in the wrong place.
		fmt.Sprintf("--force-device-scale-factor=%v", cfg.Scale),
	}
	if cfg.Window == Headless {
		pixels := func(n int) int { return int(math.Round(float64(n) * cfg.Scale)) }
		args = append(args, "--headless=new", "--disable-gpu",
			fmt.Sprintf("--screen-info={%dx%d}", pixels(cfg.Viewport.W), pixels(cfg.Viewport.H)))
	}
	if id := identityOf(cfg, s.release); id != nil {
		args = append(args, "--user-agent="+id.UserAgent)
	}
	if s.sandbox == unsandboxed {
		args = append(args, "--no-sandbox")
	}
	if SmallSharedMemory() {
		args = append(args, "--disable-dev-shm-usage")
	}
	return append(args, oneWayOut(cfg.Proxy)...)
}
