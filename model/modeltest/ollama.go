package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ollamaVersion is the release whose behaviour the server has.
const ollamaVersion = "0.17.4"

// digest stands for the model's weights; there are none.
var digest = strings.Repeat("0", 64)

func (s *Server) routeOllama(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "Ollama is running")
	})
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"version": ollamaVersion})
	})
	mux.HandleFunc("GET /api/tags", s.tags)
	mux.HandleFunc("GET /api/ps", s.ps)
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("POST /api/chat", s.chat(native{}))
}

// entry is what lists of models say about the only one.
func (s *Server) entry() map[string]any {
	name := s.config.Model
	if !strings.Contains(name, ":") {
		name += ":latest"
	}
	return map[string]any{
		"name": name, "model": name, "size": 3 << 20, "digest": digest,
		"details": map[string]any{
			"parent_model": "", "format": "gguf", "family": "qwen3vl", "families": []string{"qwen3vl"},
			"parameter_size": "1M", "quantization_level": "Q4_0",
		},
	}
}

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	entry := s.entry()
	entry["modified_at"] = time.Now().Format(time.RFC3339Nano)
	writeJSON(w, http.StatusOK, map[string]any{"models": []any{entry}})
}

// ps lists the model with the context it was loaded with, once it was.
func (s *Server) ps(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	loaded := s.numCtx
	s.mu.Unlock()
	models := []any{}
	if loaded > 0 {
		entry := s.entry()
		entry["expires_at"] = time.Now().Add(5 * time.Minute).Format(time.RFC3339Nano)
		entry["size_vram"], entry["context_length"] = 0, loaded
		models = append(models, entry)
	}
	writeJSON(w, http.StatusOK, map[string]any{"models": models})
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Model, Name string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		native{}.refuse(w, badRequest("%v", err))
		return
	}
	if asked.Model == "" {
		asked.Model = asked.Name // the field's older name
	}
	if asked.Model == "" {
		native{}.refuse(w, badRequest("model is required"))
		return
	}
	if !s.has(asked.Model) {
		native{}.refuse(w, native{}.unknown(asked.Model))
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"modelfile": "", "parameters": "temperature 0", "template": "{{ .Prompt }}",
		"details":      s.entry()["details"],
		"capabilities": s.config.Capabilities,
		"modified_at":  time.Now().Format(time.RFC3339Nano),
		"model_info": map[string]any{
			"general.architecture":   "qwen3vl",
			"qwen3vl.context_length": s.config.Context,
		},
	})
}
