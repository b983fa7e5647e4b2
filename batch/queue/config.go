package queue

import (
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Config says where a queue is and how it behaves. Only URL is needed.
type Config struct {
	// URL is where the servers are: nats://HOST:4222, tls://HOST:4222, ws:// or wss://,
	// several of one cluster separated by commas. A user and password or a token may
	// stand in it: nats://USER:PASSWORD@HOST, nats://TOKEN@HOST.
	URL string
	// Name is the queue's, of up to 32 letters, digits, hyphens and underscores; empty is
	// "fara". One queue holds one batch at a time.
	Name string
	// Credentials is the path of a .creds file; empty uses none.
	Credentials string
	// Connect limits the first connection; 0 is 10 seconds. Later a lost connection is
	// made again for as long as it takes.
	Connect time.Duration
	// Wait limits how long Join waits for a queue that is not there yet; 0 is a minute.
	Wait time.Duration
	// AckWait is how long a silent worker keeps its job before another gets it; 0 is 60
	// seconds. The batch's side decides, a worker's own value is not used.
	AckWait time.Duration
	// MaxDeliveries is how many workers may be lost over one job; 0 is 5. The batch's
	// side decides.
	MaxDeliveries int
	// Replicas is how many servers of a cluster keep each message: 1, 3 or 5; 0 is 1. The
	// batch's side decides.
	Replicas int
	// MaxFolder limits the bytes of a folder that is unpacked, and of one that is packed;
	// 0 is 2 GiB.
	MaxFolder int64
	// Logger hears of lost and new connections and of repeated tries; nil is silent.
	Logger *slog.Logger
	// Notify, if not nil, hears the same for showing it: whether there is a connection
	// and what is in the way, nil when nothing is. It is called from several goroutines
	// and must return soon.
	Notify func(connected bool, err error)
}

var goodName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// complete fills in what was left out and refuses what cannot work.
func (c Config) complete() (Config, error) {
	if c.Name == "" {
		c.Name = "fara"
	}
	if !goodName.MatchString(c.Name) {
		return c, fmt.Errorf("%w: the name %q; use up to 32 letters, digits, hyphens and underscores", ErrConfig, c.Name)
	}
	if err := checkAddresses(c.URL); err != nil {
		return c, err
	}
	if c.Credentials != "" {
		text, err := os.ReadFile(c.Credentials)
		if err != nil {
			return c, fmt.Errorf("%w: credentials: %w", ErrConfig, err)
		}
		if !strings.Contains(string(text), "BEGIN NATS USER JWT") {
			return c, fmt.Errorf("%w: %s is no credentials file; nsc generate creds makes one", ErrConfig, c.Credentials)
		}
	}
	if c.Replicas < 0 || c.Replicas > 5 {
		return c, fmt.Errorf("%w: %d replicas; use 1, 3 or 5", ErrConfig, c.Replicas)
	}
	if c.AckWait < 0 || c.MaxDeliveries < 0 || c.Connect < 0 || c.Wait < 0 || c.MaxFolder < 0 {
		return c, fmt.Errorf("%w: times and limits cannot be negative", ErrConfig)
	}
	c.Connect = or(c.Connect, 10*time.Second)
	c.Wait = or(c.Wait, time.Minute)
	c.AckWait = or(c.AckWait, time.Minute)
	c.MaxDeliveries = or(c.MaxDeliveries, 5)
	c.Replicas = or(c.Replicas, 1)
	c.MaxFolder = or(c.MaxFolder, 2<<30)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Notify == nil {
		c.Notify = func(bool, error) {}
	}
	return c, nil
}

// or gives v, or what stands for its zero.
func or[T comparable](v, instead T) T {
	var zero T
	if v == zero {
		return instead
	}
	return v
}

var schemes = []string{"nats", "tls", "ws", "wss"}

// checkAddresses refuses addresses that no server can have. It repeats none, since a
// password may stand in it.
func checkAddresses(list string) error {
	for _, one := range strings.Split(list, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Hostname() == "" || !slices.Contains(schemes, u.Scheme) {
			return fmt.Errorf("%w: the address of the server; write it as nats://HOST:4222 or tls://HOST:4222", ErrConfig)
		}
	}
	return nil
}

// plain gives the addresses without users and passwords.
func plain(list string) string {
	var all []string
	for _, one := range strings.Split(list, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			all = append(all, u.Scheme+"://"+u.Host)
		}
	}
	return strings.Join(all, ",")
}
