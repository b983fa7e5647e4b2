package chrome

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// interceptChoosers keeps the system's file dialog closed and tells us that a page
// asked for it. Cancel has the page hear at once that nothing was chosen.
type interceptChoosers struct {
	Enabled bool `json:"enabled"`
	Cancel  bool `json:"cancel"`
}

// ProtoReq implements proto.Request.
func (interceptChoosers) ProtoReq() string { return "Page.setInterceptFileChooserDialog" }

func (b *instance) interceptChoosers() proto.Request {
	return interceptChoosers{Enabled: true, Cancel: len(b.cfg.Uploads) == 0}
}

// checkUploads finds files that cannot be given before a page asks for them.
func checkUploads(paths []string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return fmt.Errorf("upload %s: %w; name files that exist", path, err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("upload %s: it is not a file; name the files themselves", path)
		case !filepath.IsAbs(path):
			return fmt.Errorf("upload %s: write its whole path", path)
		}
	}
	return nil
}

// choosing is what pages have asked for.
type choosing struct {
	open  *chooser // waits for a choice; nil when none does
	under int      // being looked at
	given int      // how often a page was given files
}

// chooser is a page's question for files.
type chooser struct {
	page    *page
	session proto.TargetSessionID
	frame   proto.PageFrameID
	node    proto.DOMBackendNodeID
	many    bool
}

// chooserLimit is how long answering a page's question may take.
const chooserLimit = 2 * time.Second

// asksForFile takes in a page's question for files.
func (b *instance) asksForFile(p *page, id proto.TargetSessionID, e *proto.PageFileChooserOpened) {
	b.update(func() { b.choosing.under++ })
	b.background(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, chooserLimit)
		defer cancel()
		defer b.update(func() { b.choosing.under-- })
		b.note(env.Note{Kind: env.NoteDialog, Text: b.answerFile(session{ctx, b.conn, id}, p, e)})
	})
}

// answerFile gives the page the file when there is just one, and says what was
// done in words.
func (b *instance) answerFile(s session, p *page, e *proto.PageFileChooserOpened) string {
	names := uploadNames(b.cfg.Uploads)
	switch {
	case e.BackendNodeID == 0:
		return "the page asked for a file or folder in a way that cannot be answered here, and was told that nothing was chosen"
	case len(names) == 0:
		return "the page asked for a file to upload; there is none to give, so it got none"
	}
	wants := s.fileWish(e.BackendNodeID)
	if wants.folder {
		return "the page asked for a whole folder to upload; only single files can be given, so it got none"
	}
	many := e.Mode == proto.PageFileChooserOpenedModeSelectMultiple
	if len(names) > 1 {
		b.update(func() { b.choosing.open = &chooser{p, s.id, e.FrameID, e.BackendNodeID, many} })
		how := "the name of one"
		if many {
			how = "the names of one or more, one a line"
		}
		return fmt.Sprintf("the page asks for a file to upload%s; use type with %s: %s", wants.kinds(), how, strings.Join(names, ", "))
	}
	if err := (proto.DOMSetFileInputFiles{Files: b.cfg.Uploads, BackendNodeID: e.BackendNodeID}).Call(s); err != nil {
		return "the page asked for a file to upload and did not take " + names[0]
	}
	b.update(func() { b.choosing.given++ })
	return fmt.Sprintf("the page asked for a file to upload%s; given: %s", wants.kinds(), names[0])
}

// fileWish is what an input says about the files it wants.
type fileWish struct {
	accept string
	folder bool
}

func (s session) fileWish(node proto.DOMBackendNodeID) (w fileWish) {
	res, err := proto.DOMDescribeNode{BackendNodeID: node}.Call(s)
	if err != nil {
		return w
	}
	for i := 0; i+1 < len(res.Node.Attributes); i += 2 {
		switch res.Node.Attributes[i] {
		case "accept":
			w.accept = res.Node.Attributes[i+1]
		case "webkitdirectory":
			w.folder = true
		}
	}
	return w
}

func (w fileWish) kinds() string {
	if w.accept == "" {
		return ""
	}
	return fmt.Sprintf(" of the kind %q", cut(w.accept, 60))
}

// uploadNames are what files are called towards pages and models: their last part,
// with the folder before it where two would be called the same.
func uploadNames(paths []string) []string {
	count := map[string]int{}
	for _, path := range paths {
		count[filepath.Base(path)]++
	}
	var names []string
	for _, path := range paths {
		name := filepath.Base(path)
		if count[name] > 1 {
			name = filepath.Join(filepath.Base(filepath.Dir(path)), name)
		}
		names = append(names, name)
	}
	return names
}

// uploadsNamed gives the files that a text names, one a line; nil when any line
// names none.
func (b *instance) uploadsNamed(text string) (paths []string) {
	names := uploadNames(b.cfg.Uploads)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		i := slices.Index(names, line)
		if i < 0 {
			i = slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, line) })
		}
		if i < 0 {
			return nil
		}
		paths = append(paths, b.cfg.Uploads[i])
	}
	return paths
}

