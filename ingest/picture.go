package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // the formats that frames have
	_ "image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fara/env"
)

// largest bounds one picture file, in bytes, and largestSide its sides in pixels.
const (
	largest     = 64 << 20
	largestSide = 32768
)

// within begins the name of a picture that is no file of its own.
const within = "#"

// shot is the picture of a file that a source names, beside the source. The name must
// not lead out of the folder.
func shot(dir, name string) (*picture, error) {
	clean := strings.ReplaceAll(name, `\`, "/")
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return nil, fmt.Errorf("the screenshot %q lies outside the recording's folder", name)
	}
	path := filepath.Join(dir, filepath.FromSlash(clean))
	real, err := inside(dir, path)
	if err != nil {
		return nil, fmt.Errorf("screenshot %s: %w", name, err)
	}
	return &picture{name: clean, read: func() ([]byte, error) { return readPicture(real) }}, nil
}

// inside is a path with its links followed, which must not leave the folder either.
func inside(dir, path string) (string, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", plain(err)
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("it is a link out of the recording's folder")
	}
	return real, nil
}

func readPicture(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, plain(err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("it is no file")
	case info.Size() > largest:
		return nil, fmt.Errorf("it has %d bytes, and more than %d are no screenshot", info.Size(), largest)
	}
	return os.ReadFile(path)
}

// look says what a picture is, by its bytes and not by its name.
func look(data []byte) (mime string, size env.Size, err error) {
	if len(data) == 0 {
		return "", env.Size{}, fmt.Errorf("it is empty")
	}
	cfg, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "", env.Size{}, fmt.Errorf("it is no PNG or JPEG picture")
	}
	if cfg.Width > largestSide || cfg.Height > largestSide || cfg.Width > 200*cfg.Height || cfg.Height > 200*cfg.Width || cfg.Width < 1 || cfg.Height < 1 {
		return "", env.Size{}, fmt.Errorf("%dx%d is no screenshot's size", cfg.Width, cfg.Height)
	}
	if !whole(data, format) {
		return "", env.Size{}, fmt.Errorf("it breaks off before its end")
	}
	return "image/" + format, env.Size{W: cfg.Width, H: cfg.Height}, nil
}

// whole reports whether a picture has its end, within a few bytes that some programs add.
func whole(data []byte, format string) bool {
	end := []byte("IEND\xaeB`\x82")
	if format == "jpeg" {
		end = []byte{0xff, 0xd9}
	}
	return bytes.Contains(data[max(0, len(data)-1024):], end)
}

// fetch reads all pictures once: they are part of what the run is made from, and a
// recording that lacks one is no good.
func (r *recording) fetch(ctx context.Context) error {
	for _, part := range r.parts {
		p, ok := part.(*picture)
		if !ok {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		data, err := p.read()
		if err == nil {
			_, _, err = look(data)
		}
		if err != nil {
			return fmt.Errorf("screenshot %s: %w", p.name, err)
		}
		if !strings.HasPrefix(p.name, within) {
			r.files.add(p.name, data)
		}
	}
	return nil
}

// plain is an error of the file system without its path, which the caller names.
func plain(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
