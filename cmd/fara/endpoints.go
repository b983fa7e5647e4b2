package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"fara/model/probe"
	"fara/model/wire"
)

// defaultEndpoint is where Ollama listens.
const defaultEndpoint = "http://127.0.0.1:11434"

// several is a flag that may be repeated, or hold several values with spaces
// between them, as an environment variable must. The first value given replaces
// the default.
type several struct {
	values []string
	given  bool
	kind   string // what a value is called in the help
}

func (w *several) String() string { return strings.Join(w.values, " ") }
func (w *several) Type() string   { return w.kind }

func (w *several) Set(text string) error {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return fmt.Errorf("it is empty")
	}
	if !w.given {
		w.values, w.given = nil, true
	}
	w.values = append(w.values, fields...)
	return nil
}

// files is several for names of files, which may have spaces in them.
type files struct{ several }

func (f *files) Set(text string) error {
	if text == "" {
		return fmt.Errorf("it is empty")
	}
	f.values = append(f.values, text)
	return nil
}

// place is an address to ask at, and how.
type place struct {
	address, key string
	api          string // auto, ollama or openai
}

// config is an entry of --endpoint-config.
type config struct {
	Model   string `json:"model"`
	BaseURL string `json:"base_url"`
	APIKey  string `json:"api_key"`
	API     string `json:"api"`
}

// places puts addresses, keys and ways of speaking together: those of
// --endpoint-config, over which flags that were given win.
func (m *modelFlags) places(given func(flag string) bool) ([]place, error) {
	configs, err := readConfigs(m.endpointConfig.values)
	if err != nil {
		return nil, err
	}
	if len(configs) > 0 && !given("model") {
		m.model = configs[0].Model
	}
	var all []place
	if len(configs) == 0 || given("endpoint") {
		for _, address := range m.endpoints.values {
			all = append(all, place{address, m.apiKey, m.api})
		}
		if len(configs) == 1 && !given("api-key") {
			for i := range all {
				all[i].key = configs[0].APIKey
			}
		}
		return all, checkPlaces(all)
	}
	for _, c := range configs {
		if c.Model != m.model && !given("model") {
			return nil, usage("--endpoint-config names two models, %s and %s; a run is with one", m.model, c.Model)
		}
		p := place{c.BaseURL, c.APIKey, c.API}
		if given("api-key") {
			p.key = m.apiKey
		}
		if given("api") || p.api == "" {
			p.api = m.api
		}
		all = append(all, p)
	}
	return all, checkPlaces(all)
}

// readConfigs reads files with one entry, or a list of them.
func readConfigs(paths []string) ([]config, error) {
	var all []config
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, usage("--endpoint-config: %w", err)
		}
		raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff")))
		list := make([]config, 1)
		if bytes.HasPrefix(raw, []byte("[")) {
			err = json.Unmarshal(raw, &list)
		} else {
			err = json.Unmarshal(raw, &list[0])
		}
		if err != nil {
			return nil, usage("--endpoint-config %s is not {\"model\": …, \"base_url\": …, \"api_key\": …} in JSON, or a list of such", path)
		}
		for i, c := range list {
			if c.Model == "" || c.BaseURL == "" {
				return nil, usage("--endpoint-config %s needs model and base_url in every entry; entry %d lacks one", path, i+1)
			}
			if c.API != "" && !isAPI(c.API) {
				return nil, usage("--endpoint-config %s: api %q is unknown; use auto, ollama or openai", path, c.API)
			}
		}
		if len(list) == 0 {
			return nil, usage("--endpoint-config %s is an empty list", path)
		}
		all = append(all, list...)
	}
	return all, nil
}

func isAPI(name string) bool {
	return slices.Contains([]string{"auto", string(probe.Ollama), string(probe.OpenAI)}, name)
}

// checkPlaces finds what can be no address, and one that is given twice.
func checkPlaces(all []place) error {
	seen := map[string]bool{}
	for _, p := range all {
		u, err := wire.Endpoint(p.address, defaultEndpoint)
		if err != nil {
			return usage("--endpoint: %w", err)
		}
		if name := strings.TrimRight(u.String(), "/"); seen[name] {
			return usage("--endpoint %s is given twice", u.Redacted())
		} else {
			seen[name] = true
		}
	}
	return nil
}
