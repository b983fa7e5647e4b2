package main

import (
	"context"
	"fmt"
	"strings"

	"fara/agent"
	"fara/calibrate"
	"fara/dialect"
	"fara/env"
	"fara/imagebudget"
	"fara/model"
)

// checkServer says what came of connecting: first whether a server is there,
// then whether the model is on it.
func (d *doctor) checkServer(srv *server, err error) bool {
	if !srv.answered {
		d.say(check{Name: "server", Text: err.Error(), code: codeOf(err)})
		d.skip("there is no server to ask", "model")
		return false
	}
	d.say(check{Name: "server", OK: true, Text: fmt.Sprintf("%s at %s", srv.about.Name(), env.WithoutUser(srv.endpoint))})
	if err != nil {
		return d.say(check{Name: "model", Text: err.Error(), code: codeOf(err)})
	}
	text := d.model.model + " is there"
	if srv.about.Vision != nil {
		text += ", and takes images as the server says"
	}
	return d.say(check{Name: "model", OK: true, Text: text})
}

// checkCalibration looks for what fara calibrate leaves. Nothing needs it where a
// dialect is right as it is, so its absence is no no.
func (d *doctor) checkCalibration() check {
	c := check{Name: "calibration", OK: true}
	file := calibrationOf(d.model.model)
	kept, err := calibrate.Load(file)
	switch {
	case d.model.measured != nil:
		c.Text = calibratedAs(d.model.calibration, *d.model.measured)
	case err == nil && sameModel(kept.Model, d.model.model):
		c.Text = calibratedAs(file, kept) + "; runs take it with --calibration " + file
	default:
		c.OK, c.Skipped, c.Text = false, true, "none given; fara calibrate measures where the model points"
	}
	return c
}

func calibratedAs(file string, f calibrate.File) string {
	return fmt.Sprintf("%s of %s: dialect %s, space %s, median error %.1f px", file, f.Created.Format("2006-01-02"), f.Dialect, f.Space, f.Median)
}

// manner is how replies get their form, as in a run.
func (d *doctor) manner(speaks dialect.Dialect) agent.Replies { return d.model.replies(speaks) }

// Tokens a run needs beside its frames: the reply, and room for some history.
const (
	replyTokens   = 2048
	historyTokens = 2000
)

// checkContext compares what a request takes with what the model takes: by its own
// limit, and by what it is loaded with once it was asked.
func (d *doctor) checkContext(ctx context.Context, srv *server, speaks dialect.Dialect) check {
	c := check{Name: "context", code: exitModel}
	picture, err := speaks.Grid.Fit(speaks.Viewport)
	if err != nil {
		c.Text = err.Error()
		return c
	}
	frame := speaks.Grid.Tokens(picture)
	need := imagebudget.TextTokens(speaks.System(picture)) + d.images*frame + replyTokens + historyTokens
	have := srv.window(d.model.numCtx)
	about := d.again(ctx, srv)
	limit := about.Context()
	text := fmt.Sprintf("%d tokens%s; %d frames of %d, the prompt, some history and a reply take %d", have, facts(about), d.images, frame, need)
	switch {
	case about.Loaded > 0 && about.Loaded < min(need, have):
		c.Text = fmt.Sprintf("the model is loaded with %d tokens although %d were asked for%s; %d frames of %d, the prompt, some history and a reply take %d; restart the server with OLLAMA_NUM_PARALLEL=1, since parallel requests share the context, or where memory is short lower --max-images or --viewport",
			about.Loaded, have, slots(about), d.images, frame, need)
	case have >= need:
		c.OK, c.Text = true, text
	case limit.Tokens > 0 && limit.Tokens < need:
		c.Text = fmt.Sprintf("%s; %s allows no more than %d, so %s", text, limit.Source, limit.Tokens, raise(about))
	default:
		c.Text = fmt.Sprintf("%s; give --num-ctx %d", text, (need/1024+1)*1024)
	}
	return c
}

// again has the server tell about itself once more, now that the model is loaded;
// when it does not, what it said before holds.
func (d *doctor) again(ctx context.Context, srv *server) model.Server {
	now := &server{api: srv.api, endpoint: srv.endpoint, at: srv.at}
	if err := now.ask(ctx, &d.model); err != nil {
		return srv.about
	}
	return now.about
}

// facts are the numbers that the server gave, in brackets.
func facts(about model.Server) string {
	var said []string
	for _, l := range about.Limits {
		said = append(said, fmt.Sprintf("%s %d", l.Source, l.Tokens))
	}
	if about.Loaded > 0 {
		said = append(said, fmt.Sprintf("loaded with %d", about.Loaded))
	}
	if about.Slots > 1 {
		said = append(said, fmt.Sprintf("%d slots of so much each", about.Slots))
	}
	if len(said) == 0 {
		return ""
	}
	return " (" + strings.Join(said, ", ") + ")"
}

func slots(about model.Server) string {
	if about.Slots > 1 {
		return fmt.Sprintf(", in each of %d slots", about.Slots)
	}
	return ""
}

// raise says how a server's limit is raised, where it can be.
func raise(about model.Server) string {
	const lower = "lower --max-images or --viewport"
	switch about.Kind {
	case model.VLLM:
		return "start vLLM with a larger --max-model-len, or " + lower
	case model.LlamaCpp:
		return "start llama-server with a larger --ctx-size (its slots share it: --parallel 1), or " + lower
	case model.LMStudio:
		return "load the model with a larger context in LM Studio, or " + lower
	case model.SGLang:
		return "start SGLang with a larger --context-length, or " + lower
	}
	return lower
}
