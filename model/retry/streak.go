package retry

import (
	"errors"
	"net/http"
	"regexp"
	"sync"
	"time"

	"fara/model"
)

// crashes is how often a crash must come in the same words until it is taken for
// the picture's doing. By chance alone three in a row are rare.
const crashes = 3

var (
	// crash is what servers say when the program that works on the picture died.
	crash = regexp.MustCompile(`(?i)runner (process )?(has|is|was)?.*(stopped|terminated|no longer running|crashed)|GGML_ASSERT|CUDA error|segmentation|SIGSEGV|SIGABRT|panic|assertion`)
	// numbers differ between two failures of the same kind.
	numbers = regexp.MustCompile(`0x[0-9a-f]+|\d+`)
)

// streak is what one request has met with.
type streak struct {
	began        time.Time
	failed, busy int
	// last are the last failure's words, same how often they came in a row.
	last string
	same int
	// crashes counts the crashes at its end that came in the same words.
	crashes int
	// words are all the server's failures.
	words []string
}

func (s *streak) add(err error) {
	if errors.Is(err, model.ErrBusy) {
		s.busy++
		return
	}
	s.failed++
	words := wordsOf(err)
	if words != s.last {
		s.same, s.crashes = 0, 0
	}
	s.last = words
	if words == "" {
		return
	}
	s.words = append(s.words, words)
	s.same++
	if crash.MatchString(words) {
		s.crashes++
	}
}

// wordsOf gives a server's own failure without its numbers; empty for all other
// errors, which say nothing about a request.
func wordsOf(err error) string {
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.ErrServer || e.Status > http.StatusInternalServerError {
		return ""
	}
	return "failed: " + numbers.ReplaceAllString(e.Message, "#")
}

// judge names the cause of what could not be got over.
func (s *streak) judge(req model.Request, err error) error {
	var e *model.Error
	if s.same < crashes || s.same < s.failed && s.crashes < crashes || !hasImages(req) || !errors.As(err, &e) {
		return err
	}
	picture := *e
	picture.Kind, picture.Failures = model.ErrPicture, s.same
	return &picture
}

func hasImages(req model.Request) bool {
	for _, m := range req.Messages {
		if len(m.Images) > 0 {
			return true
		}
	}
	return false
}

// memory holds the words of failures that passed when the same request came
// again. Several goroutines may use it.
type memory struct {
	mu    sync.Mutex
	words map[string]bool
}

func (m *memory) learn(words []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range words {
		if m.words == nil {
			m.words = map[string]bool{}
		}
		m.words[w] = true
	}
}

func (m *memory) knows(words string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.words[words]
}
