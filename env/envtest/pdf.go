package envtest

import (
	"bytes"
	"fmt"
)

// PDF makes a file of one page for each text, which stands there in large letters.
// A text has no brackets and no letters beyond ASCII.
func PDF(texts ...string) []byte {
	const font, first = 3, 4 // numbers of objects: each page has two, itself and what it shows
	var kids bytes.Buffer
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}
	for i, text := range texts {
		page := first + 2*i
		fmt.Fprintf(&kids, "%d 0 R ", page)
		show := fmt.Sprintf("BT /F1 48 Tf 72 600 Td (%s) Tj ET", text)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", page+1, font),
			fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(show), show))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), len(texts))
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}
