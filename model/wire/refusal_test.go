package wire_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"fara/model"
	"fara/model/wire"
)

// asked has everything a refusal can speak of.
var asked = model.Request{
	Messages: []model.Message{{Role: model.User, Images: []model.Image{{Data: []byte("x"), MIME: "image/png"}}}},
	Schema:   json.RawMessage(`{}`), Tools: json.RawMessage(`[]`),
}

func TestContextRefusalsAreKnownInEveryServersWords(t *testing.T) {
	for _, tt := range []struct {
		server, message, body string
		context, prompt       int
	}{
		{"Ollama", "the input length exceeds the context length", "", 0, 0},
		{"Ollama, newer", "prompt too long; exceeded max context length by 4 tokens", "", 0, 0},
		{"Ollama's runner", "input length exceeds maximum context length", "", 0, 0},
		{"llama.cpp", "the request exceeds the available context size, try increasing it",
			`{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5130,"n_ctx":4096}}`, 4096, 5130},
		{"llama.cpp, newer", "request (5130 tokens) exceeds the available context size (4096 tokens), try increasing it", "", 4096, 5130},
		{"llama-cpp-python", "Requested tokens (5160) exceed context window of 4096", "", 4096, 5160},
		{"vLLM", "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.", "", 8192, 8000},
		{"vLLM without a reply's length", "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens. Please reduce the length of the input messages.", "", 8192, 9000},
		{"vLLM, newer", "You passed 8193 input tokens and requested 1000 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 7192 tokens. Please reduce the length of the input prompt.", "", 8192, 8193},
		{"vLLM with images", "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.", "", 8192, 9000},
		{"vLLM's reply", "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 7000 input tokens (4096 > 8192 - 7000).", "", 8192, 7000},
		{"SGLang", "The input (9000 tokens) is longer than the model's context length (8192 tokens).", "", 8192, 9000},
		{"SGLang with the reply", "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens: 8000 tokens from the input messages and 1000 tokens for the completion.", "", 8192, 8000},
		{"SGLang's scheduler", "Input length (9000 tokens) exceeds the maximum allowed length (8186 tokens). Use a shorter input or enable --allow-auto-truncate.", "", 8186, 9000},
		{"SGLang with images", "Multimodal prompt is too long after expanding multimodal tokens. After expanding len(req.origin_input_ids_unpadded)=300 => 9000 >= 8192.", "", 8192, 9000},
		{"LM Studio", "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough.", "", 8192, 9000},
		{"LM Studio, newer", "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9000>= n_ctx: 8192). Try to load the model with a larger context length.", "", 8192, 9000},
		{"LM Studio while it answers", "Reached context length of 4096 tokens with model (arch: qwen2vl) that does not currently support mid-generation context overflow.", "", 4096, 0},
		{"LM Studio, short", "Context size has been exceeded.", "", 0, 0},
		{"TGI", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 1000 `max_new_tokens`", "", 4096, 5000},
		{"TGI, prompt alone", "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000", "", 4096, 5000},
		{"OpenAI", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.", `{"error":{"code":"context_length_exceeded"}}`, 8192, 9000},
		{"OpenAI, newer", "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.", "", 272000, 300000},
		{"OpenAI, short", "Your input exceeds the context window of this model.", "", 0, 0},
		{"Anthropic's", "prompt is too long: 200251 tokens > 200000 maximum", "", 200000, 200251},
		{"Google's", "The input token count (9,000) exceeds the maximum number of tokens allowed (8,192).", "", 8192, 9000},
	} {
		for _, status := range []int{200, 400, 422, 500} {
			e := wire.Refusal(asked, status, tt.message, []byte(tt.body))
			if e.Kind != model.ErrContext || e.Context != tt.context || e.Prompt != tt.prompt {
				t.Errorf("%s with %d: got %v, context %d, prompt %d, want ErrContext, %d, %d", tt.server, status, e.Kind, e.Context, e.Prompt, tt.context, tt.prompt)
			}
		}
	}
}

func TestImageLimitsAreReadFromTheText(t *testing.T) {
	for _, tt := range []struct {
		server, message string
		limit           int
	}{
		{"vLLM", "At most 1 image(s) may be provided in one request.", 1},
		{"vLLM, older", "At most 2 image(s) may be provided in one prompt.", 2},
		{"vLLM, oldest", "You set image=3 (or defaulted to 1) in `--limit-mm-per-prompt`, but passed 4 image items in the same prompt.", 3},
		{"SGLang", "Image count 4 exceeds limit 2 per request.", 2},
		{"Ollama with a model for one", "vision model only supports a single image per message", 1},
		{"Ollama with mllama", "this model only supports one image while more than one image requested", 1},
		{"Groq", "Too many images provided. This model supports up to 5 images", 5},
		{"LMDeploy's kind", "The number of images (7) exceeds the maximum limit of 4", 4},
		{"a limit without a number", "Too many images in this request.", 0},
	} {
		e := wire.Refusal(asked, 400, tt.message, nil)
		if e.Kind != model.ErrTooManyImages || e.MaxImages != tt.limit {
			t.Errorf("%s: got %v with limit %d, want ErrTooManyImages with %d", tt.server, e.Kind, e.MaxImages, tt.limit)
		}
	}
}

func TestRefusalsAreOfTheRightKind(t *testing.T) {
	for _, tt := range []struct {
		server, message string
		status          int
		kind            error
	}{
		{"Ollama, no picture", "Failed to create new sequence: failed to process inputs: image: unknown format", 500, model.ErrPicture},
		{"Ollama, cut picture", "Failed to create new sequence: failed to process inputs: png: invalid format: not enough pixel data", 500, model.ErrPicture},
		{"Ollama's /v1", "invalid image input", 400, model.ErrPicture},
		{"llama.cpp", "failed to process image", 500, model.ErrPicture},
		{"llama.cpp, no picture", "Failed to load image or audio file", 400, model.ErrPicture},
		{"vLLM", "cannot identify image file <_io.BytesIO object at 0x7f>", 400, model.ErrPicture},
		{"vLLM, cut picture", "image file is truncated (3 bytes not processed)", 400, model.ErrPicture},
		{"vLLM, thin picture", "absolute aspect ratio must be smaller than 200, got 250.0", 400, model.ErrPicture},
		{"vLLM, small picture", "height:8 and width:8 must be larger than factor:28", 500, model.ErrPicture},
		{"SGLang", "An exception occurred while loading multimodal data: bad", 400, model.ErrPicture},
		{"OpenAI", "You uploaded an unsupported image. Please make sure your image is valid.", 400, model.ErrPicture},
		{"a proxy's limit", "Request Entity Too Large", 413, model.ErrPicture},
		{"runner crashed, this once perhaps", "model runner has unexpectedly stopped, this may be due to resource limitations", 500, model.ErrServer},
		{"runner's assertion", "GGML_ASSERT(a->ne[2] * 4 == b->ne[0]) failed", 500, model.ErrServer},

		{"llama.cpp without a projector", "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", 500, model.ErrBadRequest},
		{"vLLM with a text model", "m is not a multimodal model", 400, model.ErrBadRequest},
		{"Ollama with half a model", "this model is missing data required for image input", 500, model.ErrBadRequest},

		{"Ollama, schema", "invalid JSON schema in format", 500, model.ErrSchema},
		{"Ollama, format", `invalid format: "\"xml\""; expected "json" or a valid JSON Schema object`, 500, model.ErrSchema},
		{"Ollama, large schema", "failed to load model vocabulary required for format", 500, model.ErrSchema},
		{"llama.cpp, schema", "JSON schema conversion failed: Unrecognized schema", 400, model.ErrSchema},
		{"llama.cpp, grammar", "failed to parse grammar", 400, model.ErrSchema},
		{"vLLM, schema", "The provided JSON schema contains features not supported by xgrammar.", 400, model.ErrSchema},
		{"SGLang, grammar", "Failed to compile json grammar: bad", 400, model.ErrSchema},
		{"LM Studio, form", "'response_format.type' must be 'json_schema' or 'text'", 400, model.ErrSchema},
		{"OpenAI, form", "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", 400, model.ErrSchema},

		{"Ollama, tools", "registry.ollama.ai/library/m:latest does not support tools", 400, model.ErrTools},
		{"Ollama, call", `error parsing tool call: raw='{"a', err=unexpected end of JSON input`, 500, model.ErrTools},
		{"vLLM, tools", `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`, 400, model.ErrTools},
		{"llama.cpp, tools", "tools param requires --jinja flag", 500, model.ErrTools},

		{"no model", "The model `m` does not exist.", 404, model.ErrNotFound},
		{"no model, as 400", "No models loaded. Please load a model in the developer page", 400, model.ErrNotFound},
		{"loading", "Loading model", 503, model.ErrBusy},
		{"loading, as 500", "model is still loading", 500, model.ErrBusy},
		{"queue", "server busy, please try again.  maximum pending requests exceeded", 503, model.ErrBusy},
		{"overload", "the engine is currently overloaded", 529, model.ErrBusy},
		{"rate limit that speaks of tokens", "Rate limit reached: context length", 429, model.ErrBusy},
		{"gateway's patience", "Gateway Timeout", 504, model.ErrUnreachable},
		{"crash", "CUDA error: an illegal memory access was encountered", 500, model.ErrServer},
		{"in the stream", "engine died", 200, model.ErrServer},
		{"field", "field required", 422, model.ErrBadRequest},
		{"key", "invalid API key", 401, model.ErrUnauthorized},
	} {
		if e := wire.Refusal(asked, tt.status, tt.message, nil); e.Kind != tt.kind {
			t.Errorf("%s: %d %q: got %v, want %v", tt.server, tt.status, tt.message, e.Kind, tt.kind)
		}
	}
}

// A request is never refused for what it does not have.
func TestRefusalSpeaksOfWhatTheRequestHas(t *testing.T) {
	bare := model.Request{Messages: []model.Message{{Role: model.User, Text: "hello"}}}
	for message, want := range map[string]error{
		"failed to process image":                            model.ErrServer,
		"At most 1 image(s) may be provided in one request.": model.ErrServer,
		"failed to parse grammar":                            model.ErrServer,
		"error parsing tool call: raw='x'":                   model.ErrServer,
		"the input length exceeds the context length":        model.ErrContext,
	} {
		if e := wire.Refusal(bare, 500, message, nil); e.Kind != want {
			t.Errorf("%q: got %v, want %v", message, e.Kind, want)
		}
	}
	tools := bare
	tools.Tools = json.RawMessage(`[]`)
	if e := wire.Refusal(tools, 400, "failed to parse grammar", nil); e.Kind != model.ErrTools {
		t.Errorf("a grammar made for tools: got %v, want ErrTools", e.Kind)
	}
}

func TestServersWordsAreKeptShort(t *testing.T) {
	message := strings.Repeat("ä", 4000) + " maximum context length is 8192 tokens"
	e := wire.Refusal(asked, 400, message, nil)
	if len(e.Message) > 1010 || !utf8.ValidString(e.Message) || e.Kind != model.ErrContext || e.Context != 8192 {
		t.Errorf("got %d bytes, %v and context %d, want a short text, and all of it read", len(e.Message), e.Kind, e.Context)
	}
}

func TestRetryAfterIsNeverOdd(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "NaN": 0, "0": 0, "1.5": 1500 * time.Millisecond, "Inf": 24 * time.Hour, "1e300": 24 * time.Hour,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		x := wire.Exchange{Header: http.Header{"Retry-After": {value}}}
		if got := x.RetryAfter(); got != want {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
}
