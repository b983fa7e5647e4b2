package matrix

import (
	"embed"
	"errors"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

//go:embed stage.html
var files embed.FS

// Site serves the pages of the matrix on this machine.
type Site struct {
	servers []*http.Server
	ended   []chan struct{}
	hosts   map[origin]string // scheme, host and port
	page    *template.Template
}

// Serve starts a Site. Close ends it.
func Serve() (*Site, error) {
	page, err := template.ParseFS(files, "stage.html")
	if err != nil {
		return nil, err
	}
	s := &Site{page: page, hosts: map[origin]string{}}
	for _, name := range []origin{home, sibling} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.hosts[name] = "http://" + listener.Addr().String()
		server, ended := &http.Server{Handler: s}, make(chan struct{})
		s.servers, s.ended = append(s.servers, server), append(s.ended, ended)
		go func() {
			_ = server.Serve(listener)
			close(ended)
		}()
	}
	s.hosts[sandboxed] = s.hosts[home]
	s.hosts[foreign] = strings.Replace(s.hosts[home], "127.0.0.1", "localhost", 1)
	return s, nil
}

// Close stops serving.
func (s *Site) Close() error {
	var err error
	for i, server := range s.servers {
		err = errors.Join(err, server.Close())
		<-s.ended[i]
	}
	return err
}

// address gives a page's: its number, and how many of its frames are left to be
// gone through.
func (s *Site) address(p page) string { return s.hosts[home] + path(p, len(p.layers)) }

func path(p page, depth int) string {
	return "/?" + url.Values{"page": {p.name}, "depth": {strconv.Itoa(depth)}}.Encode()
}

// ServeHTTP implements http.Handler.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	depth, _ := strconv.Atoi(r.URL.Query().Get("depth"))
	for _, p := range pages() {
		if p.name != r.URL.Query().Get("page") || depth < 0 || depth > len(p.layers) {
			continue
		}
		data := map[string]any{"Shape": p.stage.shape, "CSS": template.CSS(p.stage.css), "Home": s.hosts[home]}
		if depth > 0 {
			l := p.layers[depth-1]
			data["Frame"], data["CSS"] = s.hosts[l.origin]+path(p, depth-1), template.CSS(l.css)
			data["Sandboxed"] = l.origin == sandboxed
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = s.page.Execute(w, data) // a browser that went away
		return
	}
	http.NotFound(w, r)
}
