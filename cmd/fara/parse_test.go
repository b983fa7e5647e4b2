package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseReadsEveryFormAndDialect(t *testing.T) {
	const (
		tagged = `<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [412, 233]}}</tool_call>`
		spoken = "Thought: I click it.\nAction: click(start_box='<|box_start|>(412,233)<|box_end|>')"
		object = `{"thoughts": "I click it.", "action": "left_click", "coordinate": [412, 233]}`
	)
	for name, stdin := range map[string]string{
		"tagged": tagged, "text": spoken, "object": object,
		"fara-1.5": tagged, "fara-7b": tagged, "qwen2.5-vl": tagged, "qwen3-vl": tagged, "ui-tars-1.5": spoken, "json": object,
	} {
		got := call{args: []string{"parse", "--dialect", name}, stdin: stdin}.run(t)
		if want := `"call":{"action":"left_click","coordinate":[412,233]},"repairs":[]`; got.code != 0 || !strings.Contains(got.stdout, want) {
			t.Errorf("%s: got %d %s%s, want %s", name, got.code, got.stdout, got.stderr, want)
		}
	}
}

func TestParseReadsAServersAnswer(t *testing.T) {
	const arguments = `{"action": "left_click", "coordinate": [412, 233]}`
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	for name, stdin := range map[string]string{
		"openai": `{"choices": [{"finish_reason": "tool_calls", "message": {"content": null, "reasoning_content": "I click it.",
			"tool_calls": [{"id": "a", "type": "function", "function": {"name": "computer_use", "arguments": ` + string(text) + `}}]}}]}`,
		"ollama": `{"done": true, "done_reason": "stop", "message": {"role": "assistant", "content": "", "thinking": "I click it.",
			"tool_calls": [{"function": {"name": "computer_use", "arguments": ` + arguments + `}}]}}`,
		"message":  `{"content": [{"type": "text", "text": "I click it."}], "tool_calls": [{"function": {"name": "left_click", "arguments": "{\"coordinate\": [412, 233]}"}}]}`,
		"flat":     `{"content": "I click it.", "tool_calls": [{"name": "computer_use", "arguments": ` + arguments + `}]}`,
		"old":      `{"content": null, "reasoning": "I click it.", "function_call": {"name": "computer_use", "arguments": ` + string(text) + `}}`,
		"as text":  `{"content": "I click it.\n<tool_call>{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [412, 233]}}</tool_call>"}`,
		"thinking": `{"content": "", "thinking": "I click it.\n<tool_call>{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [412, 233]}}</tool_call>"}`,
	} {
		got := call{args: []string{"parse", "--message"}, stdin: stdin}.run(t)
		if want := `{"thoughts":"I click it.","call":{"action":"left_click","coordinate":[412,233]}`; got.code != 0 || !strings.HasPrefix(got.stdout, want) {
			t.Errorf("%s: got %d %s%s, want %s", name, got.code, got.stdout, got.stderr, want)
		}
	}
}

func TestParseRefusesWhatIsNoAnswer(t *testing.T) {
	for _, stdin := range []string{"", "I click it.", `{"error": "busy"}`, `[1]`} {
		if got := (call{args: []string{"parse", "--message"}, stdin: stdin}).run(t); got.code != exitUsage || !strings.Contains(got.stderr, "answer of a server") {
			t.Errorf("%q: got %d %q, want %d and a line that says what is expected", stdin, got.code, got.stderr, exitUsage)
		}
	}
	cut := `{"choices": [{"finish_reason": "length", "message": {"content": "", "tool_calls": [{"function": {"name": "computer_use", "arguments": "{\"action\": \"type\", \"text\": \"a"}}]}}]}`
	got := call{args: []string{"parse", "--message"}, stdin: cut}.run(t)
	if got.code != exitNoSuccess || !strings.Contains(got.stdout, `"reason":"truncated"`) {
		t.Errorf("got %d %s, want %d and truncated", got.code, got.stdout, exitNoSuccess)
	}
}
