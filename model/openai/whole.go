package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"

	"github.com/openai/openai-go/v3/option"
)

// asStream turns the answer of a server that does not stream into a stream of one
// event, so that there is one way to read a reply.
func asStream(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if err != nil || resp.StatusCode >= http.StatusBadRequest || req.Method != http.MethodPost {
		return resp, err
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "application/json" {
		return resp, nil
	}
	whole, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(event(whole)))
	return resp, nil
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
