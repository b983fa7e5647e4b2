package pixel

import "image/color"

// kind is what a patch of colour means.
type kind uint8

// The marks, and wanted: the thing whose colour the task names.
const (
	nothing kind = iota
	button       // goes on to the next page
	searchTab
	nameTab
	addressTab
	active // the field on this row has the focus
	done   // the field on this row is filled, or the choice is made
	sizeChoice
	stepper
	pip
	seal
	wanted
)

// mark is one kind and its fill. The fills are at least 90 apart from each
// other in RGB, so that JPEG and soft edges don't make one look like another.
type mark struct {
	kind kind
	fill color.RGBA
}

func marks() []mark {
	return []mark{
		{button, rgb(0xff6a00)},
		{searchTab, rgb(0x0057ff)},
		{nameTab, rgb(0x8c00ff)},
		{addressTab, rgb(0xd00030)},
		{active, rgb(0x00c8ff)},
		{done, rgb(0x00b43c)},
		{sizeChoice, rgb(0x006e96)},
		{stepper, rgb(0xffd200)},
		{pip, rgb(0x96dc00)},
		{seal, rgb(0x101060)},
	}
}

// glazes are the colour words it can look for.
func glazes() map[string]color.RGBA {
	return map[string]color.RGBA{
		"magenta":    rgb(0xe60096),
		"terracotta": rgb(0xbe6e50),
		"plum":       rgb(0x6e3c5a),
	}
}

// digits are the colours of the receipt's squares, 0 to 9.
func digits() []color.RGBA {
	return []color.RGBA{
		rgb(0xffffff), rgb(0xff1e1e), rgb(0xff9600), rgb(0xffeb00), rgb(0x00d23c),
		rgb(0x00e6ff), rgb(0x1478ff), rgb(0xff50dc), rgb(0x96643c), rgb(0x969696),
	}
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// distance is the squared distance of two colours in RGB.
func distance(a, b color.RGBA) int {
	dr, dg, db := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
	return dr*dr + dg*dg + db*db
}
