package telemetry

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// newClient reads where traces go and how.
func newClient(cfg Config) (*client, error) {
	u, err := target(cfg.Endpoint)
	if err != nil {
		return nil, err
	}
	c := &client{header: http.Header{"Content-Type": {"application/x-protobuf"}, "User-Agent": {"fara/" + cfg.Version}}}
	if u.User != nil {
		password, _ := u.User.Password()
		c.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
		u.User = nil
	}
	c.target, c.shown = u.String(), u.Scheme+"://"+u.Host+u.Path
	option := options(cfg.Getenv)
	if err := headers(c.header, option("HEADERS")); err != nil {
		return nil, err
	}
	switch how := option("COMPRESSION"); how {
	case "", "none":
	case "gzip":
		c.zip = true
		c.header.Set("Content-Encoding", "gzip")
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION %q is unknown; use gzip or none", how)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if transport.TLSClientConfig, err = trust(option("CERTIFICATE")); err != nil {
		return nil, err
	}
	c.http = &http.Client{
		Transport: transport,
		// A collector that points elsewhere is a wrong address, not a way.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// target is the address that spans are sent to.
func target(endpoint string) (*url.URL, error) {
	address := strings.TrimSpace(endpoint)
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("the collector's address cannot be read; write it as http://host:4318")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%s:// is no way to a collector; use OTLP over http or https, as in http://host:4318", u.Scheme)
	case u.Hostname() == "":
		return nil, errors.New("the collector's address names no host; write it as http://host:4318")
	case u.Port() == "4317":
		return nil, errors.New("port 4317 is for OTLP over gRPC; use the one for HTTP, mostly 4318")
	}
	if !strings.HasSuffix(u.Path, "/v1/traces") {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/v1/traces"
	}
	return u, nil
}

// options gives the variables that the protocol's specification names, those for
// traces alone first.
func options(getenv func(string) string) func(name string) string {
	return func(name string) string {
		if getenv == nil {
			return ""
		}
		if v := strings.TrimSpace(getenv("OTEL_EXPORTER_OTLP_TRACES_" + name)); v != "" {
			return v
		}
		return strings.TrimSpace(getenv("OTEL_EXPORTER_OTLP_" + name))
	}
}

// headers adds a list such as "api-key=abc,tenant=a%20b". An error repeats no
// value: keys stand there.
func headers(into http.Header, list string) error {
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || name == "" || err != nil || strings.ContainsAny(plain, "\r\n") || strings.ContainsAny(name, " \t\r\n:") {
			return errors.New("OTEL_EXPORTER_OTLP_HEADERS cannot be read; write it as name=value,name=value")
		}
		into.Set(name, plain)
	}
	return nil
}

// trust reads the certificates that a collector's own may be signed by; empty are
// the system's.
func trust(file string) (*tls.Config, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %s holds no certificate", file)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}
