package queue

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// names are the streams, consumers and subjects of one batch's queue. Streams are
// named after the queue, so that two batches cannot share it; subjects and consumers
// also after the batch, so that nobody who still works for an earlier batch reaches
// the one that came after it.
type names struct {
	queue string
	batch string // a short hash of the batch's ID
}

func namesOf(queue, batch string) names {
	sum := sha256.Sum256([]byte(batch))
	return names{queue: queue, batch: hex.EncodeToString(sum[:6])}
}

func (n names) jobs() string    { return n.queue + "-jobs" }
func (n names) results() string { return n.queue + "-results" }
func (n names) state() string   { return n.queue + "-state" }
func (n names) folders() string { return n.queue + "-folders" }

func (n names) workers() string   { return "workers-" + n.batch }
func (n names) collector() string { return "collector-" + n.batch }

func (n names) subject(kind, token string) string {
	return n.queue + "." + n.batch + "." + kind + "." + token
}

func (n names) job(key string) string        { return n.subject("job", token(key)) }
func (n names) result(key string) string     { return n.subject("result", token(key)) }
func (n names) held(key string) string       { return n.subject("held", token(key)) }
func (n names) worker(id string) string      { return n.subject("worker", token(id)) }
func (n names) description() string          { return n.subject("batch", "about") }
func (n names) folder(key, id string) string { return token(key) + "." + id }

// token writes any key as one token of a subject: letters, digits, - and _ as they
// are, other bytes as = and two hexadecimal digits, and what gets too long by its hash.
// So "tea#2" is "tea=232". Different keys have different tokens.
func token(key string) string {
	var b strings.Builder
	for _, c := range []byte(key) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02x", c)
		}
	}
	if b.Len() > 0 && b.Len() <= 150 {
		return b.String()
	}
	sum := sha256.Sum256([]byte(key))
	return "=h" + hex.EncodeToString(sum[:])
}
