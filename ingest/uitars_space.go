package ingest

import (
	"math"

	"fara/dialect"
	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

// space finds out what the model's numbers count: models of version 1.5 and later count
// pixels, those before thousandths, and nothing in a file says which it was. But the
// recorder made shares of them, and only one of the two gives the same.
func (f utFile) space() imagebudget.Space {
	d, err := dialect.Get(UITars.dialect())
	if err != nil {
		return ""
	}
	votes := map[imagebudget.Space]int{}
	var size env.Size
	for _, m := range f.Conversation {
		if m.Screenshot != "" {
			size = env.Size{}
			if data, err := unbase64(m.Screenshot); err == nil {
				if _, taken, err := look(data); err == nil {
					size, _ = d.Grid.Fit(taken)
				}
			}
		}
		if m.From != "gpt" || len(m.Parsed) == 0 || size.W == 0 {
			continue
		}
		share := m.Parsed[0].share("start_box")
		found, err := d.Parse(model.Reply{Text: m.Value}, nil)
		if share == nil || err != nil {
			continue
		}
		said := found.Call.Coordinate
		if found.Call.Start != nil {
			said = found.Call.Start
		}
		if said == nil {
			continue
		}
		inPixels := away(*said, *share, float64(size.W), float64(size.H))
		inThousandths := away(*said, *share, 1000, 1000)
		switch {
		case inPixels < inThousandths:
			votes[imagebudget.Pixels]++
		case inThousandths < inPixels:
			votes[imagebudget.Thousandths]++
		}
	}
	switch {
	case votes[imagebudget.Thousandths] > votes[imagebudget.Pixels]:
		return imagebudget.Thousandths
	case votes[imagebudget.Pixels] > 0:
		return imagebudget.Pixels
	}
	return ""
}

// away is how far a point is from a share of a picture of that size.
func away(p, share model.Point, w, h float64) float64 {
	return math.Hypot(p.X-share.X*w, p.Y-share.Y*h)
}
