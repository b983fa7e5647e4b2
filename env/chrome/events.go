package chrome

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// handle takes in one event. It runs on the connection's reading goroutine, so
// it only notes what happened; whatever has to call the browser goes to the
// background.
func (b *instance) handle(e event) {
	defer b.survive()
	b.mu.Lock()
	p := b.sessions[proto.TargetSessionID(e.session)]
	b.mu.Unlock()
	if e.session == "" || strings.HasPrefix(e.method, "Target.") {
		b.handleBrowser(e)
		return
	}
	if p != nil {
		b.handlePage(p, e)
	}
}

func (b *instance) handleBrowser(e event) {
	switch e.method {
	case "Target.attachedToTarget":
		b.attached(proto.TargetSessionID(e.session), decode[proto.TargetAttachedToTarget](e))
	case "Target.targetCreated":
		b.created(decode[proto.TargetTargetCreated](e).TargetInfo)
	case "Target.targetDestroyed":
		b.gone(decode[proto.TargetTargetDestroyed](e).TargetID)
	case "Target.detachedFromTarget":
		b.mu.Lock()
		id := decode[proto.TargetDetachedFromTarget](e).SessionID
		if p := b.sessions[id]; p != nil && p.session != id {
			p.traffic.dropSession(string(id))
			p.frames.dropSession(id)
			delete(b.sessions, id)
		}
		b.mu.Unlock()
	case "Fetch.requestPaused":
		b.asked("", decode[proto.FetchRequestPaused](e))
	case "Browser.downloadWillBegin":
		b.downloadBegins(decode[proto.BrowserDownloadWillBegin](e))
	case "Browser.downloadProgress":
		b.downloadProgress(decode[proto.BrowserDownloadProgress](e))
	}
}

func (b *instance) handlePage(p *page, e event) {
	p.traffic.take(e)
	b.past.log(e)
	p.frames.take(e)
	switch e.method {
	case "Inspector.targetCrashed":
		if e.session == string(p.session) {
			b.crash(p)
		}
	case "Page.javascriptDialogOpening":
		b.dialog(proto.TargetSessionID(e.session), decode[proto.PageJavascriptDialogOpening](e))
	case "Page.fileChooserOpened":
		b.asksForFile(p, proto.TargetSessionID(e.session), decode[proto.PageFileChooserOpened](e))
	case "Network.responseReceived":
		if bytes.Contains(e.params, []byte(`"type":"Document"`)) {
			b.answered(p, decode[proto.NetworkResponseReceived](e))
		}
	case "Network.loadingFailed":
		b.brokeOff(p, decode[proto.NetworkLoadingFailed](e))
	case "Page.frameAttached":
		b.lendEar(e.session)
	case "Page.frameRequestedNavigation":
		b.requested(p, decode[proto.PageFrameRequestedNavigation](e))
	case "Page.frameNavigated":
		b.lendEar(e.session)
		f := decode[proto.PageFrameNavigated](e).Frame
		b.sees(p, f)
		b.navigated(p, f)
	case "Fetch.requestPaused":
		b.asked(proto.TargetSessionID(e.session), decode[proto.FetchRequestPaused](e))
	case "Runtime.bindingCalled":
		if called := decode[proto.RuntimeBindingCalled](e); called.Name == teller {
			b.reported(p, called.Payload)
		}
	case "Runtime.consoleAPICalled":
		if b.cfg.Console != nil {
			b.cfg.Console(consoleText(decode[proto.RuntimeConsoleAPICalled](e)))
		}
	}
}

// decode reads an event's parameters. A field that does not fit is left at zero:
// the protocol grows, and what we use of it has been stable for years.
func decode[T any](e event) *T {
	out := new(T)
	_ = json.Unmarshal(e.params, out)
	return out
}

// navigated notes where a page is now, and whether it is an error page.
func (b *instance) navigated(p *page, f *proto.PageFrame) {
	if f == nil || f.ID != proto.PageFrameID(p.target) {
		return
	}
	b.update(func() {
		p.url, p.failure, p.fresh, p.wishes = f.URL+f.URLFragment, "", false, nil
		p.loader, p.posted = f.LoaderID, p.traffic.posted(f.LoaderID)
		p.been, p.insists = p.been || f.URL != "about:blank", nil
		if f.UnreachableURL != "" {
			p.url, p.failure, p.fresh = f.UnreachableURL, p.failureName(p.traffic.lastFailure()), true
		}
	})
}

// consoleText joins the arguments of a console call as the console shows them.
func consoleText(e *proto.RuntimeConsoleAPICalled) string {
	var parts []string
	for _, arg := range e.Args {
		text := arg.Description
		if text == "" || arg.Type == proto.RuntimeRemoteObjectTypeString {
			text = arg.Value.Str()
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}
