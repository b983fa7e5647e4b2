package chrome

import (
	"context"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// socketLimit is how long one message may take onto the network.
const socketLimit = 15 * time.Second

// socket is the transport of a browser reached over the network. One goroutine
// writes, with a limit of its own: the library closes a connection whose writer's
// context ends, and the end of one call must not be the end of all.
type socket struct {
	ws    *websocket.Conn
	http  *http.Client
	queue chan []byte
	life  context.Context
	end   context.CancelFunc
}

func dial(ctx context.Context, address string, header http.Header) (*socket, error) {
	client := httpClient()
	ws, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: client, HTTPHeader: header, Host: header.Get("Host")})
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(messageLimit)
	s := &socket{ws: ws, http: client, queue: make(chan []byte, typeBatch)}
	s.life, s.end = context.WithCancel(context.Background())
	go s.write()
	return s, nil
}

func (s *socket) write() {
	for {
		select {
		case message := <-s.queue:
			ctx, cancel := context.WithTimeout(s.life, socketLimit)
			err := s.ws.Write(ctx, websocket.MessageText, message)
			cancel()
			if err != nil {
				_ = s.close()
				return
			}
		case <-s.life.Done():
			return
		}
	}
}

func (s *socket) send(ctx context.Context, message []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case s.queue <- message:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.life.Done():
		return context.Cause(s.life)
	}
}

func (s *socket) read() ([]byte, error) {
	_, message, err := s.ws.Read(s.life)
	return message, err
}

func (s *socket) close() error {
	s.end()
	err := s.ws.CloseNow()
	s.http.CloseIdleConnections()
	return err
}
