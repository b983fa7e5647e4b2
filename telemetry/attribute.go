package telemetry

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/url"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"fara/env"
	"fara/trajectory"
)

// identity is which model and which settings a run has.
func (t *Trace) identity() []attribute.KeyValue {
	return append(t.served(""),
		attribute.String("fara.version", t.task.Fara),
		attribute.String("fara.dialect", t.task.Dialect),
		attribute.String("fara.config.digest", settings(t.task)),
	)
}

// settings is a digest of what shapes a run apart from its task: equal in runs that
// were set up alike.
func settings(task trajectory.Task) string {
	alike := trajectory.Task{
		Fara: task.Fara, Dialect: task.Dialect, Model: task.Model, API: task.API, Endpoint: task.Endpoint, Endpoints: task.Endpoints,
		PromptFile: task.PromptFile, MaxSteps: task.MaxSteps, Deadline: task.Deadline, MaxTokens: task.MaxTokens,
		MaxImages: task.MaxImages, NumCtx: task.NumCtx, Trim: task.Trim, Replies: task.Replies, Calibration: task.Calibration,
		Temperature: task.Temperature, Viewport: task.Viewport, Scale: task.Scale, FrameFormat: task.FrameFormat, Approve: task.Approve,
	}
	data, err := json.Marshal(alike)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// served is the model and the server that a call went to; an empty server is the
// run's.
func (t *Trace) served(server string) []attribute.KeyValue {
	if server == "" {
		server = t.task.Endpoint
	}
	about := []attribute.KeyValue{
		attribute.String("gen_ai.provider.name", t.task.API),
		attribute.String("gen_ai.request.model", t.task.Model),
		attribute.Float64("gen_ai.request.temperature", t.task.Temperature),
	}
	host, port := address(server)
	if host == "" {
		return about
	}
	return append(about, attribute.String("server.address", host), attribute.Int("server.port", port))
}

// address gives the host and port of a server's address; an empty host when it has
// none.
func address(server string) (host string, port int) {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil {
		return "", 0
	}
	port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	if n, err := strconv.Atoi(u.Port()); err == nil {
		port = n
	}
	return u.Hostname(), port
}

// origin is an address's scheme and host: a page without its path, query and
// fragment. What has no host is its scheme alone.
func origin(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return ""
	case u.Host == "":
		return u.Scheme + ":"
	}
	host := u.Hostname()
	if u.Port() != "" {
		host = net.JoinHostPort(host, u.Port())
	}
	return u.Scheme + "://" + host
}

// digest tells a call's arguments apart from others of this run without telling
// what they are: without the key, which nobody keeps, no list of likely texts helps.
func (t *Trace) digest(arguments any) string {
	data, err := json.Marshal(arguments)
	if err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, t.key)
	mac.Write(data)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

func tokens(in, out int) []attribute.KeyValue {
	return []attribute.KeyValue{attribute.Int("gen_ai.usage.input_tokens", in), attribute.Int("gen_ai.usage.output_tokens", out)}
}

// stop is how a run ended.
func stop(r trajectory.Result) []attribute.KeyValue {
	return []attribute.KeyValue{attribute.String("fara.run.status", string(r.Status)), attribute.String("fara.run.reason", r.Reason)}
}

// known are the names that actions can have.
var known = func() map[string]bool {
	all := map[string]bool{}
	for _, k := range env.Kinds() {
		all[string(k)] = true
	}
	return all
}()
