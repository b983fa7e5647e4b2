package chrome

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// download is a file on its way.
type download struct {
	name string // as the page suggested it; untrusted
}

// allowDownloads has the browser put files into Config.DownloadDir under names of
// its own, which cannot clash; they get their real names when they are complete.
func (b *instance) allowDownloads(ctx context.Context) error {
	if b.cfg.DownloadDir == "" {
		if b.process == nil {
			return nil // how a browser that is not ours treats downloads is its owner's matter
		}
		return proto.BrowserSetDownloadBehavior{Behavior: proto.BrowserSetDownloadBehaviorBehaviorDeny, EventsEnabled: true}.Call(b.root(ctx))
	}
	dir, err := filepath.Abs(b.cfg.DownloadDir)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return fmt.Errorf("download folder: %w", err)
	}
	b.cfg.DownloadDir = dir
	return proto.BrowserSetDownloadBehavior{
		Behavior: proto.BrowserSetDownloadBehaviorBehaviorAllowAndName, DownloadPath: dir, EventsEnabled: true,
	}.Call(b.root(ctx))
}

func (b *instance) downloadBegins(e *proto.BrowserDownloadWillBegin) {
	b.update(func() {
		b.downloads[e.GUID] = &download{name: e.SuggestedFilename}
		b.begun++
		if b.cfg.DownloadDir == "" {
			b.noteLocked(env.Note{Kind: env.NoteDownload, Text: "the page offered a file, which was refused: no download folder is set", Quote: e.SuggestedFilename})
		}
	})
}

func (b *instance) downloadsBegun() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.begun
}

// downloadBeganAfter reports whether a download has begun beyond those counted
// before. It may be announced a moment after the navigation that it ended.
func (b *instance) downloadBeganAfter(ctx context.Context, before int) bool {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	return b.await(ctx, func() bool { return b.begun > before }) == nil
}

func (b *instance) downloadProgress(e *proto.BrowserDownloadProgress) {
	if e.State == proto.BrowserDownloadProgressStateInProgress {
		return
	}
	b.mu.Lock()
	d := b.downloads[e.GUID]
	delete(b.downloads, e.GUID)
	b.mu.Unlock()
	if d == nil || b.cfg.DownloadDir == "" {
		return
	}
	if e.State == proto.BrowserDownloadProgressStateCanceled {
		b.note(env.Note{Kind: env.NoteDownload, Text: "a download did not finish", Quote: d.name})
		return
	}
	b.background(func(context.Context) {
		name, err := b.keep(filepath.Join(b.cfg.DownloadDir, filepath.Base(e.GUID)), d.name)
		if err != nil {
			b.cfg.Logger.Error("download not kept", "err", err)
			b.note(env.Note{Kind: env.NoteDownload, Text: "a download finished but could not be stored", Quote: d.name})
			return
		}
		b.note(env.Note{Kind: env.NoteDownload, Text: fmt.Sprintf("downloaded %s (%.0f bytes)", name, e.ReceivedBytes), Quote: d.name})
	})
}

// keep gives a finished file its name, or that name with a number when it is
// taken: "list.csv", "list (2).csv". Linking never replaces what is there.
func (b *instance) keep(path, suggested string) (string, error) {
	safe := safeName(suggested)
	ext := filepath.Ext(safe)
	stem := strings.TrimSuffix(safe, ext)
	for n := 1; n <= 1000; n++ {
		name := safe
		if n > 1 {
			name = fmt.Sprintf("%s (%d)%s", stem, n, ext)
		}
		err := os.Link(path, filepath.Join(b.cfg.DownloadDir, name))
		if err == nil {
			return name, os.Remove(path)
		}
		if !os.IsExist(err) {
			return "", err
		}
	}
	return "", fmt.Errorf("a thousand files are called %q already", safe)
}

// safeName makes a file name of what a page suggests: no folders, nothing that a
// shell or Windows takes amiss, not hidden, at most 120 bytes.
func safeName(suggested string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, suggested)
	name = strings.Trim(name, ". ")
	ext := filepath.Ext(name)
	if len(ext) > 20 {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for len(stem)+len(ext) > 120 {
		runes := []rune(stem)
		stem = string(runes[:len(runes)-1])
	}
	if stem == "" {
		stem = "download"
	}
	return stem + ext
}
