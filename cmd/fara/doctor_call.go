package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"fara/calibrate"
	"fara/env"
	"fara/imagebudget"
)

// checkCall asks what a run would ask first, with one frame, and reads the reply as
// a run would.
func (p patient) checkCall(ctx context.Context, m manner, numCtx int) check {
	c := check{Name: "call", code: exitModel}
	if err := m.check(numCtx); err != nil {
		c.Text = err.Error()
		return c
	}
	picture, err := m.dialect.Grid.Fit(m.dialect.Viewport)
	if err != nil {
		c.Text = err.Error()
		return c
	}
	frame, err := drawnTarget(picture, m.dialect.Viewport)
	if err != nil {
		c.Text = err.Error()
		return c
	}
	frame.Space = m.dialect.Space
	request, err := m.request(frame, numCtx, p.temperature)
	if err != nil {
		c.Text = err.Error()
		return c
	}
	reply, err := p.srv.chat.Chat(ctx, request, m.until())
	if err != nil {
		c.Text = fmt.Sprintf("the dialect's own prompt is not answered: %v", err)
		return c
	}
	call, err := m.read(reply)
	if err != nil {
		c.Text = fmt.Sprintf("the reply to the dialect's own prompt holds no call: %v The model says: %s; try --constrain or another --dialect (fara calibrate tries them), or look at the server's chat template", err, shorter(reply.Text))
		return c
	}
	c.OK, c.Text = true, fmt.Sprintf("the model's reply to the dialect's own prompt is read as %s", call.Action)
	if call.Coordinate != nil {
		c.Text += fmt.Sprintf(" at %s", pair(*call.Coordinate))
	}
	return c
}

// drawnTarget is a frame as fara calibrate shows it, without a browser.
func drawnTarget(picture, viewport env.Size) (imagebudget.Frame, error) {
	img := image.NewRGBA(image.Rect(0, 0, picture.W, picture.H))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	middle := image.Pt(picture.W/4, picture.H/3)
	red := color.RGBA{220, 20, 20, 255}
	const r = calibrate.Disc / 2
	for y := -r; y < r; y++ {
		for x := -r; x < r; x++ {
			if x*x+y*y < r*r {
				img.SetRGBA(middle.X+x, middle.Y+y, red)
			}
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return imagebudget.Frame{}, err
	}
	return imagebudget.Frame{Image: buf.Bytes(), MIME: "image/png", Geometry: imagebudget.Geometry{Size: picture, Viewport: viewport}}, nil
}
