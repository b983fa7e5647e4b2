package exporttest

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"time"

	"fara/dialect"
	"fara/env"
	"fara/model"
	"fara/parse"
	"fara/prompt"
	"fara/trajectory"
)

// Teller writes one run, event by event. Its methods do nothing once one of them
// failed; Err says why.
type Teller struct {
	w    *trajectory.Writer
	d    dialect.Dialect
	step int
	mime string
	kind []env.Kind
	seen trajectory.Observed
	err  error
}

// Setting is what a run is begun with.
type Setting struct {
	// Task is what task.json holds; an empty Run gets none.
	Task trajectory.Task
	// Dialect is a dialect's name; empty is fara-1.5. Tools offers native tools.
	Dialect string
	Tools   bool
	// MIME is the frames' kind, PNG when it is empty.
	MIME string
	// MaxImages is how many frames a request has; 0 is 3.
	MaxImages int
}

// Begin begins a run below out.
func Begin(out string, s Setting) *Teller {
	t := &Teller{mime: s.MIME}
	if t.mime == "" {
		t.mime = "image/png"
	}
	if s.Dialect == "" {
		s.Dialect = "fara-1.5"
	}
	if t.d, t.err = dialect.Get(s.Dialect); t.err != nil {
		return t
	}
	s.Task.Version, s.Task.Dialect, s.Task.Viewport = trajectory.Version, s.Dialect, env.Size{W: 64, H: 64}
	s.Task.Created = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	system := t.d.System(t.d.Viewport)
	if t.kind, t.err = t.d.Allowed(system); t.err != nil {
		return t
	}
	if t.w, t.err = trajectory.Create(out, s.Task, nil); t.err != nil {
		return t
	}
	began := trajectory.Started{
		Task: s.Task.Task, URL: s.Task.URL, Dialect: s.Dialect, System: system,
		MaxSteps: 20, MaxImages: 3, ReplyTokens: 512, Seed: s.Task.Seed, Temperature: s.Task.Temperature,
	}
	if s.MaxImages > 0 {
		began.MaxImages = s.MaxImages
	}
	began.Speech = t.d.Speech()
	if s.Tools {
		began.System, began.Tools = t.d.SystemForTools(t.d.Viewport), t.d.Tools(t.d.Viewport)
	}
	return t.put(began)
}

// Err is why the run could not be written; nil when it was.
func (t *Teller) Err() error { return t.err }

// Dir is the run's folder.
func (t *Teller) Dir() string { return t.w.Dir() }

func (t *Teller) put(p trajectory.Payload) *Teller {
	if t.err == nil {
		_, t.err = t.w.Append(t.step, p)
	}
	return t
}

// See begins a step with a frame of its own colour; shade tells frames apart.
func (t *Teller) See(url string, shade uint8) *Teller {
	t.step++
	return t.Look(url, shade)
}

// Look takes one more frame in the same step.
func (t *Teller) Look(url string, shade uint8) *Teller {
	return t.look(trajectory.Observed{URL: url, Title: "Page " + url}, shade, 64)
}

// Again gives the step's frame once more, smaller.
func (t *Teller) Again(shade uint8) *Teller {
	o := t.seen
	o.Again = true
	return t.look(o, shade, 32)
}

func (t *Teller) look(o trajectory.Observed, shade uint8, side int) *Teller {
	if t.err != nil {
		return t
	}
	data := picture(shade, side, t.mime)
	o.MIME, o.Size, o.Captured, o.Viewport = t.mime, env.Size{W: side, H: side}, env.Size{W: 64, H: 64}, env.Size{W: 64, H: 64}
	o.Tokens = 8
	if o.Frame, o.SHA256, t.err = t.w.Frame(data, t.mime); t.err != nil {
		return t
	}
	t.seen = o
	return t.put(o)
}

// picture draws a frame.
func picture(shade uint8, side int, mime string) []byte {
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		img.Set(i%side, i/side, color.RGBA{R: shade, G: uint8(i), B: uint8(i / side), A: 255})
	}
	var b bytes.Buffer
	if mime == "image/jpeg" {
		jpeg.Encode(&b, img, nil) // a buffer takes everything
		return b.Bytes()
	}
	png.Encode(&b, img)
	return b.Bytes()
}

