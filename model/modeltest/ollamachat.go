package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net/http"
	"strings"
	"time"

	"fara/model"
)

// native is Ollama's own chat API.
type native struct{}

// defaultNumCtx is the context a request without num_ctx gets on a machine
// without a large GPU.
const defaultNumCtx = 4096

type nativeRequest struct {
	Model    string
	Messages []struct {
		Role    string
		Content string
		Images  [][]byte
		Calls   []nativeCall `json:"tool_calls"`
		CallID  string       `json:"tool_call_id"`
	}
	Tools     json.RawMessage
	Stream    *bool
	Format    json.RawMessage
	Options   map[string]any
	Truncate  *bool
	Shift     *bool
	KeepAlive json.RawMessage `json:"keep_alive"`
	Think     json.RawMessage
}

func (native) decode(body []byte) (Request, *refusal) {
	var in nativeRequest
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&in); err != nil {
		return Request{API: Ollama}, badRequest("%v", err)
	}
	req := Request{
		API: Ollama, Model: in.Model, Stream: in.Stream == nil || *in.Stream, Options: in.Options,
		Truncate: in.Truncate, Shift: in.Shift, KeepAlive: in.KeepAlive, Think: in.Think,
	}
	req.Tools = listed(in.Tools)
	for _, message := range in.Messages {
		out := model.Message{Role: model.Role(message.Role), Text: message.Content, CallID: message.CallID}
		for _, call := range message.Calls {
			out.Calls = append(out.Calls, model.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: string(call.Function.Arguments)})
		}
		for _, data := range message.Images {
			out.Images = append(out.Images, model.Image{Data: data, MIME: http.DetectContentType(data)})
		}
		req.Messages = append(req.Messages, out)
	}
	if in.Model == "" {
		return req, badRequest("model is required")
	}
	return req, readOptions(&req, in.Format)
}

// readOptions takes the options that model.Request has a field for. The real
// server ignores names it does not know and refuses a wrong type with a 500.
func readOptions(req *Request, format json.RawMessage) *refusal {
	if len(format) > 0 && format[0] == '{' {
		req.Schema = format
	} else if f := string(format); f != "" && f != `"json"` && f != `""` && f != "null" {
		return &refusal{http.StatusInternalServerError,
			fmt.Sprintf(`invalid format: %q; expected "json" or a valid JSON Schema object`, format)}
	}
	var options struct {
		Temperature *float64
		NumPredict  *int `json:"num_predict"`
		NumCtx      *int `json:"num_ctx"`
		Seed        *int
		Stop        []string
	}
	data, err := json.Marshal(req.Options)
	if err == nil {
		err = json.Unmarshal(data, &options)
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return &refusal{http.StatusInternalServerError,
			fmt.Sprintf("option %q must be of type %s", wrong.Field, wrong.Type)}
	}
	req.Seed, req.Stop = options.Seed, options.Stop
	if options.Temperature != nil {
		req.Temperature = *options.Temperature
	}
	if options.NumPredict != nil {
		req.MaxTokens = max(0, *options.NumPredict) // negative means no limit
	}
	return nil
}

func (native) unknown(name string) *refusal {
	return &refusal{http.StatusNotFound, fmt.Sprintf("model '%s' not found", name)}
}

func (native) admit(ctx context.Context, s *Server, req Request) (model.Request, *refusal) {
	if string(req.Think) == "true" && !s.can("thinking") {
		return model.Request{}, badRequest("%q does not support thinking", req.Model)
	}
	if req.Tools != nil && !s.can("tools") {
		return model.Request{}, badRequest("registry.ollama.ai/library/%s does not support tools", req.Model)
	}
	asked := cloneRequest(req.Request)
	if !s.can("vision") {
		asked = blind(asked)
	}
	limit := s.load(ctx, req)
	if s.config.Law.Prompt(asked) > limit {
		if req.Truncate != nil && !*req.Truncate {
			return model.Request{}, badRequest(contextMessage)
		}
		asked = squeeze(asked, s.config.Law, limit)
	}
	for _, message := range asked.Messages {
		for _, picture := range message.Images {
			if no := checkImage(picture.Data); no != nil {
				return model.Request{}, no
			}
		}
	}
	return asked, nil
}

