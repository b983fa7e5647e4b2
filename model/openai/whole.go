package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/openai/openai-go/v3/option"
)

// maxWhole bounds a reply that is not streamed, in bytes.
const maxWhole = 32 << 20

// asStream lets there be one way to read a reply: the answer of a server that does
// not stream becomes a stream of one event, and a stream loses what is no event.
// What the answer is shows in its first character: servers and proxies name types
// of their own.
func asStream(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if err != nil || resp.StatusCode >= http.StatusBadRequest || req.Method != http.MethodPost {
		return resp, err
	}
	body := bufio.NewReader(resp.Body)
	first, err := firstOf(body)
	switch {
	case err == io.EOF:
		return resp, nil // nothing: the library says so too
	case err != nil:
		return nil, err
	case first != '{':
		resp.Body = &readCloser{&events{in: body}, resp.Body}
		return resp, nil
	}
	whole, err := io.ReadAll(io.LimitReader(body, maxWhole))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(event(whole)))
	return resp, nil
}

// firstOf gives the first character that is no space, and leaves it to be read.
func firstOf(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if !bytes.ContainsRune([]byte(" \t\r\n"), rune(b)) {
			return b, in.UnreadByte()
		}
	}
}

// readCloser reads from one and closes another.
type readCloser struct {
	io.Reader
	io.Closer
}

// events leaves the comments out of a stream, which servers send to keep a
// connection open, with the empty lines behind them: the library takes those for
// events.
type events struct {
	in      *bufio.Reader
	rest    []byte // of the line to hand on
	pending bool   // an event has lines but no end yet
}

func (e *events) Read(p []byte) (int, error) {
	for len(e.rest) == 0 {
		line, err := e.in.ReadBytes('\n')
		text := bytes.TrimRight(line, "\r\n")
		switch {
		case bytes.HasPrefix(text, []byte("data:")):
			e.pending = true
		case len(text) == 0 && e.pending:
			e.pending = false
		case len(text) > 0 && text[0] != ':':
		default:
			line = nil
		}
		if e.rest = line; err != nil && len(line) == 0 {
			return 0, err
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// event renames each choice's message to what it is called in a stream. What is
// not a completion is passed on and fails where it is read.
func event(whole []byte) []byte {
	var completion map[string]any
	if json.Unmarshal(whole, &completion) == nil {
		choices, _ := completion["choices"].([]any)
		for _, choice := range choices {
			if choice, ok := choice.(map[string]any); ok {
				choice["delta"] = choice["message"]
			}
		}
		// What was just read can be written.
		whole, _ = json.Marshal(completion)
	}
	return append(append([]byte("data: "), whole...), "\n\n"...)
}
