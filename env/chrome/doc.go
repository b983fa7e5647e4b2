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
//
// Where things are:
//
//   - life: browser.go is the lasting face, recover.go and restore.go bring back
//     what has ended; instance.go is one browser, launch.go, attach.go, process.go and
//     profile.go its beginning and end; conn.go and session.go speak to it
//   - seeing: observe.go takes the picture, read.go the text, pdf.go waits for
//     papers, notes.go keeps what happened
//   - waiting: settle.go is the rule; traffic.go, js/rest.js and js/started.js are
//     what it knows
//   - acting: perform.go begins; pointer.go, drag.go, scroll.go; keyboard.go with
//     keys.go; typing.go, which leaves fields that take more than text to select.go,
//     fields.go and chooser.go; frames.go, stale.go and cover.go look at a point first
//   - around the page: tabs.go with front.go, dialog.go, download.go, navigate.go,
//     report.go for what pages ask of the browser, permission.go, identity.go
//   - the network: admit.go asks before each document, network.go has one way out
package chrome
