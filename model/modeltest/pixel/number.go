package pixel

import (
	"image"
	"regexp"
	"strconv"

	"fara/model"
)

var numberWord = regexp.MustCompile(`(?i)\b(number|digits)\b`)

// asksForNumber reports whether the request is one question about a number in a
// picture and no task.
func asksForNumber(messages []model.Message) bool {
	text, ok := onlyQuestion(messages)
	return ok && numberWord.MatchString(text)
}

// readNumber reads dark digits of 5 by 7 squares on a light ground, from left to
// right; one that it does not know is a question mark.
func readNumber(picture *image.RGBA) string {
	text := ""
	for _, box := range inkBoxes(picture) {
		text += digitIn(picture, box)
	}
	if _, err := strconv.Atoi(text); err != nil {
		return "I cannot read it."
	}
	return text
}

func ink(picture *image.RGBA, x, y int) bool {
	c := picture.RGBAAt(x, y)
	return int(c.R)+int(c.G)+int(c.B) < 3*128
}

// inkBoxes are the boxes around what is dark, cut where a column has none.
func inkBoxes(picture *image.RGBA) []image.Rectangle {
	var boxes []image.Rectangle
	var box image.Rectangle
	size := picture.Rect.Size()
	for x := 0; x <= size.X; x++ {
		column := image.Rectangle{}
		for y := 0; y < size.Y && x < size.X; y++ {
			if ink(picture, x, y) {
				column = column.Union(image.Rect(x, y, x+1, y+1))
			}
		}
		if column.Empty() && !box.Empty() {
			boxes = append(boxes, box)
			box = image.Rectangle{}
		}
		box = box.Union(column)
	}
	return boxes
}

// digitRows is how many squares a digit is high.
const digitRows = 7

func digitIn(picture *image.RGBA, box image.Rectangle) string {
	cell := float64(box.Dy()) / digitRows
	columns := int(float64(box.Dx())/cell + 0.5)
	seen := ""
	for row := range digitRows {
		for column := range columns {
			at := image.Pt(int((float64(column)+0.5)*cell), int((float64(row)+0.5)*cell)).Add(box.Min)
			if ink(picture, at.X, at.Y) {
				seen += "#"
			} else {
				seen += "."
			}
		}
		seen += "/"
	}
	if digit, ok := digitShapes()[seen]; ok {
		return digit
	}
	return "?"
}

// digitShapes are the digits' squares, row by row and as narrow as they are.
func digitShapes() map[string]string {
	return map[string]string{
		".###./#...#/#...#/#...#/#...#/#...#/.###./": "0",
		".#./##./.#./.#./.#./.#./###/":               "1",
		".###./#...#/....#/...#./..#../.#.../#####/": "2",
		".###./#...#/....#/..##./....#/#...#/.###./": "3",
		"...#./..##./.#.#./#..#./#####/...#./...#./": "4",
		"#####/#..../####./....#/....#/#...#/.###./": "5",
		".###./#..../#..../####./#...#/#...#/.###./": "6",
		"#####/....#/...#./..#../..#../..#../..#../": "7",
		".###./#...#/#...#/.###./#...#/#...#/.###./": "8",
		".###./#...#/#...#/.####/....#/....#/.###./": "9",
	}
}
