package waits

import (
	"bufio"
	"bytes"
	"crypto/sha1" // what the protocol of WebSockets asks for
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"net/http"
	"time"
)

// answerLate is a WebSocket server of the least kind: to each short message it
// sends one back, late.
func answerLate(w http.ResponseWriter, r *http.Request, late time.Duration) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	for rw.Flush() == nil && skipMessage(rw.Reader) == nil {
		timer := time.NewTimer(late)
		<-timer.C
		_, _ = rw.Write([]byte{0x81, 2, 'o', 'k'}) // a whole text message of two bytes
	}
}

// skipMessage reads one masked message of less than 126 bytes.
func skipMessage(r *bufio.Reader) error {
	var start [2]byte
	if _, err := io.ReadFull(r, start[:]); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, r, int64(start[1]&0x7f)+4)
	return err
}

// moving is a picture that never stands still.
func moving() []byte {
	var g gif.GIF
	for i := range 4 {
		img := image.NewPaletted(image.Rect(0, 0, 40, 40), color.Palette{color.White, color.RGBA{200, 0, 0, 255}})
		for y := range 40 {
			for x := i * 10; x < i*10+10; x++ {
				img.SetColorIndex(x, y, 1)
			}
		}
		g.Image, g.Delay = append(g.Image, img), append(g.Delay, 5)
	}
	var out bytes.Buffer
	_ = gif.EncodeAll(&out, &g) // a buffer takes everything
	return out.Bytes()
}
