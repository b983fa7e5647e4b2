package modeltest_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fara/model"
	"fara/model/modeltest"
)

func TestLimitPixelsFailsEachTime(t *testing.T) {
	brain := modeltest.LimitPixels(modeltest.NewEndlessScript(modeltest.Text("ok")), 64*64)
	req := ask("x")
	req.Messages[0].Images = []model.Image{{Data: picture(t, 64, 64)}}
	if _, err := brain.Chat(t.Context(), req, nil); err != nil {
		t.Errorf("at the limit: got %v, want none", err)
	}
	req.Messages[0].Images[0].Data = picture(t, 65, 64)
	for range 2 {
		if _, err := brain.Chat(t.Context(), req, nil); !errors.Is(err, model.ErrServer) || !strings.Contains(err.Error(), "HTTP 500") {
			t.Errorf("above it: got %v, want status 500", err)
		}
	}
}

func TestCutPromptsTellsByTheCountAlone(t *testing.T) {
	script := modeltest.NewEndlessScript(modeltest.Text("ok"))
	brain := modeltest.CutPrompts(script, 50)
	req := model.Request{Messages: []model.Message{
		{Role: model.System, Text: "rules"},
		{Role: model.User, Text: strings.Repeat("old ", 100)},
		{Role: model.User, Text: "new", Images: []model.Image{{Data: picture(t, 640, 480)}}},
	}}
	reply, err := brain.Chat(t.Context(), req, nil)
	if err != nil || reply.Usage.PromptTokens != 50 {
		t.Errorf("got %+v and error %v, want exactly 50 tokens", reply.Usage, err)
	}
	if seen := script.Requests()[0].Messages; len(seen) != 2 || len(seen[1].Images) != 0 {
		t.Errorf("the model saw %+v, want the rules and the last turn without its picture", seen)
	}
	if len(req.Messages) != 3 || len(req.Messages[2].Images) != 1 {
		t.Error("the request itself was changed")
	}
	if reply, err = brain.Chat(t.Context(), ask("short"), nil); err != nil || reply.Usage.PromptTokens != modeltest.CountPrompt(ask("short")) {
		t.Errorf("a short one: got %+v and error %v, want its own count", reply.Usage, err)
	}
}

func TestAlternatingRefusesTwoOfAKind(t *testing.T) {
	brain := modeltest.Alternating(modeltest.NewEndlessScript(modeltest.Text("ok")))
	for roles, good := range map[string]bool{
		"user": true, "system user": true, "system user assistant user": true, "user assistant tool assistant user": true,
		"": false, "system": false, "assistant": false, "user user": false, "user assistant": false,
		"user assistant assistant user": false, "user tool": false, "user system": false, "system system user": false,
	} {
		var req model.Request
		for _, role := range strings.Fields(roles) {
			req.Messages = append(req.Messages, model.Message{Role: model.Role(role), Text: "x"})
		}
		if _, err := brain.Chat(t.Context(), req, nil); (err == nil) != good || err != nil && !errors.Is(err, model.ErrBadRequest) {
			t.Errorf("%q: got %v, want refused %v", roles, err, !good)
		}
	}
}

func TestLawsCountPictures(t *testing.T) {
	for name, tt := range map[string]struct {
		law           modeltest.Law
		width, height int
		want          int
	}{
		"32": {modeltest.Grid(32), 1440, 896, 1262}, "28": {modeltest.Grid(28), 1428, 896, 1634},
		"flat": {modeltest.Flat(256), 1440, 896, 256}, "no picture": {modeltest.Grid(28), 0, 0, 2},
	} {
		if got := tt.law(tt.width, tt.height); got != tt.want {
			t.Errorf("%s: %dx%d: got %d, want %d", name, tt.width, tt.height, got, tt.want)
		}
	}
	req := ask("abcd")
	req.Messages[0].Images = []model.Image{{Data: picture(t, 56, 56)}}
	reply, err := modeltest.CountBy(modeltest.NewEndlessScript(modeltest.Text("ok")), modeltest.Flat(256)).Chat(t.Context(), req, nil)
	if err != nil || reply.Usage.PromptTokens != 258 {
		t.Errorf("got %+v and error %v, want 258 tokens", reply.Usage, err)
	}
	// A server counts by its law, and refuses by it.
	for context, status := range map[int]int{258: 200, 257: 400} {
		server := serve(t, modeltest.Config{Law: modeltest.Flat(256), Context: context}, parrot())
		body := fmt.Sprintf(`"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}},{"type":"text","text":"abcd"}]}]`,
			base64.StdEncoding.EncodeToString(picture(t, 56, 56)))
		got, text := post(t, server.URL()+"/v1/chat/completions", v1Body(body))
		if got != status || status == 200 && !strings.Contains(text, `"prompt_tokens":258`) {
			t.Errorf("context %d: got %d %s, want %d and 258 tokens", context, got, text, status)
		}
	}
}

