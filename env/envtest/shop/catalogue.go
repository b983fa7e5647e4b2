package shop

// Mug is one product.
type Mug struct {
	// Glaze is the product's name and its key.
	Glaze string
	// Colour is the glaze as CSS has it, "#e60096".
	Colour string
	// Words describe it in a line.
	Words string
	// Cents is the price by size.
	Cents map[string]int
}

// sizes in the order they are shown.
func sizes() []string { return []string{"small", "medium", "large"} }

// maxQuantity is how many of one mug a basket line takes.
const maxQuantity = 5

// catalogue is in the order of the list: the vivid glazes come late, so that
// finding them takes scrolling.
func catalogue() []Mug {
	return []Mug{
		mug("cream", "#efe3cc", "Soft and warm, for the first cup", 1600),
		mug("slate", "#66727c", "Matt grey, never out of place", 1600),
		mug("sage", "#9fb09a", "Quiet green, a little speckled", 1700),
		mug("sand", "#d8c4a0", "The beach in September", 1600),
		mug("charcoal", "#3f3f42", "Nearly black, with a satin rim", 1800),
		mug("mist", "#bccbd6", "Pale blue, like early mornings", 1600),
		mug("rose", "#e3b4b4", "Faded pink, a gentle one", 1700),
		mug("terracotta", "#be6e50", "Bare red clay under clear glaze", 1700),
		mug("oat", "#cdbfa9", "Plain in the best sense", 1500),
		mug("moss", "#5f6940", "Deep green, as under old trees", 1800),
		mug("plum", "#6e3c5a", "Dark and glossy", 1900),
		mug("storm", "#545f72", "Blue grey, moody", 1800),
		mug("honey", "#d3a04f", "Amber over a pale body", 1800),
		mug("magenta", "#e60096", "Loud, and proud of it", 2100),
		mug("birch", "#e4ddd3", "White with fine dark lines", 1700),
		mug("pebble", "#a39c94", "Smooth grey stone", 1600),
	}
}

func mug(glaze, colour, words string, cents int) Mug {
	return Mug{
		Glaze: glaze, Colour: colour, Words: words,
		Cents: map[string]int{"small": cents, "medium": cents + 400, "large": cents + 800},
	}
}

func findMug(glaze string) (Mug, bool) {
	for _, m := range catalogue() {
		if m.Glaze == glaze {
			return m, true
		}
	}
	return Mug{}, false
}