// answerChooser gives files by name to a page that asks for them; given is false
// when the text is meant for something else.
func (b *instance) answerChooser(ctx context.Context, p *page, a env.Action) (out env.Outcome, given bool, err error) {
	paths := b.uploadsNamed(a.Text)
	if a.Point != nil && paths != nil {
		return b.clickForChooser(ctx, p, a, paths)
	}
	open := b.waiting(p)
	if open == nil || a.Point != nil || strings.TrimSpace(a.Text) == "" {
		return out, false, nil
	}
	f, release := b.focused(ctx, p)
	defer release()
	if f.Kind == "text" || f.Kind == "file" {
		return out, false, nil // it is typed there
	}
	if paths == nil {
		return out, true, env.Fail(env.NoEffect, "the page asks for a file, and there is no %q to give; use type with a name: %s",
			cut(a.Text, 60), strings.Join(uploadNames(b.cfg.Uploads), ", "))
	}
	out, err = b.give(ctx, *open, paths)
	return out, true, err
}

// clickForChooser clicks at the point and gives the files when the page asks for
// some then.
func (b *instance) clickForChooser(ctx context.Context, p *page, a env.Action, paths []string) (out env.Outcome, given bool, err error) {
	var before int
	b.update(func() { b.choosing.open, before = nil, b.choosing.given })
	hit := b.hit(ctx, p, *a.Point)
	if err := b.click(ctx, p, *a.Point, proto.InputMouseButtonLeft, 1); err != nil {
		return out, true, err
	}
	limited, cancel := context.WithTimeout(ctx, chooserLimit/2)
	defer cancel()
	var open *chooser
	_ = b.await(limited, func() bool {
		open, given = b.choosing.open, b.choosing.given > before
		return open != nil || given
	})
	switch {
	case given:
		out = env.Outcome{Text: "the page asked for a file and was given it"}
	case open != nil && open.page == p:
		out, err = b.give(ctx, *open, paths)
	default:
		f, release := b.focused(ctx, p)
		defer release()
		a.Point = nil
		out, err = b.fill(ctx, p, f, a)
	}
	out.Hit = hit
	return out, true, err
}

// give puts files into the input that asks for them.
func (b *instance) give(ctx context.Context, c chooser, paths []string) (env.Outcome, error) {
	s, release := b.bind(ctx, c.page)
	defer release()
	s.id = c.session
	return b.giveTo(s, proto.DOMSetFileInputFiles{Files: paths, BackendNodeID: c.node}, c.many)
}

func (b *instance) giveTo(s session, files proto.DOMSetFileInputFiles, many bool) (env.Outcome, error) {
	if len(files.Files) > 1 && !many {
		return env.Outcome{}, env.Fail(env.NoEffect, "the page takes one file only; use type with one name")
	}
	b.update(func() { b.choosing.open = nil })
	if err := files.Call(s); err != nil {
		return env.Outcome{}, &env.ActionError{Code: env.NoEffect, Err: err, Text: "the page does not ask for a file any more; click what asks for it again"}
	}
	b.update(func() { b.choosing.given++ })
	var names []string
	for i, name := range uploadNames(b.cfg.Uploads) {
		if slices.Contains(files.Files, b.cfg.Uploads[i]) {
			names = append(names, name)
		}
	}
	return env.Outcome{Text: "given to the page: " + strings.Join(names, ", "), Tell: true}, nil
}

// fillFile gives files by name to the file input that has the focus.
func (b *instance) fillFile(_ context.Context, _ *page, f field, a env.Action) (env.Outcome, error) {
	paths := b.uploadsNamed(a.Text)
	names := strings.Join(uploadNames(b.cfg.Uploads), ", ")
	switch {
	case names == "":
		return env.Outcome{}, env.Fail(env.NoEffect, "the %s takes a file, and there is none to give", f.named("file field"))
	case paths == nil:
		return env.Outcome{}, env.Fail(env.NoEffect, "the %s takes a file, and there is no %q to give; use type with a name: %s", f.named("file field"), cut(a.Text, 60), names)
	}
	s, err := f.state()
	if err != nil {
		return env.Outcome{}, err
	}
	if s.Folder {
		return env.Outcome{}, env.Fail(env.NoEffect, "the %s takes a whole folder; only single files can be given", f.named("file field"))
	}
	id, err := f.object("fara.current")
	if err != nil {
		return env.Outcome{}, err
	}
	return b.giveTo(f.session, proto.DOMSetFileInputFiles{Files: paths, ObjectID: id}, s.Multiple)
}

// chooserAnswered waits until what the page just asked for has been looked at.
func (b *instance) chooserAnswered(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, chooserLimit)
	defer cancel()
	_ = b.await(ctx, func() bool { return b.choosing.under == 0 })
}
