package wall

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// proxyError is what a proxy on the way said, in one line without its password.
type proxyError struct{ text string }

func (e *proxyError) Error() string { return e.text }

// throughHTTP asks an HTTP proxy for a tunnel.
func throughHTTP(ctx context.Context, by *url.URL, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", proxyAddress(by))
	if err != nil {
		return nil, err
	}
	if by.Scheme == "https" {
		conn = tls.Client(conn, &tls.Config{ServerName: by.Hostname()})
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	tunnel, err := ask(conn, by.User, address)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return tunnel, nil
}

// ask says CONNECT and reads the answer.
func ask(conn net.Conn, user *url.Userinfo, address string) (net.Conn, error) {
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{"User-Agent": {""}}}
	if user != nil {
		password, _ := user.Password()
		request.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := request.Write(conn); err != nil {
		return nil, err
	}
	from := bufio.NewReader(conn)
	answer, err := http.ReadResponse(from, request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New("it answers " + answer.Status)
	}
	if from.Buffered() == 0 {
		return conn, nil
	}
	return &reading{conn, from}, nil
}

// proxyAddress is where a proxy listens.
func proxyAddress(by *url.URL) string {
	if by.Port() != "" {
		return by.Host
	}
	port := map[string]string{"http": "80", "https": "443"}[by.Scheme]
	if port == "" {
		port = "1080"
	}
	return net.JoinHostPort(by.Hostname(), port)
}
