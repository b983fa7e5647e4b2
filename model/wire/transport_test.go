package wire_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"fara/model/wire"
)

// listenOn serves a greeting on one address alone, and gives its port.
func listenOn(t *testing.T, network, address string) string {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("no %s here, so one family was not tried: %v", network, err)
		}
		t.Skipf("NOT TRIED IN BOTH FAMILIES, no %s here: %v", network, err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

func TestThisMachineIsReachedInEitherFamilyAndWithoutAProxy(t *testing.T) {
	// A proxy that nothing listens on: whoever asks it fails.
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:9")
	}
	four, six := listenOn(t, "tcp4", "127.0.0.1:0"), listenOn(t, "tcp6", "[::1]:0")
	transport := wire.NewTransport()
	defer transport.CloseIdleConnections()
	for _, address := range []string{
		"127.0.0.1:" + four, "localhost:" + four, "model.localhost:" + four, "LOCALHOST.:" + four,
		"[::1]:" + six, "localhost:" + six, "model.localhost:" + six,
	} {
		resp, err := (&http.Client{Transport: transport}).Get("http://" + address + "/")
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		_ = resp.Body.Close()
	}
}

func TestDeadPortIsToldByTheFirstFamily(t *testing.T) {
	port := listenOn(t, "tcp4", "127.0.0.1:0")
	transport := wire.NewTransport()
	defer transport.CloseIdleConnections()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, dead, _ := net.SplitHostPort(listener.Addr().String())
	_ = listener.Close()
	_, err = (&http.Client{Transport: transport}).Get("http://localhost:" + dead + "/")
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:"+dead) || dead == port {
		t.Errorf("got %v, want a refusal of 127.0.0.1:%s", err, dead)
	}
}

func TestThisMachineIsKnown(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "a.b.localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "[::1]": true, "0.0.0.0": true, "::": true,
		"": false, "localhost.example.org": false, "gpu-box": false, "10.0.0.1": false, "notlocalhost": false,
	} {
		if got := wire.OnThisMachine(host); got != want {
			t.Errorf("%q: got %v, want %v", host, got, want)
		}
	}
}
