package modeltest

import (
	"context"
	"net/http"
	"time"
)

// load gives the context that the model has for a request, in tokens. Loading it
// takes its time, and is given up when the one who asked goes away.
func (s *Server) load(ctx context.Context, req Request) int {
	limit := defaultNumCtx
	if n, ok := req.Options["num_ctx"].(float64); ok && n > 0 {
		limit = int(n)
	}
	limit = min(limit, s.config.Context)
	s.loading.Lock()
	defer s.loading.Unlock()
	if s.begin(limit) {
		timer := time.NewTimer(s.config.Load)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			panic(http.ErrAbortHandler)
		}
		s.mu.Lock()
		s.numCtx = limit
		s.mu.Unlock()
	}
	return limit
}

// begin reports whether the model has to be loaded, and counts that.
func (s *Server) begin(limit int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.numCtx == limit {
		return false
	}
	s.numCtx = 0
	s.loads++
	return true
}
