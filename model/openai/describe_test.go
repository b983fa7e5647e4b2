package openai_test

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"fara/model"
	"fara/model/openai"
)

// answers is a server that has a body for each path.
func answers(t *testing.T, bodies map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, found := bodies[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		says(200, "application/json", body)(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestServersAreToldApart(t *testing.T) {
	yes := true
	listed := func(entry string) string {
		return `{"object":"list","data":[{"id":"m","object":"model"` + entry + `}]}`
	}
	for name, tt := range map[string]struct {
		bodies map[string]string
		want   model.Server
		limit  model.Limit
	}{
		"vLLM": {map[string]string{"/v1/models": listed(`,"owned_by":"vllm","max_model_len":8192`), "/version": `{"version":"0.11.0"}`},
			model.Server{Kind: model.VLLM, Version: "0.11.0"}, model.Limit{Tokens: 8192, Source: "max_model_len"}},
		"vLLM that does not tell its version": {map[string]string{"/v1/models": listed(`,"owned_by":"vllm","max_model_len":8192`)},
			model.Server{Kind: model.VLLM}, model.Limit{Tokens: 8192, Source: "max_model_len"}},
		"llama.cpp": {map[string]string{"/v1/models": listed(`,"owned_by":"llamacpp","meta":{"n_ctx_train":32768}`),
			"/props": `{"build_info":"b6432-1a2b3c","total_slots":4,"default_generation_settings":{"n_ctx":4096,"params":{}},"modalities":{"vision":true,"audio":false}}`},
			model.Server{Kind: model.LlamaCpp, Version: "b6432-1a2b3c", Slots: 4, Loaded: 4096, Vision: &yes}, model.Limit{Tokens: 4096, Source: "n_ctx of a slot"}},
		"LM Studio": {map[string]string{"/v1/models": listed(`,"owned_by":"organization_owner"`),
			"/api/v0/models": `{"data":[{"id":"m","type":"vlm","state":"loaded","max_context_length":128000,"loaded_context_length":6000}]}`},
			model.Server{Kind: model.LMStudio, Loaded: 6000, Vision: &yes}, model.Limit{Tokens: 6000, Source: "the context it is loaded with"}},
		"SGLang": {map[string]string{"/v1/models": listed(`,"owned_by":"sglang","max_model_len":8192`),
			"/get_server_info": `{"model_path":"m","version":"0.5.3","context_length":null,"max_req_input_len":8186,"max_running_requests":16,"limit_mm_data_per_request":{"image":2}}`},
			model.Server{Kind: model.SGLang, Version: "0.5.3", Slots: 16, Images: 2}, model.Limit{Tokens: 8186, Source: "max_req_input_len"}},
		"Ollama, loaded": {map[string]string{"/v1/models": listed(`,"owned_by":"library"`), "/api/version": `{"version":"0.17.4"}`,
			"/api/ps": `{"models":[{"name":"m:latest","context_length":16384}]}`},
			model.Server{Kind: model.Ollama, Version: "0.17.4", Loaded: 16384}, model.Limit{Tokens: 16384, Source: "the context it is loaded with"}},
		"Ollama, not loaded": {map[string]string{"/v1/models": listed(`,"owned_by":"library"`), "/api/version": `{"version":"0.17.4"}`, "/api/ps": `{"models":[]}`},
			model.Server{Kind: model.Ollama, Version: "0.17.4"}, model.Limit{Tokens: 4096, Source: "Ollama's default, which only its own API can change"}},
		"one that names itself otherwise": {map[string]string{"/v1/models": listed(`,"owned_by":"me"`),
			"/props": `{"build_info":"b1","total_slots":1,"default_generation_settings":{"n_ctx":"odd"}}`},
			model.Server{Kind: model.LlamaCpp, Version: "b1", Slots: 1}, model.Limit{}},
		"one of its own": {map[string]string{"/v1/models": listed(`,"owned_by":"me","context_length":5000`), "/version": `"1"`},
			model.Server{Kind: model.Compatible}, model.Limit{Tokens: 5000, Source: "context_length"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := connect(t, openai.Config{Endpoint: answers(t, tt.bodies), Model: "m"}).Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if limit := got.Context(); limit != tt.limit {
				t.Errorf("got limit %+v, want %+v", limit, tt.limit)
			}
			got.Limits, tt.want.Models = nil, []string{"m"}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
