package natsd

import (
	"context"
	"fmt"
	"log/slog"
)

// log passes the server's words on. What the server calls fatal would end the program
// in its own logger; here it ends the start.
type log struct {
	to    *slog.Logger
	fatal chan string
}

func newLog(to *slog.Logger) *log {
	if to == nil {
		to = slog.New(slog.DiscardHandler)
	}
	return &log{to: to, fatal: make(chan string, 1)}
}

func (l *log) say(level slog.Level, format string, v []any) {
	l.to.Log(context.Background(), level, "nats server", "text", fmt.Sprintf(format, v...))
}

// Noticef, Debugf and Tracef are what the server says when all is well.
func (l *log) Noticef(format string, v ...any) { l.say(slog.LevelDebug, format, v) }

// Debugf is like Noticef.
func (l *log) Debugf(format string, v ...any) { l.say(slog.LevelDebug, format, v) }

// Tracef is like Noticef.
func (l *log) Tracef(format string, v ...any) { l.say(slog.LevelDebug, format, v) }

// Warnf is a warning.
func (l *log) Warnf(format string, v ...any) { l.say(slog.LevelWarn, format, v) }

// Errorf is an error that the server goes on after.
func (l *log) Errorf(format string, v ...any) { l.say(slog.LevelError, format, v) }

// Fatalf is an error that the server does not go on after.
func (l *log) Fatalf(format string, v ...any) {
	l.say(slog.LevelError, format, v)
	select {
	case l.fatal <- fmt.Sprintf(format, v...):
	default:
	}
}