func TestLoadsAreCountedAndGivenUp(t *testing.T) {
	server := serve(t, modeltest.Config{Load: 20 * time.Millisecond}, parrot())
	say := func(options string) { post(t, server.URL()+"/api/chat", nativeBody(`"options":`+options+`,`+hi)) }
	for _, options := range []string{`{"num_ctx":2048}`, `{"num_ctx":2048}`, `{"num_ctx":4096}`, `{}`} {
		say(options)
	}
	if got := server.Loads(); got != 2 {
		t.Errorf("got %d loads, want one for 2048 and one for 4096, which is also the default", got)
	}
	slow := serve(t, modeltest.Config{Load: time.Hour}, parrot())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, slow.URL()+"/api/chat", strings.NewReader(nativeBody(hi)))
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
		t.Error("got an answer before the model was loaded")
	}
	if _, body := get(t, slow.URL()+"/api/ps"); body != `{"models":[]}` || slow.Loads() != 1 {
		t.Errorf("got %s after %d loads, want nothing loaded by the one that was given up", body, slow.Loads())
	}
}

func TestChaosFollowsFromItsSeed(t *testing.T) {
	statuses := func(seed uint64) string {
		server := serve(t, modeltest.Config{}, parrot(), modeltest.Chaos(seed, 0.4, modeltest.Status(500, "{}"), modeltest.Body(200, "text/html", "<html>")))
		var all []string
		for range 40 {
			status, body := post(t, server.URL()+"/api/chat", nativeBody(hi))
			all = append(all, fmt.Sprint(status, strings.HasPrefix(body, "<html>")))
		}
		return strings.Join(all, " ")
	}
	first := statuses(1)
	if statuses(1) != first || statuses(2) == first {
		t.Error("the same seed gives other failures, or another the same")
	}
	failed := strings.Count(first, "500") + strings.Count(first, "true")
	if failed < 8 || failed > 26 || !strings.Contains(first, "500") || !strings.Contains(first, "true") {
		t.Errorf("got %d failures of 40, want about 16 of both kinds: %s", failed, first)
	}
}

func TestToolsGoThroughBothAPIs(t *testing.T) {
	calls := []model.ToolCall{{ID: "a", Name: "click", Arguments: `{"x":[1,2]}`}, {ID: "b", Name: "wait", Arguments: `{}`}}
	brain := modeltest.NewEndlessScript(modeltest.Say(model.Reply{Text: "I click.", Calls: calls}))
	able := serve(t, modeltest.Config{Capabilities: []string{"completion", "vision", "tools"}}, brain)
	tools := `"tools":[{"type":"function","function":{"name":"click"}}],`
	nativePast := `"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"","tool_calls":[{"function":{"name":"click","arguments":{"x":1}}}]},{"role":"tool","content":"done","tool_call_id":"a"}]`
	_, text := post(t, able.URL()+"/api/chat", nativeBody(tools+nativePast))
	if want := `"tool_calls":[{"id":"a","function":{"name":"click","arguments":{"x":[1,2]}}},`; !strings.Contains(text, want) {
		t.Errorf("native: got %s, want %s", text, want)
	}
	got := brain.Requests()[0]
	if !json.Valid(got.Tools) || len(got.Messages[1].Calls) != 1 || got.Messages[1].Calls[0].Arguments != `{"x":1}` || got.Messages[2].CallID != "a" {
		t.Errorf("native: the brain saw %+v", got)
	}
	v1Past := strings.Replace(nativePast, `{"x":1}`, `"{\"x\":1}"`, 1)
	_, text = post(t, able.URL()+"/v1/chat/completions", v1Body(tools+v1Past))
	if want := `{"id":"a","type":"function","function":{"name":"click","arguments":"{\"x\":[1,2]}"}}`; !strings.Contains(text, want) || !strings.Contains(text, `"finish_reason":"tool_calls"`) {
		t.Errorf("/v1: got %s, want %s", text, want)
	}
	if got := brain.Requests()[1]; got.Messages[1].Calls[0].Arguments != `{"x":1}` || got.Messages[2].CallID != "a" {
		t.Errorf("/v1: the brain saw %+v", got)
	}
	unable := serve(t, modeltest.Config{}, brain)
	if status, text := post(t, unable.URL()+"/api/chat", nativeBody(tools+hi)); status != 400 || !strings.Contains(text, "does not support tools") {
		t.Errorf("native without tools: got %d %s", status, text)
	}
	if status, text := post(t, unable.URL()+"/v1/chat/completions", v1Body(tools+hi)); status != 400 || !strings.Contains(text, "tool-call-parser") {
		t.Errorf("/v1 without tools: got %d %s", status, text)
	}
}
