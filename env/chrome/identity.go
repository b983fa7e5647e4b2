package chrome

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// Identity says how a headless browser names itself to sites.
type Identity string

// The identities. Nothing else about the browser is hidden: navigator.webdriver
// stays true.
const (
	// Ordinary is the name that the same browser has when it shows a window, the
	// same in headers, client hints and scripts, from the first request on.
	Ordinary Identity = "ordinary"
	// AsIs leaves Chromium's own name for a headless browser, "HeadlessChrome".
	AsIs Identity = "as-is"
)

// identity overrides the user agent and its client hints of one target. It is
// Emulation.setUserAgentOverride with the fields that the library does not know.
type identity struct {
	UserAgent string   `json:"userAgent"`
	Metadata  metadata `json:"userAgentMetadata"`
}

// ProtoReq implements proto.Request.
func (identity) ProtoReq() string { return "Emulation.setUserAgentOverride" }

// metadata are the client hints, most of which a browser withholds when its user
// agent is set by a flag.
type metadata struct {
	Brands          []*proto.EmulationUserAgentBrandVersion `json:"brands"`
	FullVersionList []*proto.EmulationUserAgentBrandVersion `json:"fullVersionList"`
	FullVersion     string                                  `json:"fullVersion"`
	Platform        string                                  `json:"platform"`
	PlatformVersion string                                  `json:"platformVersion"`
	Architecture    string                                  `json:"architecture"`
	Model           string                                  `json:"model"`
	Mobile          bool                                    `json:"mobile"`
	Bitness         string                                  `json:"bitness"`
	FormFactors     []string                                `json:"formFactors"`
}

// identityOf gives what a browser has to be called, nil when it does so by
// itself. The user agent is the one that Chromium has frozen: of its version only
// the first number is the true one, on every processor.
func identityOf(cfg Config, r release) *identity {
	if cfg.Window != Headless || cfg.Identity != Ordinary {
		return nil
	}
	system, platform := "X11; Linux x86_64", "Linux"
	if runtime.GOOS == "darwin" {
		system, platform = "Macintosh; Intel Mac OS X 10_15_7", "macOS"
	}
	agent := fmt.Sprintf("Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 Safari/537.36", system, r.major)
	if strings.Contains(r.name, "Edge") {
		agent += fmt.Sprintf(" Edg/%d.0.0.0", r.major)
	}
	architecture := "x86"
	if strings.HasPrefix(runtime.GOARCH, "arm") {
		architecture = "arm"
	}
	return &identity{agent, metadata{
		Brands: brands(r, strconv.Itoa(r.major), ""), FullVersionList: brands(r, r.full, ".0.0.0"), FullVersion: r.full, Platform: platform,
		Architecture: architecture, Bitness: strconv.Itoa(strconv.IntSize), FormFactors: []string{"Desktop"},
	}}
}

// introduced puts the browser's name before what a new target is told.
func (b *instance) introduced(commands ...proto.Request) []proto.Request {
	if b.identity == nil {
		return commands
	}
	return append([]proto.Request{b.identity}, commands...)
}

// followed are the targets that the browser attaches us to by itself: the tabs,
// and when it has to be named, the workers that belong to no tab.
func (b *instance) followed() proto.TargetTargetFilter {
	f := proto.TargetTargetFilter{{Type: "page"}}
	if b.identity != nil {
		f = append(f, &proto.TargetFilterEntry{Type: "service_worker"}, &proto.TargetFilterEntry{Type: "shared_worker"})
	}
	return f
}

// brands is the list of names in a client hint, at a version that is either the
// first number alone or the whole. One name is nonsense on purpose, with rest after
// its version: its characters, its version and the order of all follow from the
// browser's first number, as in Chromium.
func brands(r release, version, rest string) []*proto.EmulationUserAgentBrandVersion {
	signs := []string{" ", "(", ":", "-", ".", "/", ")", ";", "=", "?", "_"}
	nonsense := &proto.EmulationUserAgentBrandVersion{
		Brand:   "Not" + signs[r.major%len(signs)] + "A" + signs[(r.major+1)%len(signs)] + "Brand",
		Version: []string{"8", "99", "24"}[r.major%3] + rest,
	}
	chromium := &proto.EmulationUserAgentBrandVersion{Brand: "Chromium", Version: version}
	var own string
	switch {
	case strings.Contains(r.name, "Edge"):
		own = "Microsoft Edge"
	case strings.Contains(r.name, "Chrome"):
		own = "Google Chrome"
	}
	if own == "" {
		list := make([]*proto.EmulationUserAgentBrandVersion, 2)
		list[r.major%2], list[(r.major+1)%2] = nonsense, chromium
		return list
	}
	order := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}[r.major%6]
	list := make([]*proto.EmulationUserAgentBrandVersion, 3)
	list[order[0]], list[order[1]] = nonsense, chromium
	list[order[2]] = &proto.EmulationUserAgentBrandVersion{Brand: own, Version: version}
	return list
}
