package wall

import (
	"net"
	"strconv"
	"strings"
	"sync"
)

// maxFailures bounds the hosts whose failures are remembered.
const maxFailures = 500

// failures are the last errors of hosts that could not be connected to.
type failures struct {
	mu   sync.Mutex
	last map[string]error
}

func key(host string, port uint16) string {
	return net.JoinHostPort(strings.ToLower(host), strconv.Itoa(int(port)))
}

func (f *failures) set(host string, port uint16, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil || len(f.last) >= maxFailures {
		f.last = map[string]error{}
	}
	f.last[key(host, port)] = err
}

func (f *failures) clear(host string, port uint16) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.last, key(host, port))
}

func (f *failures) of(host string, port uint16) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last[key(host, port)]
}
