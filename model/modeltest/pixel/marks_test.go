package pixel

import "testing"

func TestFillsAreFarApart(t *testing.T) {
	const least = 90
	known := marks()
	for _, fill := range glazes() {
		known = append(known, mark{wanted, fill})
	}
	for i, a := range known {
		for _, b := range known[i+1:] {
			if got := distance(a.fill, b.fill); got < least*least {
				t.Errorf("%v and %v are %d apart squared, want at least %d", a.fill, b.fill, got, least*least)
			}
		}
	}
}
