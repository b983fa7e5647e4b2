// Package chrome drives one Chromium tab: observe, perform, settle, stay alive.
//
// Launch starts a browser of our own that cannot outlive this process; Attach
// opens a tab in a browser that is already running. Either way a Browser shows
// what a person would see (Observe) and does what a person could do (Perform)
// with trusted mouse and key events, and waits for a page by watching it.
//
// It knows no model and no run: coordinates are CSS pixels, addresses are
// absolute, and which pages may be visited is decided by others. The protocol's
// types come from go-rod; its connection, sessions and waiting are ours, because
// every call here has to end in time and none may take the process down.
package chrome
