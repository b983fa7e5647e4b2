package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"syscall"
)

// silence says in few words why nobody answered.
func silence(ctx context.Context, err error) error {
	var failed *url.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w: connection refused", errSilent)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", errSilent, context.Cause(ctx))
	case errors.As(err, &failed):
		err = failed.Err // without the address, which is named already
	}
	return fmt.Errorf("%w: %w", errSilent, err)
}

// advice says what to do when nothing was found; exists tells whether a file does.
func (a *asker) advice(p place, exists func(path string) bool) string {
	switch {
	case a.locked:
		return "the server wants an API key; set it, or the right one"
	case a.refused && p.isLoopback() && (exists("/.dockerenv") || exists("/run/.containerenv")):
		return fmt.Sprintf("inside a container %s is the container itself; a server on the host is http://host.docker.internal:%s",
			p.host, p.port)
	case a.refused:
		return "start the server, for example with ollama serve, or check the endpoint"
	}
	return "check the endpoint"
}

func (p place) isLoopback() bool {
	ip := net.ParseIP(p.host)
	return p.host == "localhost" || ip != nil && ip.IsLoopback()
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
