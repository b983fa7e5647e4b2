package modeltest

import (
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
)

// Chaos makes a share of the requests, between 0 and 1, fail in one of the given
// ways each. Which ones follows from the seed and the order of arrival alone.
func Chaos(seed uint64, share float64, faults ...Fault) Fault {
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(seed, seed))
	return func(next http.Handler) http.Handler {
		var faulty []http.Handler
		for _, fault := range faults {
			faulty = append(faulty, fault(next))
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			hit, which := dice.Float64() < share, dice.IntN(max(1, len(faulty)))
			mu.Unlock()
			if hit && len(faulty) > 0 {
				faulty[which].ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Body answers with a status and a body of a content type, without asking the
// brain: a proxy's web page, a plain text.
func Body(status int, contentType, body string) Fault {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
}
