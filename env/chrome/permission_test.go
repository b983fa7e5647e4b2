package chrome_test

import (
	"strings"
	"testing"
	"time"

	"fara/env/chrome"
	"fara/env/envtest"
)

// asksAll is a page that asks for what a person would have to decide, and writes
// down what came of it.
const asksAll = `<title>-</title><script>
const began = performance.now(), said = {};
const tell = (name, what) => { said[name] = what; if (Object.keys(said).length === 7)
	document.title = Object.keys(said).sort().map(k => k + '=' + said[k]).join(' ') + (performance.now() - began > 1000 ? ' late' : ''); };
const name = e => e.name;
tell('notification', Notification.permission);
Notification.requestPermission().then(p => tell('asked', p));
navigator.geolocation.getCurrentPosition(() => tell('location', 'got'), e => tell('location', e.code));
navigator.permissions.query({name: 'camera'}).then(p => tell('camera', p.state)); // without one, using it fails in another way
navigator.clipboard.readText().then(() => tell('clipboard', 'got'), e => tell('clipboard', name(e)));
navigator.requestMIDIAccess().then(() => tell('midi', 'got'), e => tell('midi', name(e)));
navigator.permissions.query({name: 'local-fonts'}).then(p => tell('fonts', p.state));
</script>`

func TestPermissionsAreDeniedAtOnce(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{})
	b.Open(asksAll)
	b.Says("asked=denied camera=denied clipboard=NotAllowedError fonts=denied location=1 midi=NotAllowedError notification=denied")
}

func TestGrantedPermissionsAreGiven(t *testing.T) {
	t.Parallel()
	b := ownTab(t, chrome.Config{Grant: []string{"notifications", "clipboard-read", "local-fonts"}})
	b.Open(asksAll)
	if !envtest.Eventually(func() bool { return b.See().Title != "-" }) {
		t.Fatal("the page never had all its answers")
	}
	envtest.Contains(t, "page", b.See().Title, "asked=granted", "clipboard=got", "fonts=granted", "location=1", "notification=granted")
}

func TestUnknownPermissionsAreAnError(t *testing.T) {
	began := time.Now()
	_, err := chrome.Launch(t.Context(), chrome.Config{Grant: []string{"everything"}})
	if err == nil || !strings.Contains(err.Error(), "geolocation") || time.Since(began) > time.Second {
		t.Errorf("got %v after %v, want the names there are", err, time.Since(began))
	}
}
