package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"

	"fara/model"
)

const (
	describeTimeout = 3 * time.Second // for one question
	maxDescription  = 4 << 20         // of an answer, in bytes
	// ollamaDefault is what Ollama loads a model with when nothing is asked for on a
	// machine without a large GPU.
	ollamaDefault = 4096
)

// apiVersion is the part of the base that leads to the API.
var apiVersion = regexp.MustCompile(`/v\d+[^/]*/?$`)

// describe fills info with what the entry of the model, the answer's header and
// the server's own endpoints tell. Nothing of it must be there.
func (c *Client) describe(ctx context.Context, info *model.Server, m openai.Model, header http.Header) {
	var entry struct {
		OwnedBy       string `json:"owned_by"`
		MaxModelLen   int    `json:"max_model_len"`
		ContextLength int    `json:"context_length"`
		Meta          struct {
			Trained int `json:"n_ctx_train"`
		} `json:"meta"`
	}
	_ = json.Unmarshal([]byte(m.RawJSON()), &entry) // what has another type is not told
	limit(info, entry.MaxModelLen, "max_model_len")
	limit(info, entry.ContextLength, "context_length")
	limit(info, entry.Meta.Trained, "the model's training")
	d := describer{client: c, info: info, root: apiVersion.ReplaceAllString(c.base.String(), "")}
	switch {
	case entry.OwnedBy == "vllm":
		d.vllm(ctx)
	case entry.OwnedBy == "sglang":
		d.sglang(ctx)
	case entry.OwnedBy == "llamacpp", strings.HasPrefix(header.Get("Server"), "llama.cpp"):
		d.llamaCpp(ctx)
	case entry.OwnedBy == "library":
		d.ollama(ctx)
	case entry.OwnedBy == "organization_owner":
		d.lmStudio(ctx)
	default:
		for _, ask := range []func(context.Context) bool{d.llamaCpp, d.lmStudio, d.ollama, d.sglang, d.vllm} {
			if ask(ctx) {
				return
			}
		}
	}
}

func limit(info *model.Server, tokens int, source string) {
	if tokens > 0 {
		info.Limits = append(info.Limits, model.Limit{Tokens: tokens, Source: source})
	}
}

// describer asks the questions of one kind of server each, and reports whether it
// is one.
type describer struct {
	client *Client
	info   *model.Server
	root   string
}

func (d describer) vllm(ctx context.Context) bool {
	var answer struct{ Version string }
	known := d.get(ctx, "/version", &answer) && answer.Version != ""
	if known || d.info.Context().Source == "max_model_len" {
		d.info.Kind, d.info.Version = model.VLLM, answer.Version
	}
	return known
}

func (d describer) llamaCpp(ctx context.Context) bool {
	var answer struct {
		Build    string `json:"build_info"`
		Slots    int    `json:"total_slots"`
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities *struct{ Vision bool }
	}
	if !d.get(ctx, "/props", &answer) || answer.Slots == 0 && answer.Settings.Context == 0 {
		return false
	}
	d.info.Kind, d.info.Version, d.info.Slots = model.LlamaCpp, answer.Build, answer.Slots
	limit(d.info, answer.Settings.Context, "n_ctx of a slot")
	d.info.Loaded = answer.Settings.Context
	if answer.Modalities != nil {
		d.info.Vision = &answer.Modalities.Vision
	}
	return true
}

func (d describer) lmStudio(ctx context.Context) bool {
	var answer struct {
		Data []struct {
			ID, Type, State string
			Max             int `json:"max_context_length"`
			Loaded          int `json:"loaded_context_length"`
		}
	}
	if !d.get(ctx, "/api/v0/models", &answer) || len(answer.Data) == 0 {
		return false
	}
	d.info.Kind = model.LMStudio
	for _, m := range answer.Data {
		if m.ID != d.client.cfg.Model {
			continue
		}
		limit(d.info, m.Max, "the model's training")
		limit(d.info, m.Loaded, "the context it is loaded with")
		d.info.Loaded = m.Loaded
		if sees := m.Type == "vlm"; m.Type != "" {
			d.info.Vision = &sees
		}
	}
	return true
}

func (d describer) ollama(ctx context.Context) bool {
	var answer struct{ Version string }
	if !d.get(ctx, "/api/version", &answer) || answer.Version == "" {
		return false
	}
	d.info.Kind, d.info.Version = model.Ollama, answer.Version
	var running struct {
		Models []struct {
			Name    string
			Context int `json:"context_length"`
		}
	}
	d.get(ctx, "/api/ps", &running)
	for _, m := range running.Models {
		if same(m.Name, d.client.cfg.Model) {
			d.info.Loaded = m.Context
		}
	}
	// This API has no word for num_ctx.
	if d.info.Loaded > 0 {
		limit(d.info, d.info.Loaded, "the context it is loaded with")
	} else {
		limit(d.info, ollamaDefault, "Ollama's default, which only its own API can change")
	}
	return true
}

func (d describer) sglang(ctx context.Context) bool {
	var answer struct {
		Version string
		Context int            `json:"context_length"`
		Input   int            `json:"max_req_input_len"`
		Running int            `json:"max_running_requests"`
		Images  map[string]int `json:"limit_mm_data_per_request"`
		Path    string         `json:"model_path"`
	}
	if !d.get(ctx, "/get_server_info", &answer) && !d.get(ctx, "/server_info", &answer) &&
		!d.get(ctx, "/get_model_info", &answer) && !d.get(ctx, "/model_info", &answer) || answer.Path == "" {
		return false
	}
	d.info.Kind, d.info.Version, d.info.Slots = model.SGLang, answer.Version, answer.Running
	limit(d.info, answer.Context, "context_length")
	limit(d.info, answer.Input, "max_req_input_len")
	d.info.Images = answer.Images["image"]
	return true
}

// get reads a JSON object into answer and reports whether there was one.
func (d describer) get(ctx context.Context, path string, answer any) bool {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.root+path, nil)
	if err != nil {
		return false
	}
	resp, err := d.client.exchange().Client().Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxDescription))
	if err != nil || resp.StatusCode != http.StatusOK {
		return false
	}
	// A field may have a type of its own; the others are read all the same.
	err = json.Unmarshal(data, answer)
	var wrong *json.UnmarshalTypeError
	return err == nil || errors.As(err, &wrong) && wrong.Field != ""
}
