package envtest

import (
	"strings"

	"fara/env"
)

func aroundCases() []browserCase {
	var all []browserCase
	for _, topic := range [][]browserCase{
		tabCases(), adCases(), dialogCases(), downloadCases(), askCases(), errorCases(), loadCases(), pdfCases(), readCases(),
	} {
		all = append(all, topic...)
	}
	return all
}

// target is a link or button that fills the top left 100x100 pixels.
const target = ` style="position:absolute;left:0;top:0;width:100px;height:100px;display:block" `

// elsewhere is an address of the same server as another site sees it.
func elsewhere(address string) string { return strings.Replace(address, "127.0.0.1", "localhost", 1) }

// until observes until holds says yes, and gives that observation with all notes
// seen on the way.
func (b *Tab) until(what string, holds func(obs env.Observation) bool) env.Observation {
	b.T.Helper()
	var obs env.Observation
	var notes []env.Note
	if !Eventually(func() bool {
		obs = b.See()
		notes = append(notes, obs.Notes...)
		obs.Notes = notes
		return holds(obs)
	}) {
		b.T.Fatalf("never %s: at %s titled %q, tabs %+v, notes %+v", what, obs.URL, obs.Title, obs.Tabs, notes)
	}
	return obs
}

// active counts the tabs in front, of which there has to be one.
func active(tabs []env.Tab) (n int) {
	for _, t := range tabs {
		if t.Active {
			n++
		}
	}
	return n
}
