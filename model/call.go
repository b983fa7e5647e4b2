package model

import "encoding/json"

// Point is a position as a model gives it. Which space it is in, pixels of the
// picture or thousandths of its sides, is a property of the model's dialect. As
// JSON it is the pair [x,y].
type Point struct{ X, Y float64 }

// MarshalJSON writes [x,y].
func (p Point) MarshalJSON() ([]byte, error) { return json.Marshal([2]float64{p.X, p.Y}) }

// UnmarshalJSON reads [x,y].
func (p *Point) UnmarshalJSON(data []byte) error {
	var pair [2]float64
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	p.X, p.Y = pair[0], pair[1]
	return nil
}

// Call is one action as a model proposes it: canonical names, every number in
// model space. A nil or empty field was not given.
type Call struct {
	Action string `json:"action"`
	// Coordinate is where, for pointer actions; for a drag its end.
	Coordinate *Point `json:"coordinate,omitempty"`
	// Start is where a drag begins; nil is where the pointer is.
	Start *Point   `json:"start,omitempty"`
	Keys  []string `json:"keys,omitempty"`
	// Text is nil when it was not given, which is not the same as empty.
	Text               *string  `json:"text,omitempty"`
	PressEnter         *bool    `json:"press_enter,omitempty"`
	DeleteExistingText *bool    `json:"delete_existing_text,omitempty"`
	Pixels             *float64 `json:"pixels,omitempty"`
	URL                *string  `json:"url,omitempty"`
	Query              *string  `json:"query,omitempty"`
	Fact               *string  `json:"fact,omitempty"`
	Question           *string  `json:"question,omitempty"`
	// Time is in seconds.
	Time   *float64 `json:"time,omitempty"`
	Answer *string  `json:"answer,omitempty"`
	// Status is a terminate's own verdict, "success" or "failure".
	Status *string `json:"status,omitempty"`
}
