package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"fara/model"
	"fara/prompt"
	"fara/trajectory"
)

// Model has a model that sees judge a case, in a conversation of its own. What the
// agent and the pages say reaches it as data only.
type Model struct {
	Chat model.Chatter
	// Name is the model's, for the record.
	Name string
	// Frames is how many of the last frames it sees; 0 means 3.
	Frames int
}

// Verify asks the model. A reply that cannot be read, after one repetition, is
// unsure, and so is a server that fails; a run without a single frame is rejected
// unasked.
func (m Model) Verify(ctx context.Context, c Case) (v trajectory.Verdict, err error) {
	v = c.verdict(ByModel)
	v.Model = m.Name
	began := time.Now()
	defer func() { v.Latency = time.Since(began) }()
	for frames := cmp.Or(m.Frames, 3); ; frames-- {
		s := storyOf(c.Events, frames)
		if len(s.frames) == 0 {
			return rejected(v, Unproven, "the run has no picture to judge by"), nil
		}
		pictures, err := load(s.frames, c.Load)
		if err != nil {
			return unsure(v, Unproven, "the run's last picture cannot be read: "+oneLine(err.Error(), 200)), nil
		}
		req, err := request(c, s, pictures)
		if err != nil {
			return unsure(v, Infra, err.Error()), nil
		}
		v, err = m.ask(ctx, req, v)
		fewer := errors.Is(err, model.ErrContext) || errors.Is(err, model.ErrTooManyImages)
		switch {
		case err == nil:
			return v, nil
		case ctx.Err() != nil:
			return v, context.Cause(ctx)
		case !fewer || len(pictures) == 1:
			return unsure(v, Infra, "the judging model could not be asked: "+oneLine(err.Error(), 300)), nil
		}
		frames = len(pictures)
	}
}

// ask puts the question, without the schema when the server knows none, and once
// more when the reply cannot be read.
func (m Model) ask(ctx context.Context, req model.Request, v trajectory.Verdict) (trajectory.Verdict, error) {
	var wrong error
	for range 2 {
		reply, err := m.Chat.Chat(ctx, req, nil)
		if errors.Is(err, model.ErrSchema) && req.Schema != nil {
			req.Schema = nil
			reply, err = m.Chat.Chat(ctx, req, nil)
		}
		if err != nil {
			return v, err
		}
		v.Request, v.Raw, v.Usage = prompt.Hash(req), reply.Text, v.Usage.Add(reply.Usage)
		v.Model = cmp.Or(reply.Model, v.Model)
		if reply.Finish == model.FinishLength {
			wrong = errors.New("it was cut off at the limit of its length")
		} else {
			var w word
			if w, wrong = readReply(reply); wrong == nil {
				return w.into(v), nil
			}
		}
		if req, err = onceMore(req, reply.Text, wrong.Error()); err != nil {
			return v, err
		}
	}
	return unsure(v, Unproven, fmt.Sprintf("the judging model's reply could not be read: %v", wrong)), nil
}

// load gives the frames that can be read. The last one has to be: it is what the
// verdict is about.
func load(frames []frame, read func(string) ([]byte, error)) ([]model.Image, error) {
	var images []model.Image
	for i, f := range frames {
		data, err := read(f.file)
		switch {
		case err == nil:
			images = append(images, model.Image{Data: data, MIME: cmp.Or(f.mime, "image/png")})
		case i == len(frames)-1:
			return nil, err
		}
	}
	return images, nil
}
