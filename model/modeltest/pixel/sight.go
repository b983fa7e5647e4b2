package pixel

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // screenshots come as JPEG
	_ "image/png"  // or as PNG
	"slices"
)

const (
	// tolerance is how far, squared, a pixel may be from a fill.
	tolerance = 40 * 40
	// minSide is the smallest patch, in picture pixels, that is more than an
	// edge or a letter.
	minSide = 7
	// minFilled is how much of its box a patch has to fill, in percent.
	minFilled = 40
)

// patch is one connected area of a mark's colour.
type patch struct {
	kind kind
	box  image.Rectangle
	area int
}

func (p patch) centre() image.Point {
	return image.Pt((p.box.Min.X+p.box.Max.X)/2, (p.box.Min.Y+p.box.Max.Y)/2)
}

// level reports whether two patches share a row.
func (p patch) level(q patch) bool {
	return p.box.Min.Y < q.box.Max.Y && q.box.Min.Y < p.box.Max.Y
}

// sight is what a picture shows.
type sight struct {
	picture *image.RGBA
	size    image.Point
	patches []patch // in reading order
}

func decode(data []byte) (*image.RGBA, error) {
	src, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	size := src.Bounds().Size()
	picture := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(picture, picture.Rect, src, src.Bounds().Min, draw.Src)
	return picture, nil
}

// look finds every whole patch of a mark's colour. A patch that touches the top
// or bottom edge is cut off there and left out: its middle is not its middle.
func look(picture *image.RGBA, glaze string) sight {
	known := marks()
	if fill, ok := glazes()[glaze]; ok {
		known = append(known, mark{wanted, fill})
	}
	seen := sight{picture: picture, size: picture.Rect.Size()}
	plane := classify(picture, known)
	for at, k := range plane {
		if k == nothing {
			continue
		}
		p := flood(plane, seen.size, at)
		whole := p.box.Min.Y > 0 && p.box.Max.Y < seen.size.Y
		w, h := p.box.Dx(), p.box.Dy()
		if whole && w >= minSide && h >= minSide && p.area*100 >= w*h*minFilled {
			seen.patches = append(seen.patches, p)
		}
	}
	slices.SortStableFunc(seen.patches, func(a, b patch) int {
		return cmp.Or(cmp.Compare(a.centre().Y, b.centre().Y), cmp.Compare(a.centre().X, b.centre().X))
	})
	return seen
}

// classify gives each pixel the mark whose fill it has, row by row.
func classify(picture *image.RGBA, known []mark) []kind {
	size := picture.Rect.Size()
	plane := make([]kind, size.X*size.Y)
	var lastColour color.RGBA
	var lastKind kind
	for y := range size.Y {
		row := picture.Pix[y*picture.Stride:]
		for x := range size.X {
			c := color.RGBA{R: row[4*x], G: row[4*x+1], B: row[4*x+2]}
			if c != lastColour { // neighbours mostly have the same colour
				lastColour, lastKind = c, kindOf(c, known)
			}
			plane[y*size.X+x] = lastKind
		}
	}
	return plane
}

func kindOf(c color.RGBA, known []mark) kind {
	best, found := tolerance, nothing
	for _, m := range known {
		if d := distance(c, m.fill); d < best {
			best, found = d, m.kind
		}
	}
	return found
}

// flood takes the patch that holds the pixel out of the plane.
func flood(plane []kind, size image.Point, at int) patch {
	k := plane[at]
	p := patch{kind: k, box: image.Rect(at%size.X, at/size.X, at%size.X+1, at/size.X+1)}
	plane[at] = nothing
	stack := []int{at}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x, y := at%size.X, at/size.X
		p.area++
		p.box = p.box.Union(image.Rect(x, y, x+1, y+1))
		for _, next := range [4]image.Point{{X: x - 1, Y: y}, {X: x + 1, Y: y}, {X: x, Y: y - 1}, {X: x, Y: y + 1}} {
			if next.X < 0 || next.Y < 0 || next.X >= size.X || next.Y >= size.Y {
				continue
			}
			if i := next.Y*size.X + next.X; plane[i] == k {
				plane[i] = nothing
				stack = append(stack, i)
			}
		}
	}
	return p
}

// all gives the patches of a kind, in reading order.
func (s sight) all(k kind) []patch {
	var out []patch
	for _, p := range s.patches {
		if p.kind == k {
			out = append(out, p)
		}
	}
	return out
}

// level gives the patches of a kind on the row of another patch.
func (s sight) level(k kind, row patch) []patch {
	return slices.DeleteFunc(s.all(k), func(p patch) bool { return !p.level(row) })
}
