package modeltest

import (
	"bytes"
	"slices"

	"fara/model"
)

// cloneRequest copies everything a request points to, so that a remembered one
// stays as it was sent.
func cloneRequest(req model.Request) model.Request {
	req.Messages = cloneMessages(req.Messages)
	req.Stop = slices.Clone(req.Stop)
	req.Schema = bytes.Clone(req.Schema)
	req.Tools = bytes.Clone(req.Tools)
	if req.Seed != nil {
		seed := *req.Seed
		req.Seed = &seed
	}
	return req
}

func cloneMessages(messages []model.Message) []model.Message {
	out := slices.Clone(messages)
	for i := range out {
		out[i].Calls = slices.Clone(out[i].Calls)
		out[i].Images = slices.Clone(out[i].Images)
		for j := range out[i].Images {
			out[i].Images[j].Data = bytes.Clone(out[i].Images[j].Data)
		}
	}
	return out
}
