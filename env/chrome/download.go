package chrome

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// downloadPatience is how long an action waits for a file that it began to
// download, so that a short one is there with the next picture.
const downloadPatience = 2 * time.Second

// download is a file on its way. It is forgotten when what became of it is noted.
type download struct {
	name     string // as the page suggested it; untrusted
	url      string // where it comes from
	received float64
	total    float64 // 0 when the server did not say
	told     bool    // as still running
}

// downloads are what pages have sent for. Its fields belong to instance.mu.
type downloads struct {
	running map[string]*download // by the browser's name for them
	begun   int                  // ever
}

// allowDownloads has the browser put files into Config.DownloadDir under names of
// its own, which cannot clash; they get their real names when they are complete.
func (b *instance) allowDownloads(ctx context.Context) error {
	if b.process == nil {
		return nil // how a browser that is not ours treats downloads is its owner's matter
	}
	if b.cfg.DownloadDir == "" {
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
		b.downloads.begun++
		if b.cfg.DownloadDir == "" {
			b.noteLocked(env.Note{Kind: env.NoteDownload, Text: "the page offered a file, which was refused: no download folder is set", Quote: e.SuggestedFilename})
			return
		}
		b.downloads.running[e.GUID] = &download{name: e.SuggestedFilename, url: env.WithoutUser(e.URL)}
	})
}

func (b *instance) downloadsBegun() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.downloads.begun
}

// downloadBeganAfter reports whether a download has begun beyond those counted
// before. It may be announced a moment after the navigation that it ended.
func (b *instance) downloadBeganAfter(ctx context.Context, before int) bool {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	return b.await(ctx, func() bool { return b.downloads.begun > before }) == nil
}

// awaitDownloads waits for files that have begun to come since there were begun
// of them, and not for long.
func (b *instance) awaitDownloads(ctx context.Context, begun int) {
	if b.downloadsBegun() == begun {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, downloadPatience)
	defer cancel()
	_ = b.await(ctx, func() bool {
		for _, d := range b.downloads.running {
			if !d.told {
				return false
			}
		}
		return true
	})
}

func (b *instance) downloadProgress(e *proto.BrowserDownloadProgress) {
	b.mu.Lock()
	d := b.downloads.running[e.GUID]
	if d != nil {
		d.received, d.total = e.ReceivedBytes, e.TotalBytes
	}
	b.mu.Unlock()
	if d == nil || e.State == proto.BrowserDownloadProgressStateInProgress {
		return
	}
	b.background(func(context.Context) {
		note := b.received(e.GUID, d, e.State)
		b.update(func() {
			delete(b.downloads.running, e.GUID)
			b.noteLocked(note)
		})
	})
}

// received gives a complete file its name and says what became of it. The name is
// the page's choice, and so no part of our own words.
func (b *instance) received(guid string, d *download, state proto.BrowserDownloadProgressState) env.Note {
	note := env.Note{Kind: env.NoteDownload, Quote: d.name}
	path := b.partial(guid)
	if state == proto.BrowserDownloadProgressStateCanceled {
		_ = os.Remove(path)
		note.Text = "a download broke off and nothing of it was kept; try it again"
		return note
	}
	kept, err := keep(path, b.cfg.DownloadDir, d.name)
	if err != nil {
		b.cfg.Logger.Error("download not kept", "err", err)
		note.Text = "a download finished but could not be stored"
		return note
	}
	b.past.got(kept, d.url)
	note.Text, note.Quote = fmt.Sprintf("downloaded a file of %s to %s", size(kept), b.cfg.DownloadDir), filepath.Base(kept)
	return note
}

func (b *instance) partial(guid string) string {
	return filepath.Join(b.cfg.DownloadDir, filepath.Base(guid))
}

func size(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "size unknown"
	}
	return fmt.Sprintf("%d bytes", info.Size())
}

// tellDownloads notes what is still on its way, once each.
func (b *instance) tellDownloads() {
	for _, d := range b.downloads.running {
		if d.told {
			continue
		}
		d.told = true
		text := fmt.Sprintf("a download is still running: %.0f bytes so far", d.received)
		if d.total > 0 {
			text += fmt.Sprintf(" of %.0f", d.total)
		}
		b.noteLocked(env.Note{Kind: env.NoteDownload, Text: text, Quote: d.name})
	}
}

// cancelDownloads stops what is still on its way. dropDownloads removes what
// came of it, when nobody writes there any more.
func (b *instance) cancelDownloads(ctx context.Context) {
	for _, guid := range b.unfinished() {
		_ = proto.BrowserCancelDownload{GUID: guid}.Call(b.root(ctx))
	}
}

func (b *instance) dropDownloads() {
	for _, guid := range b.unfinished() {
		_ = os.Remove(b.partial(guid))
		_ = os.Remove(b.partial(guid) + ".crdownload")
	}
}

func (b *instance) unfinished() (guids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for guid := range b.downloads.running {
		guids = append(guids, guid)
	}
	return guids
}
