package export

import (
	"fara/env"
	"fara/model"
)

// Target is an element that an action reached.
type Target struct {
	Action string `json:"action"`
	// Name, Role, Tag and Text are the element's, as the page has them; untrusted.
	Name string `json:"name"`
	Role string `json:"role,omitempty"`
	Tag  string `json:"tag,omitempty"`
	Text string `json:"text,omitempty"`
	// Point is where the model pointed, in its own space; Pixels the same place in
	// pixels of the frame, and CSS in CSS pixels of the viewport.
	Point  model.Point `json:"point_model"`
	Pixels env.Point   `json:"point_frame"`
	CSS    env.Point   `json:"point_css"`
	// Box is the element's in pixels of the frame, as far as it is in it.
	Box env.Rect `json:"box_frame"`
	// Space is what Point counts: "0-1000", "pixels" or "0-1".
	Space    string   `json:"space"`
	Size     env.Size `json:"frame_size"`
	Viewport env.Size `json:"viewport"`
	URL      string   `json:"url,omitempty"`
}
