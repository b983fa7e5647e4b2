// Package aim is a model that is shown one red disc at a time and says where it
// is: in any space, in any form of reply, and as wrong as real models are. With it
// everything that measures a model's aim can be tested without a GPU.
//
// It gets nothing but the request. It knows no other task, and it is no measure of
// what a real model can do.
package aim

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"unicode/utf8"

	"fara/model"
)

// Space says what the answers count.
type Space string

// The spaces.
const (
	Thousandths Space = "0-1000" // the zero Model's
	Pixels      Space = "pixels" // of the picture that arrives
	Fractions   Space = "0-1"
)

// Form says how a reply looks.
type Form string

// The forms of a reply. Where a request has a schema, the reply is an Object in any
// case, and where it has tools, a native call, unless the form is one of those
// without a call.
const (
	Tagged Form = "tagged" // the zero Model's
	Text   Form = "text"   // Thought: …, Action: click(…)
	Object Form = "object"
	// Held is prose, but an object where the server holds it to a schema.
	Held Form = "held"
	// Prose and Refusal never have a call.
	Prose   Form = "prose"
	Refusal Form = "refusal"
)

// Sight says what the model goes by.
type Sight string

// The kinds of sight.
const (
	Sees     Sight = "sees"     // the zero Model's
	Guesses  Sight = "guesses"  // a random point for each picture
	Constant Sight = "constant" // always the same point
)

// Order says which number of a point comes first.
type Order string

// The orders.
const (
	XFirst Order = "x first" // the zero Model's
	YFirst Order = "y first"
)

// Shape says what an answer marks.
type Shape string

// The shapes.
const (
	Point Shape = "point" // the zero Model's
	Box   Shape = "box"   // four numbers around the target
)

// Pair is one number for each axis.
type Pair struct{ X, Y float64 }

// Model answers where the red disc of the newest picture is. The zero value does
// so in thousandths, tagged, without an error. It keeps nothing between calls and
// may be used by several goroutines.
type Model struct {
	Space Space
	Form  Form
	Sight Sight
	Order Order
	Shape Shape
	// Scale multiplies the picture's size, as a server does that resizes it; a zero
	// axis is 1. It matters to Pixels alone.
	Scale Pair
	// Offset is added to every answer, in pixels of the picture.
	Offset Pair
	// Noise is the standard deviation of an error on each axis, in pixels of the
	// picture; the same picture always gives the same one.
	Noise float64
}

// Chat answers with one click. It fails with the context's cause, or with a
// model.Error of kind model.ErrBadRequest for a picture that is no PNG or JPEG.
func (m Model) Chat(ctx context.Context, req model.Request, until model.Until) (model.Reply, error) {
	if err := context.Cause(ctx); err != nil {
		return model.Reply{}, err
	}
	reply, err := m.answer(req)
	if err != nil {
		return model.Reply{}, &model.Error{Kind: model.ErrBadRequest, Message: err.Error()}
	}
	text := reply.Text
	reply.Usage = model.Usage{PromptTokens: 1500, CompletionTokens: utf8.RuneCountInString(text)/4 + 1}
	if until != nil {
		until(text)
	}
	return reply, nil
}

func (m Model) answer(req model.Request) (model.Reply, error) {
	reply := model.Reply{Text: "I see no picture.", Finish: model.FinishStop, Model: "aim"}
	data := newest(req.Messages)
	if data == nil {
		return reply, nil
	}
	picture, err := decode(data)
	if err != nil {
		return reply, err
	}
	hash := fnv.New64a()
	hash.Write(data)
	rng := rand.New(rand.NewPCG(hash.Sum64(), 1))
	list := m.numbers(m.where(picture, rng), picture.Bounds().Size())
	if len(req.Tools) > 0 && m.calls() {
		reply.Text, reply.Calls = "I see the red disc.", nativeCall(list)
		return reply, nil
	}
	reply.Text = m.reply(list, len(req.Schema) > 0)
	return reply, nil
}

// calls reports whether the model calls anything at all.
func (m Model) calls() bool { return m.Form != Prose && m.Form != Refusal }

func newest(messages []model.Message) []byte {
	for i := len(messages) - 1; i >= 0; i-- {
		if images := messages[i].Images; len(images) > 0 {
			return images[len(images)-1].Data
		}
	}
	return nil
}
