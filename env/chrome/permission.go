package chrome

import (
	"context"
	"slices"

	"github.com/go-rod/rod/lib/proto"
)

// grantable are what pages may ask a person for, with the names that pages and
// the protocol give it. What a browser gives without a question, such as writing
// to the clipboard after a click, is not among them.
var grantable = []string{
	"geolocation", "notifications", "camera", "microphone", "clipboard-read", "midi", "idle-detection",
	"local-fonts", "window-management", "storage-access", "local-network-access", "nfc", "captured-surface-control",
}

// Permissions lists the names that Config.Grant takes.
func Permissions() []string { return slices.Clone(grantable) }

// decide answers every question that pages may put to a person beforehand, so
// that none of them waits for somebody who is not there. A browser that does not
// know a permission has no question about it.
func (b *instance) decide(ctx context.Context) error {
	root := b.root(ctx)
	var waits []func() ([]byte, error)
	for _, name := range grantable {
		setting := proto.BrowserPermissionSettingDenied
		if slices.Contains(b.cfg.Grant, name) {
			setting = proto.BrowserPermissionSettingGranted
		}
		waits = append(waits, root.start(proto.BrowserSetPermission{
			Permission: &proto.BrowserPermissionDescriptor{Name: name}, Setting: setting,
		}))
	}
	for _, wait := range waits {
		if _, err := wait(); err != nil {
			if ctx.Err() != nil || b.life.Err() != nil {
				return err
			}
			b.cfg.Logger.Debug("permission not set", "err", err)
		}
	}
	return nil
}

// reportedAs are the words of reportScript for what can be granted.
var reportedAs = map[string][]string{
	"location": {"geolocation"}, "camera": {"camera", "microphone"}, "clipboard": {"clipboard-read"}, "midi": {"midi"},
	"fonts": {"local-fonts"}, "screens": {"window-management"}, "notifications": {"notifications"}, "idle": {"idle-detection"},
}

// granted reports whether pages get what reportScript calls so.
func (b *instance) granted(what string) bool {
	return slices.ContainsFunc(reportedAs[what], func(name string) bool { return slices.Contains(b.cfg.Grant, name) })
}
