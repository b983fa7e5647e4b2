package modeltest

import (
	"encoding/json"
	"net/http"
	"time"

	"fara/model"
)

type compatibleMessage struct {
	Role      string           `json:"role,omitempty"`
	Content   string           `json:"content"`
	Reasoning string           `json:"reasoning_content,omitempty"`
	Calls     []compatibleCall `json:"tool_calls,omitempty"`
}

type choice struct {
	Index        int                `json:"index"`
	Message      *compatibleMessage `json:"message,omitempty"`
	Delta        *compatibleMessage `json:"delta,omitempty"`
	FinishReason *string            `json:"finish_reason"`
}

type compatibleUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

type compatibleReply struct {
	ID      string           `json:"id"`
	Object  string           `json:"object"`
	Created int64            `json:"created"`
	Model   string           `json:"model"`
	Choices []choice         `json:"choices"`
	Usage   *compatibleUsage `json:"usage,omitempty"`
}

func (compatible) reply(w http.ResponseWriter, req Request, reply model.Reply, _ time.Duration) {
	out := compatibleReply{
		ID: "chatcmpl-1", Object: "chat.completion", Created: time.Now().Unix(), Model: req.Model,
		Usage: &compatibleUsage{
			PromptTokens:     reply.Usage.PromptTokens,
			CompletionTokens: reply.Usage.CompletionTokens,
			TotalTokens:      reply.Usage.PromptTokens + reply.Usage.CompletionTokens,
		},
	}
	if req.Stream {
		streamReply(w, req, reply, out)
		return
	}
	finish := finishOf(reply)
	out.Choices = []choice{{
		Message:      &compatibleMessage{Role: "assistant", Content: reply.Text, Reasoning: reply.Thinking, Calls: compatibleCalls(reply.Calls)},
		FinishReason: &finish,
	}}
	writeJSON(w, http.StatusOK, out)
}

// streamReply sends the role, the pieces, the finish, the usage when it was
// asked for, and the end mark.
func streamReply(w http.ResponseWriter, req Request, reply model.Reply, out compatibleReply) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	usage := out.Usage
	out.Object, out.Usage = "chat.completion.chunk", nil
	send := func(delta compatibleMessage, finish *string) {
		out.Choices = []choice{{Delta: &delta, FinishReason: finish}}
		writeEvent(w, out)
	}
	send(compatibleMessage{Role: "assistant"}, nil)
	for _, piece := range pieces(reply.Thinking) {
		send(compatibleMessage{Reasoning: piece}, nil)
	}
	for _, piece := range pieces(reply.Text) {
		send(compatibleMessage{Content: piece}, nil)
	}
	for n, call := range reply.Calls {
		for _, piece := range fragments(n, call) {
			send(compatibleMessage{Calls: []compatibleCall{piece}}, nil)
		}
	}
	finish := finishOf(reply)
	send(compatibleMessage{}, &finish)
	if req.IncludeUsage {
		out.Choices, out.Usage = []choice{}, usage
		writeEvent(w, out)
	}
	writeChunk(w, "data: [DONE]\n\n")
}

// finishOf is the API's word for how a reply ended.
func finishOf(reply model.Reply) string {
	if reply.Finish == model.FinishStop && len(reply.Calls) > 0 {
		return "tool_calls"
	}
	return string(reply.Finish)
}

func writeEvent(w http.ResponseWriter, event compatibleReply) {
	data, err := json.Marshal(event)
	if err == nil {
		writeChunk(w, "data: "+string(data)+"\n\n")
	}
}
