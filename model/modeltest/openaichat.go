package modeltest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"net/http"
	"strings"

	"fara/model"
)

// compatible is the OpenAI-compatible chat API in the manner of vLLM.
type compatible struct{}

type compatibleRequest struct {
	Model    string
	Messages []struct {
		Role    string
		Content json.RawMessage
		Calls   []compatibleCall `json:"tool_calls"`
		CallID  string           `json:"tool_call_id"`
	}
	Tools               json.RawMessage
	Temperature         float64
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`
	Seed                *int
	Stop                json.RawMessage
	Stream              bool
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ResponseFormat struct {
		Type       string
		JSONSchema struct{ Schema json.RawMessage } `json:"json_schema"`
	} `json:"response_format"`
}

type part struct {
	Type     string
	Text     string
	ImageURL struct{ URL string } `json:"image_url"`
}

func (compatible) decode(body []byte) (Request, *refusal) {
	var in compatibleRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{API: OpenAI}, badRequest("%v", err)
	}
	req := Request{API: OpenAI, Model: in.Model, Stream: in.Stream, IncludeUsage: in.StreamOptions.IncludeUsage}
	req.Temperature, req.Seed = in.Temperature, in.Seed
	req.MaxTokens = max(in.MaxTokens, in.MaxCompletionTokens)
	req.Tools = listed(in.Tools)
	if in.ResponseFormat.Type == "json_schema" {
		req.Schema = in.ResponseFormat.JSONSchema.Schema
	}
	var no *refusal
	if req.Stop, no = readStop(in.Stop); no != nil {
		return req, no
	}
	for _, message := range in.Messages {
		out, no := readContent(message.Content)
		if no != nil {
			return req, no
		}
		out.Role, out.CallID = model.Role(message.Role), message.CallID
		for _, call := range message.Calls {
			out.Calls = append(out.Calls, model.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
		}
		req.Messages = append(req.Messages, out)
	}
	if in.Model == "" || len(in.Messages) == 0 {
		return req, badRequest("model and messages are required")
	}
	return req, nil
}

// readStop takes one text or a list of them.
func readStop(data json.RawMessage) ([]string, *refusal) {
	if len(data) == 0 || string(data) == "null" {
		return nil, nil
	}
	var one string
	if json.Unmarshal(data, &one) == nil {
		return []string{one}, nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return nil, badRequest("stop: %v", err)
	}
	return many, nil
}

// readContent takes a text or a list of text and image parts.
func readContent(data json.RawMessage) (model.Message, *refusal) {
	var out model.Message
	if json.Unmarshal(data, &out.Text) == nil {
		return out, nil
	}
	var parts []part
	if err := json.Unmarshal(data, &parts); err != nil {
		return out, badRequest("content: %v", err)
	}
	for _, p := range parts {
		switch p.Type {
		case "text":
			out.Text += p.Text
		case "image_url":
			picture, no := readDataURL(p.ImageURL.URL)
			if no != nil {
				return out, no
			}
			out.Images = append(out.Images, picture)
		default:
			return out, badRequest("Unknown part type: %s", p.Type)
		}
	}
	return out, nil
}

func readDataURL(url string) (model.Image, *refusal) {
	if strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
		return model.Image{}, badRequest("image URLs are not currently supported, please use base64 encoded data instead")
	}
	head, body, found := strings.Cut(strings.TrimPrefix(url, "data:"), ",")
	mime, base64ed := strings.CutSuffix(head, ";base64")
	if !strings.HasPrefix(url, "data:") || !found || !base64ed || !strings.HasPrefix(mime, "image/") {
		return model.Image{}, badRequest("The URL must be either a HTTP, data or file URL.")
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return model.Image{}, badRequest("invalid image input: %v", err)
	}
	if got := http.DetectContentType(data); got != mime {
		return model.Image{}, badRequest("invalid image input: labelled %s, but it is %s", mime, got)
	}
	return model.Image{Data: data, MIME: mime}, nil
}

func badRequest(format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func (compatible) unknown(name string) *refusal {
	return &refusal{http.StatusNotFound, fmt.Sprintf("The model `%s` does not exist.", name)}
}

func (compatible) admit(_ context.Context, s *Server, req Request) (model.Request, *refusal) {
	if req.Tools != nil && !s.can("tools") {
		return model.Request{}, badRequest(`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`)
	}
	for _, message := range req.Messages {
		for _, picture := range message.Images {
			if !s.can("vision") {
				return model.Request{}, badRequest("%s is not a multimodal model", req.Model)
			}
			if _, _, err := image.Decode(bytes.NewReader(picture.Data)); err != nil {
				return model.Request{}, badRequest("cannot identify image file: %v", err)
			}
		}
	}
	if got := s.config.Law.Prompt(req.Request); got > s.config.Context {
		return model.Request{}, explainError(contextError(s.config.Context, got))
	}
	return cloneRequest(req.Request), nil
}

func (compatible) explain(err error) *refusal { return explainError(err) }

func (compatible) refuse(w http.ResponseWriter, no *refusal) {
	kind := "BadRequestError"
	switch {
	case no.status == http.StatusNotFound:
		kind = "NotFoundError"
	case no.status >= 500:
		kind = "InternalServerError"
	}
	writeJSON(w, no.status, map[string]any{"error": map[string]any{
		"message": no.message, "type": kind, "param": nil, "code": no.status,
	}})
}
