package model

import (
	"context"
	"encoding/json"
	"time"
)

// Role says who speaks.
type Role string

// The roles every server knows.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	// Tool answers a native tool call; only where a Request has Tools.
	Tool Role = "tool"
)

// Message is one turn. Its images come before its text.
type Message struct {
	Role   Role
	Images []Image
	Text   string
	// Calls are the native tool calls of an Assistant's turn.
	Calls []ToolCall
	// CallID is the ID of the call that a Tool's turn answers.
	CallID string
}

// ToolCall is a call as a server gives it when it was told of tools. What is in
// it is the model's text, read by nobody yet.
type ToolCall struct {
	// ID is the server's name for the call; empty when it gave none.
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// Arguments is the JSON text of the arguments, as it came.
	Arguments string `json:"arguments"`
}

// Image is an encoded picture: the bytes exactly as captured and as sent.
type Image struct {
	// Data is a PNG or JPEG file.
	Data []byte
	// MIME is "image/png" or "image/jpeg".
	MIME string
}

// Request is one question to a model. Which model and which server is the
// client's own configuration, so that the same request can go to any of them.
type Request struct {
	Messages []Message
	// Temperature is sent as it is; 0 means greedy decoding.
	Temperature float64
	// MaxTokens bounds the reply; 0 leaves it to the server.
	MaxTokens int
	// Seed is sent when it is not nil.
	Seed *int
	// Stop holds texts at which the server ends the reply.
	Stop []string
	// Schema, a JSON Schema object, makes the server constrain the reply to it;
	// nil leaves the reply free.
	Schema json.RawMessage
	// Tools is a JSON list of tool definitions in the form OpenAI gave them; nil
	// has the model answer in text alone.
	Tools json.RawMessage
}

// Until is asked with the reply's text so far whenever it grows; true stops the
// server's generation. A client gives the server a moment to end by itself,
// which the models do right after their call: only then is the usage reported.
// A nil Until reads to the end.
type Until func(text string) bool

// Finish says why a reply ended.
type Finish string

// Why a reply ended.
const (
	FinishStop   Finish = "stop"   // the model ended it
	FinishLength Finish = "length" // cut by a token limit
	FinishUntil  Finish = "until"  // the caller had read enough
)

// Reply is a model's answer.
type Reply struct {
	// Text is the answer proper, unmodified.
	Text string
	// Thinking is what the server filed apart as reasoning; empty when nothing was.
	Thinking string
	// Calls are the tool calls that the server filed apart, in its order.
	Calls  []ToolCall
	Finish Finish
	// Model is the name the server gave itself; empty when it did not say.
	Model string
	// Server is the address that answered, when there were several to choose from;
	// empty otherwise.
	Server string
	Usage  Usage
}

// Usage is what a reply cost, as the server counted it. Zero means unknown: a
// server whose reply was stopped early reports nothing.
type Usage struct {
	PromptTokens     int           `json:"prompt_tokens"`
	CompletionTokens int           `json:"completion_tokens"`
	PromptTime       time.Duration `json:"prompt_ns,omitempty"`
	CompletionTime   time.Duration `json:"completion_ns,omitempty"`
	LoadTime         time.Duration `json:"load_ns,omitempty"`
	// Retries counts the failed attempts before this reply.
	Retries int `json:"retries,omitempty"`
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		PromptTokens:     u.PromptTokens + v.PromptTokens,
		CompletionTokens: u.CompletionTokens + v.CompletionTokens,
		PromptTime:       u.PromptTime + v.PromptTime,
		CompletionTime:   u.CompletionTime + v.CompletionTime,
		LoadTime:         u.LoadTime + v.LoadTime,
		Retries:          u.Retries + v.Retries,
	}
}

// Chatter is anything that answers a Request. It is declared here, among the
// words, because every client, wrapper and user of a model shares it.
//
// Chat returns an error that is nil or wraps one of this package's sentinels,
// or the context's cause. It may be called by several goroutines.
type Chatter interface {
	Chat(ctx context.Context, req Request, until Until) (Reply, error)
}
