package modeltest

import (
	"net/http"
	"time"
)

func (s *Server) routeOpenAI(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/models", s.guarded(s.models))
	mux.HandleFunc("POST /v1/chat/completions", s.guarded(s.chat(compatible{})))
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
}

// guarded asks for the key, if there is one.
func (s *Server) guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.config.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.config.Key {
			writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "Unauthorized"})
			return
		}
		next(w, r)
	}
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list",
		"data": []any{map[string]any{
			"id": s.config.Model, "object": "model", "created": time.Now().Unix(), "owned_by": "vllm",
			"root": s.config.Model, "parent": nil, "max_model_len": s.config.Context,
		}},
	})
}