// Say is the model's reply to what it was asked last.
func (t *Teller) Say(reply model.Reply) *Teller { return t.say(reply, "") }

// Cut is a reply to a request that the server cut.
func (t *Teller) Cut(reply model.Reply, sign string) *Teller { return t.say(reply, sign) }

func (t *Teller) say(reply model.Reply, truncated string) *Teller {
	if t.err != nil {
		return t
	}
	asked, err := prompt.Build(t.w.Events(), t.d, t.w.Load)
	if err != nil {
		t.err = err
		return t
	}
	p := trajectory.Proposed{
		Raw: reply.Text, Thinking: reply.Thinking, Calls: reply.Calls, Finish: model.FinishStop, Model: "tiny",
		Request: prompt.Hash(asked.Request), Frames: asked.Frames, EstimatedTokens: asked.Tokens, Truncated: truncated,
		Usage: model.Usage{PromptTokens: 100 + t.step, CompletionTokens: 10}, Latency: time.Millisecond,
	}
	if truncated == "" {
		t.err = t.parse(reply, &p)
	}
	return t.put(p)
}

func (t *Teller) parse(reply model.Reply, p *trajectory.Proposed) error {
	result, err := t.d.Parse(reply, t.kind)
	var wrong *parse.Error
	if errors.As(err, &wrong) {
		p.Problem = &trajectory.Problem{Reason: string(wrong.Reason), Text: wrong.Text}
		return nil
	}
	if err != nil {
		return err
	}
	p.Thoughts, p.Call, p.Ignored = result.Thoughts, &result.Call, result.Ignored
	for _, r := range result.Repairs {
		p.Repairs = append(p.Repairs, string(r))
	}
	return nil
}

// Tell writes events that come as they are.
func (t *Teller) Tell(payloads ...trajectory.Payload) *Teller {
	for _, p := range payloads {
		t.put(p)
	}
	return t
}

// Click lets the environment click in the middle of the frame.
func (t *Teller) Click() *Teller {
	box := env.Rect{X: 16, Y: 16, W: 32, H: 32}
	return t.Tell(
		trajectory.Acting{Action: env.Action{Kind: env.LeftClick, Point: &env.Point{X: 32, Y: 32}}},
		trajectory.Acted{Text: "clicked", Hit: &env.Element{Tag: "a", Role: "link", Name: "Tea", Box: box}, Took: time.Millisecond},
	)
}

// Kill leaves the run as a program does that is killed, and Resume takes it up again.
func (t *Teller) Kill() *Teller {
	if t.err == nil {
		t.err = t.w.Close()
	}
	return t
}

// Resume takes the run up again after Kill or End.
func (t *Teller) Resume() *Teller {
	if t.err != nil {
		return t
	}
	w, _, err := trajectory.Reopen(t.w.Dir(), nil)
	if t.err = err; err != nil {
		return t
	}
	t.w = w
	return t.put(trajectory.Resumed{Why: "restart", Text: "The program goes on."})
}

// End ends the run.
func (t *Teller) End(r trajectory.Result) *Teller {
	if t.err != nil {
		return t
	}
	r.Version, r.Run, r.Dir = trajectory.Version, t.w.ID(), t.w.Dir()
	if r.Verified == nil {
		r.Verified = []string{}
	}
	for _, e := range t.w.Events() {
		if e.Proposed != nil {
			r.Usage.Usage = r.Usage.Usage.Add(e.Proposed.Usage)
			r.Usage.Calls++
			if e.Proposed.Call != nil {
				r.Steps++
			}
		}
	}
	t.err = t.w.Finish(t.step, r)
	return t
}

// Called is a reply in the Fara models' format; arguments is a JSON object.
func Called(thought, arguments string) model.Reply {
	text := fmt.Sprintf("<tool_call>\n{\"name\": \"computer_use\", \"arguments\": %s}\n</tool_call>", arguments)
	if thought != "" {
		text = thought + "\n" + text
	}
	return model.Reply{Text: text}
}

// Native is a reply as a server with native tools gives it.
func Native(thought, id, arguments string) model.Reply {
	return model.Reply{Text: thought, Calls: []model.ToolCall{{ID: id, Name: "computer_use", Arguments: arguments}}}
}
