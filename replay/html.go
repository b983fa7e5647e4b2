package replay

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"time"

	"fara/env"
)

//go:embed report.html
var pageText string

// html is the report as a page that asks for nothing but its frames, which lie beside
// it.
func html(r Report) ([]byte, error) {
	page, err := template.New("report").Funcs(template.FuncMap{
		"percent": percent, "named": named,
		"seconds": func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) },
		"onFrame": onFrame,
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := page.Execute(&buf, r); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// onFrame is a point of the viewport in pixels of the step's frame.
func onFrame(p *env.Point, s Step) env.Point {
	if s.Viewport.W == 0 || s.Viewport.H == 0 {
		return *p
	}
	return env.Point{X: p.X * float64(s.Size.W) / float64(s.Viewport.W), Y: p.Y * float64(s.Size.H) / float64(s.Viewport.H)}
}
