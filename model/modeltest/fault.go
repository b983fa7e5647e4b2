package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Fault makes a Server's chat endpoints fail in one way. A request that a fault
// fails is in Server.Requests all the same.
type Fault func(next http.Handler) http.Handler

// On applies a fault to the given requests only. They are counted from 1 over
// both APIs, by each On for itself.
func On(fault Fault, nth ...int) Fault {
	var seen atomic.Int64
	return func(next http.Handler) http.Handler {
		faulty := fault(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if slices.Contains(nth, int(seen.Add(1))) {
				faulty.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Status answers with a status and a body, as JSON, without asking the brain.
func Status(status int, body string) Fault {
	return Body(status, "application/json; charset=utf-8", body)
}

// Busy answers 503 in Ollama's words and asks to be left alone for a time, which
// Retry-After gives in whole seconds; 0 leaves the header out.
func Busy(after time.Duration) Fault {
	busy := Status(http.StatusServiceUnavailable,
		`{"error":"server busy, please try again.  maximum pending requests exceeded"}`)
	return func(next http.Handler) http.Handler {
		handler := busy(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if after > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(after/time.Second)))
			}
			handler.ServeHTTP(w, r)
		})
	}
}

// Delay holds the first byte back for a time, or until the client goes away.
func Delay(wait time.Duration) Fault {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			select {
			case <-timer.C:
				next.ServeHTTP(w, r)
			case <-r.Context().Done():
				panic(http.ErrAbortHandler)
			}
		})
	}
}

// Cut sends n chunks and half of the next one, then breaks the connection. A
// reply that is not streamed is one chunk.
func Cut(n int) Fault {
	return after(n, func(w http.ResponseWriter, chunk []byte) {
		writeChunk(w, string(chunk[:len(chunk)/2]))
		panic(http.ErrAbortHandler)
	})
}

// End sends n chunks and leaves out the rest: the response is complete as far
// as HTTP knows, as when Ollama gives up on a model that repeats itself.
func End(n int) Fault {
	return after(n, func(http.ResponseWriter, []byte) {})
}

// FailAfter sends n chunks, then an error in the shape the API has inside a
// stream, and nothing more.
func FailAfter(n int, message string) Fault {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			told := false
			after(n, func(w http.ResponseWriter, _ []byte) {
				if !told {
					told = true
					writeChunk(w, streamError(w.Header().Get("Content-Type"), message))
				}
			})(next).ServeHTTP(w, r)
		})
	}
}

func streamError(contentType, message string) string {
	text, _ := json.Marshal(message) // a string always has a JSON form
	if strings.HasPrefix(contentType, "text/event-stream") {
		return fmt.Sprintf(`data: {"error":{"message":%s,"type":"InternalServerError","param":null,"code":500}}`+"\n\n", text)
	}
	return fmt.Sprintf(`{"error":%s}`+"\n", text)
}

// after passes n chunks on and gives every further one to rest.
func after(n int, rest func(http.ResponseWriter, []byte)) Fault {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&chunkWriter{ResponseWriter: w, left: n, rest: rest}, r)
		})
	}
}

// chunkWriter counts writes: the server makes one for each chunk of a reply.
type chunkWriter struct {
	http.ResponseWriter
	left int
	rest func(http.ResponseWriter, []byte)
}

func (w *chunkWriter) Write(chunk []byte) (int, error) {
	if w.left > 0 {
		w.left--
		return w.ResponseWriter.Write(chunk)
	}
	w.rest(w.ResponseWriter, chunk)
	return len(chunk), nil
}

// Unwrap lets http.ResponseController find the connection.
func (w *chunkWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
