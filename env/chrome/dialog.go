package chrome

import (
	"context"

	"github.com/go-rod/rod/lib/proto"

	"fara/env"
)

// Dialogs says how questions of pages are answered: confirm and prompt. Messages
// are always closed, and leaving a page is always allowed.
type Dialogs string

// The answers.
const (
	Accept  Dialogs = "accept"  // OK, a prompt with the text it proposes
	Dismiss Dialogs = "dismiss" // Cancel
)

// maxDialogs is how many dialogs one action may open before the script that
// opens them is stopped. The browser stops a loop after some five hundred turns of
// it only, so it is asked again now and then, not each time.
const (
	maxDialogs = 20
	stopEvery  = 50
)

// dialog answers a dialog at once, because the whole page stands still while one
// is open.
func (b *instance) dialog(id proto.TargetSessionID, e *proto.PageJavascriptDialogOpening) {
	accept, text := b.answer(e.Type)
	note := env.Note{Kind: env.NoteDialog, Text: text, Quote: e.Message}
	if accept && !b.mayConfirm(e) {
		accept = false
		note.Kind, note.Text = env.NoteDeclined, "the page asked for a confirmation that needs a person's yes, and was answered with Cancel; if that is wanted, do the same again, and a person is asked"
	}
	var flood bool
	b.update(func() {
		b.dialogs++
		flood = b.dialogs > maxDialogs && (b.dialogs-maxDialogs)%stopEvery == 1
		b.noteLocked(note)
	})
	b.background(func(ctx context.Context) {
		s := session{ctx, b.conn, id}
		if flood {
			wait := s.start(proto.RuntimeTerminateExecution{})
			defer func() { _, _ = wait() }()
		}
		_ = proto.PageHandleJavaScriptDialog{Accept: accept, PromptText: e.DefaultPrompt}.Call(s)
	})
}

// mayConfirm reports whether a question of a page may be answered with yes.
func (b *instance) mayConfirm(e *proto.PageJavascriptDialogOpening) bool {
	if b.cfg.Confirm == nil || e.Type != proto.PageDialogTypeConfirm && e.Type != proto.PageDialogTypePrompt {
		return true
	}
	b.mu.Lock()
	sure := b.sure
	b.mu.Unlock()
	return sure || b.cfg.Confirm(e.URL, e.Message)
}

// answer is what a dialog is answered with, and the words for it.
func (b *instance) answer(kind proto.PageDialogType) (accept bool, text string) {
	switch {
	case kind == proto.PageDialogTypeAlert:
		return true, "the page showed a message, which was closed"
	case kind == proto.PageDialogTypeBeforeunload:
		return true, "the page asked whether to leave it, which was answered with yes"
	case kind == proto.PageDialogTypeConfirm && b.cfg.Dialogs == Dismiss:
		return false, "the page asked for a confirmation, which was answered with Cancel"
	case kind == proto.PageDialogTypeConfirm:
		return true, "the page asked for a confirmation, which was answered with OK"
	case b.cfg.Dialogs == Dismiss:
		return false, "the page asked for an input, which was answered with Cancel"
	}
	return true, "the page asked for an input, which was answered with the text it proposed"
}