const contextMessage = "the input length exceeds the context length"

// blind replaces pictures by the marker a model without eyes gets to read.
func blind(req model.Request) model.Request {
	n := 0
	for i := range req.Messages {
		message := &req.Messages[i]
		for range message.Images {
			message.Text = fmt.Sprintf("[img-%d]%s", n, message.Text)
			n++
		}
		message.Images = nil
	}
	return req
}

// runnerStopped is what Ollama says when its runner failed, whatever the reason.
const runnerStopped = "model runner has unexpectedly stopped, this may be due to" +
	" resource limitations or an internal error, check ollama server logs for details"

// checkImage is the runner's opinion of a picture.
func checkImage(data []byte) *refusal {
	const prefix = "Failed to create new sequence: failed to process inputs: "
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return &refusal{http.StatusInternalServerError, prefix + "image: unknown format"}
	}
	if _, _, err := image.Decode(bytes.NewReader(data)); err != nil {
		return &refusal{http.StatusInternalServerError, prefix + err.Error()}
	}
	long, short := max(config.Width, config.Height), min(config.Width, config.Height)
	if short < imageGrid || long > 200*short {
		return &refusal{http.StatusInternalServerError, runnerStopped}
	}
	return nil
}

func (native) explain(err error) *refusal {
	if errors.Is(err, model.ErrContext) {
		return badRequest(contextMessage)
	}
	return explainError(err)
}

func (native) refuse(w http.ResponseWriter, no *refusal) {
	writeJSON(w, no.status, map[string]string{"error": no.message})
}

type nativeMessage struct {
	Role     string       `json:"role"`
	Content  string       `json:"content"`
	Thinking string       `json:"thinking,omitempty"`
	Calls    []nativeCall `json:"tool_calls,omitempty"`
}

type nativeReply struct {
	Model              string        `json:"model"`
	CreatedAt          time.Time     `json:"created_at"`
	Message            nativeMessage `json:"message"`
	Done               bool          `json:"done"`
	DoneReason         string        `json:"done_reason,omitempty"`
	TotalDuration      time.Duration `json:"total_duration,omitempty"`
	LoadDuration       time.Duration `json:"load_duration,omitempty"`
	PromptEvalCount    int           `json:"prompt_eval_count,omitempty"`
	PromptEvalDuration time.Duration `json:"prompt_eval_duration,omitempty"`
	EvalCount          int           `json:"eval_count,omitempty"`
	EvalDuration       time.Duration `json:"eval_duration,omitempty"`
}

func (native) reply(w http.ResponseWriter, req Request, reply model.Reply, took time.Duration) {
	last := nativeReply{
		Model: req.Model, CreatedAt: time.Now().UTC(), Message: nativeMessage{Role: "assistant"},
		Done: true, DoneReason: string(reply.Finish),
		TotalDuration: took + 3, LoadDuration: 1, PromptEvalDuration: took/2 + 1, EvalDuration: took/2 + 1,
		PromptEvalCount: reply.Usage.PromptTokens, EvalCount: reply.Usage.CompletionTokens,
	}
	if !req.Stream {
		last.Message.Content, last.Message.Thinking, last.Message.Calls = reply.Text, reply.Thinking, nativeCalls(reply.Calls)
		writeJSON(w, http.StatusOK, last)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	for _, piece := range pieces(reply.Thinking) {
		writeLine(w, req, nativeMessage{Role: "assistant", Thinking: piece})
	}
	for _, piece := range pieces(reply.Text) {
		writeLine(w, req, nativeMessage{Role: "assistant", Content: piece})
	}
	for _, call := range nativeCalls(reply.Calls) {
		writeLine(w, req, nativeMessage{Role: "assistant", Calls: []nativeCall{call}})
	}
	writeNDJSON(w, last)
}

func writeLine(w http.ResponseWriter, req Request, message nativeMessage) {
	writeNDJSON(w, nativeReply{Model: req.Model, CreatedAt: time.Now().UTC(), Message: message})
}

func writeNDJSON(w http.ResponseWriter, line nativeReply) {
	var b strings.Builder
	_ = json.NewEncoder(&b).Encode(line) // strings, numbers and times always encode
	writeChunk(w, b.String())
}
