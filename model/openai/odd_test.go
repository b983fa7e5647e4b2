package openai_test

import (
	"io"
	"net/http"
	"testing"

	"fara/model"
	"fara/model/ollama/ollamatest"
	"fara/model/openai"
)

// raw answers with a stream's bytes as they are.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, text)
	}
}

func TestOddRepliesAreReadAllTheSame(t *testing.T) {
	end := "data: " + stop + "\n\ndata: [DONE]\n\n"
	for name, handler := range map[string]http.HandlerFunc{
		"comments between events":      raw(": ping\n\ndata: " + hello + "\n\n: ping\n\n" + end),
		"lines that end in CRLF":       raw("data: " + hello + "\r\n\r\ndata: " + stop + "\r\n\r\ndata: [DONE]\r\n\r\n"),
		"no space after the colon":     raw("data:" + hello + "\n\ndata:" + stop + "\n\ndata:[DONE]\n\n"),
		"no end mark":                  raw("data: " + hello + "\n\ndata: " + stop + "\n\n"),
		"named events":                 raw("event: message\ndata: " + hello + "\n\n" + end),
		"null everywhere":              raw(`data: {"model":"m","choices":null}` + "\n\n" + `data: {"choices":[{"index":0,"delta":null}],"usage":null}` + "\n\ndata: " + hello + "\n\n" + end),
		"the finish with the text":     raw(`data: {"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}` + "\n\n"),
		"the finish twice":             raw("data: " + hello + "\n\n" + "data: " + stop + "\n\n" + end),
		"text in parts":                raw(`data: {"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"hello"}]}}]}` + "\n\n" + end),
		"a whole reply in parts":       wholeMessage(`{"content":[{"type":"text","text":"hel"},{"type":"text","text":"lo"}]}`, "stop"),
		"a whole reply as text/plain":  says(200, "text/plain", `{"model":"m","choices":[{"index":0,"message":{"content":"hello"},"finish_reason":"stop"}]}`),
		"a whole reply without a type": says(200, "", "\n"+`{"model":"m","choices":[{"index":0,"message":{"content":"hello"},"finish_reason":"stop"}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := newFake(t, handler).connect(t, openai.Config{}).Chat(t.Context(), ollamatest.Ask("hello"), nil)
			if err != nil || reply.Text != "hello" || reply.Finish != model.FinishStop {
				t.Errorf("got %+v and error %v, want hello", reply, err)
			}
		})
	}
}
