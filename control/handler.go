package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"fara/trajectory"
)

// longest is the most bytes that a request may have.
const longest = 64 << 10

// handler answers requests that were let in.
func (c *Control) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { c.show(w) })
	mux.HandleFunc("POST /pause", func(w http.ResponseWriter, _ *http.Request) { c.Pause(); c.show(w) })
	mux.HandleFunc("POST /resume", func(w http.ResponseWriter, _ *http.Request) { c.Resume(); c.show(w) })
	mux.HandleFunc("POST /answer", c.answer)
	mux.HandleFunc("POST /approve", c.approve)
	return mux
}

func (c *Control) show(w http.ResponseWriter) { write(w, http.StatusOK, c.status()) }

// answer takes the words that answer a question of the model.
func (c *Control) answer(w http.ResponseWriter, r *http.Request) {
	var body struct {
		ID   *int    `json:"id"`
		Text *string `json:"text"`
	}
	const form = `{"id": 1, "text": "the answer"}`
	switch err := read(r, &body); {
	case err != nil:
		refuse(w, http.StatusBadRequest, fmt.Errorf("%w; send %s", err, form))
		return
	case body.ID == nil || body.Text == nil:
		refuse(w, http.StatusBadRequest, errors.New("id or text is missing; send "+form))
		return
	case strings.TrimSpace(*body.Text) == "":
		refuse(w, http.StatusBadRequest, errors.New("an empty answer would give the task up; say something, or end the run"))
		return
	}
	reply := trajectory.Replied{Text: *body.Text, By: trajectory.Person}
	c.deliver(w, *body.ID, reply, func(asked trajectory.Asked) error {
		if what := waitsFor(asked); what != "answer" {
			return fmt.Errorf("the run waits for %s; use /approve", withArticle(what))
		}
		return nil
	})
}

// approve takes a decision about an action, or that a captcha was dealt with.
func (c *Control) approve(w http.ResponseWriter, r *http.Request) {
	var body struct {
		ID     *int               `json:"id"`
		Choice *trajectory.Choice `json:"choice"`
	}
	const form = `{"id": 1, "choice": "yes"} with yes, no, or site for all of its kind on that site`
	switch err := read(r, &body); {
	case err != nil:
		refuse(w, http.StatusBadRequest, fmt.Errorf("%w; send %s", err, form))
		return
	case body.ID == nil || body.Choice == nil:
		refuse(w, http.StatusBadRequest, errors.New("id or choice is missing; send "+form))
		return
	case *body.Choice != trajectory.Yes && *body.Choice != trajectory.No && *body.Choice != trajectory.AlwaysHere:
		refuse(w, http.StatusBadRequest, fmt.Errorf("choice %q is unknown; send %s", *body.Choice, form))
		return
	}
	reply := trajectory.Replied{By: trajectory.Person, Choice: *body.Choice}
	c.deliver(w, *body.ID, reply, func(asked trajectory.Asked) error {
		switch what := waitsFor(asked); {
		case what == "answer":
			return errors.New("the run waits for an answer; use /answer")
		case what == "captcha" && reply.Choice == trajectory.AlwaysHere:
			return errors.New("a captcha takes yes or no")
		}
		return nil
	})
}

func (c *Control) deliver(w http.ResponseWriter, id int, reply trajectory.Replied, fits func(trajectory.Asked) error) {
	if err := c.desk.answer(id, reply, fits); err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	c.show(w)
}

func withArticle(what string) string {
	if what == "approval" {
		return "an approval"
	}
	return "a person at a captcha"
}

// read takes one JSON object of known fields.
func read(r *http.Request, into any) error {
	data, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return errors.New("the request is too long or broke off")
	case !utf8.Valid(data):
		return errors.New("the request is no UTF-8")
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return errors.New("the request is not the JSON that is expected")
	}
	if dec.More() {
		return errors.New("the request has something behind its JSON")
	}
	return nil
}

func refuse(w http.ResponseWriter, code int, err error) {
	write(w, code, struct {
		Error string `json:"error"`
	}{err.Error()})
}

func write(w http.ResponseWriter, code int, v any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // whoever asked may have gone
}
