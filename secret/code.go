package secret

import (
	"context"
	"encoding/base32"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
)

// code makes one-time codes of a seed and remembers those that it gave: they are
// values too. Several goroutines may use it.
type code struct {
	seed string
	opts totp.ValidateOpts

	mu    sync.Mutex
	given []string
}

var errSeed = errors.New("its value is no seed of one-time codes; it has to be the base32 text that the site gave (letters and the digits 2 to 7), or an otpauth://totp/ address")

// newCode reads a seed: base32 as sites show it, in groups and either case, or an
// otpauth address, which may say how long a code is and lives.
func newCode(text string) (*code, error) {
	c := &code{opts: totp.ValidateOpts{Period: 30, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}}
	c.seed = text
	if strings.HasPrefix(strings.ToLower(text), "otpauth:") {
		key, err := otp.NewKeyFromURL(text)
		if err != nil || key.Type() != "totp" || key.Secret() == "" {
			return nil, errSeed
		}
		c.seed = key.Secret()
		c.opts = totp.ValidateOpts{Period: uint(key.Period()), Digits: key.Digits(), Algorithm: key.Algorithm(), Encoder: key.Encoder()}
	}
	c.seed = strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "\t", "", "=", "").Replace(c.seed))
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(c.seed)
	if err != nil || len(raw) < 8 || c.opts.Period == 0 || c.opts.Period > 3600 || c.opts.Digits < 4 || c.opts.Digits > 10 {
		return nil, errSeed
	}
	if _, err := c.at(time.Unix(0, 0)); err != nil {
		return nil, errSeed
	}
	return c, nil
}

func (c *code) at(now time.Time) (string, error) {
	return totp.GenerateCodeCustom(c.seed, now, c.opts)
}

// A code has to live for lasting when it is typed, and is waited for no longer
// than patience.
const (
	lasting  = 3 * time.Second
	patience = time.Minute
)

// next gives the code of the moment. It waits for the following one when this one
// is about to end, or was given already: sites take each once. It returns the
// cause of ctx when that ends first.
func (c *code) next(ctx context.Context) (string, error) {
	for {
		now := time.Now()
		text, err := c.at(now)
		if err != nil {
			return "", errSeed
		}
		period := time.Duration(c.opts.Period) * time.Second
		left := period - time.Duration(now.UnixNano()%int64(period))
		if !c.used(text) && (left >= lasting || period <= 2*lasting) || left > patience {
			c.give(text)
			return text, nil
		}
		wait := time.NewTimer(left + 50*time.Millisecond)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return "", context.Cause(ctx)
		}
	}
}

// recall remembers the codes that may have been typed at a moment in another life of
// the program.
func (c *code) recall(at time.Time) {
	period := time.Duration(c.opts.Period) * time.Second
	last := at.Add(patience + period)
	if now := time.Now(); now.Before(last) {
		last = now
	}
	for moment := at.Add(-period); !moment.After(last); moment = moment.Add(period) {
		if text, err := c.at(moment); err == nil {
			c.give(text)
		}
	}
}

func (c *code) used(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.given) > 0 && c.given[len(c.given)-1] == text
}

func (c *code) give(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.given, text) {
		c.given = append(c.given, text)
	}
}

// codes are those given so far, oldest first.
func (c *code) codes() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.given)
}
