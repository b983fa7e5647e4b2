package chrome

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// plainFailures say in words what the browser's error names mean.
var plainFailures = map[string]string{
	"NAME_NOT_RESOLVED":                        "the host does not exist",
	"CONNECTION_REFUSED":                       "the host refuses connections",
	"CONNECTION_RESET":                         "the host broke the connection off",
	"CONNECTION_CLOSED":                        "the host closed the connection",
	"CONNECTION_TIMED_OUT":                     "the host does not answer",
	"TIMED_OUT":                                "the host does not answer",
	"ADDRESS_UNREACHABLE":                      "the host cannot be reached",
	"INTERNET_DISCONNECTED":                    "there is no network",
	"NETWORK_CHANGED":                          "the network changed meanwhile",
	"EMPTY_RESPONSE":                           "the host sent nothing",
	"TOO_MANY_REDIRECTS":                       "the site redirects in a circle",
	"CERT_AUTHORITY_INVALID":                   "the site's certificate is not trusted",
	"CERT_DATE_INVALID":                        "the site's certificate has expired",
	"CERT_COMMON_NAME_INVALID":                 "the site's certificate is for another host",
	"SSL_PROTOCOL_ERROR":                       "the site does not speak TLS properly",
	"INVALID_AUTH_CREDENTIALS":                 "the site asks for a user name and password; when they were given, open it as https://NAME:PASSWORD@host/…",
	"PROXY_AUTH_UNSUPPORTED":                   "the proxy asks for a user name and password, which --proxy has to name",
	"PROXY_AUTH_REQUESTED":                     "the proxy asks for a user name and password, which --proxy has to name",
	"UNEXPECTED_PROXY_AUTH":                    "the site asks for what only proxies may ask for",
	"CERT_REVOKED":                             "the site's certificate was withdrawn",
	"CERT_INVALID":                             "the site's certificate is not valid",
	"CERT_WEAK_SIGNATURE_ALGORITHM":            "the site's certificate is too weak",
	"SSL_VERSION_OR_CIPHER_MISMATCH":           "the site speaks only TLS that is too old",
	"SSL_CLIENT_AUTH_CERT_NEEDED":              "the site asks for a certificate of the user",
	"BAD_SSL_CLIENT_AUTH_CERT":                 "the site asks for a certificate of the user",
	"INVALID_HTTP_RESPONSE":                    "the host does not speak HTTP",
	"INVALID_RESPONSE":                         "the host does not speak HTTP",
	"INVALID_REDIRECT":                         "the site redirects to an address that is not valid",
	"UNSAFE_REDIRECT":                          "the site redirects to where browsers do not follow",
	"RESPONSE_HEADERS_MULTIPLE_LOCATION":       "the site's answer contradicts itself",
	"RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH": "the site's answer contradicts itself",
	"RESPONSE_HEADERS_TOO_BIG":                 "the site's answer has too large headers",
	"RESPONSE_HEADERS_TRUNCATED":               "the site's answer broke off",
	"CONTENT_DECODING_FAILED":                  "the site's answer is damaged",
	"INVALID_CHUNKED_ENCODING":                 "the site's answer is damaged",
	"INCOMPLETE_CHUNKED_ENCODING":              "the site's answer broke off",
	"CONTENT_LENGTH_MISMATCH":                  "the site's answer broke off",
	"HTTP2_PROTOCOL_ERROR":                     "the site's answer is damaged",
	"CONNECTION_ABORTED":                       "the host broke the connection off",
	"CONNECTION_FAILED":                        "the host cannot be reached",
	"NAME_RESOLUTION_FAILED":                   "the host's name cannot be looked up",
	"SOCKS_CONNECTION_FAILED":                  "the proxy cannot be reached",
	"ACCESS_DENIED":                            "this machine does not allow it",
	"DISALLOWED_URL_SCHEME":                    "no browser opens this kind of address",
	"HTTP_RESPONSE_CODE_FAILURE":               "the site answered with an error and no page",
	"PROXY_CONNECTION_FAILED":                  "the proxy cannot be reached",
	"TUNNEL_CONNECTION_FAILED":                 "the proxy refuses this host",
	"BLOCKED_BY_CLIENT":                        "it is blocked",
	"BLOCKED_BY_RESPONSE":                      "the site does not allow it",
	"UNKNOWN_URL_SCHEME":                       "no browser opens this kind of address",
	"INVALID_URL":                              "the address is not valid",
	"FILE_NOT_FOUND":                           "the file does not exist",
	"UNSAFE_PORT":                              "browsers do not connect to this port",
}

// plainFailure gives the words and the browser's own name.
func plainFailure(name string) string {
	if name == "" {
		return "the network failed"
	}
	if words, ok := plainFailures[strings.TrimPrefix(name, "net::ERR_")]; ok {
		return words + " (" + name + ")"
	}
	return name
}

// failureName tells a proxy that asks for a password from a site that does: the
// browser has one name for both.
func (b *instance) failureName(p *page, name string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return p.failureName(name)
}

func (p *page) failureName(name string) string {
	if name == "net::ERR_INVALID_AUTH_CREDENTIALS" && p.status == http.StatusProxyAuthRequired {
		return "net::ERR_PROXY_AUTH_REQUESTED"
	}
	return name
}

// brokeOff takes in the failure of a document that was already being shown. The
// browser leaves it half read for ever, and one of which nothing came cannot even
// be drawn; so its loading is ended.
func (b *instance) brokeOff(p *page, e *proto.NetworkLoadingFailed) {
	b.mu.Lock()
	broken := e.Type == proto.NetworkResourceTypeDocument && !e.Canceled && e.ErrorText != "net::ERR_ABORTED" &&
		proto.NetworkLoaderID(e.RequestID) == p.loader
	b.mu.Unlock()
	if !broken {
		return
	}
	b.note(env.Note{Kind: env.NoteError, Text: "the page broke off while it was loading: " + plainFailure(e.ErrorText) + "; load it again to see all of it"})
	b.background(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, mendLimit)
		defer cancel()
		here := proto.NetworkLoaderID(e.RequestID)
		if b.await(ctx, func() bool { return !p.leaving || p.loader != here }) != nil || b.loader(p) != here {
			return // it is on its way out, and to stop that would stop us
		}
		b.stopLoading(ctx, p)
		_ = b.script(ctx, p, "fill()", nil)
	})
}

func (b *instance) loader(p *page) proto.NetworkLoaderID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return p.loader
}

// warns reports whether the browser shows its warning of a bad certificate in a
// tab. Nobody may click that away here.
func (b *instance) warns(p *page) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.HasPrefix(p.failure, "net::ERR_CERT_")
}
