package dialect_test

import (
	"encoding/json"
	"flag"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fara/dialect"
	"fara/env"
	"fara/model"
)

var update = flag.Bool("update", false, "write the golden files")

func get(t *testing.T, name string) dialect.Dialect {
	t.Helper()
	d, err := dialect.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func picture(t *testing.T, d dialect.Dialect) env.Size {
	t.Helper()
	s, err := d.Grid.Fit(d.Viewport)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPromptsOfferTheDialectsActions(t *testing.T) {
	for _, name := range dialect.Names() {
		d := get(t, name)
		var want []env.Kind
		for _, a := range d.Actions {
			want = append(want, a.Name)
		}
		if got := allowedBy(t, d); !slices.Equal(got, want) {
			t.Errorf("%s: the prompt offers %v, want %v", name, got, want)
		}
	}
}

func TestFamiliesHaveTheActionsTheyWereTrainedWith(t *testing.T) {
	for name, want := range map[string]int{"fara-1.5": 18, "fara-7b": 11, "json": 18, "qwen2.5-vl": 18, "qwen3-vl": 18, "ui-tars-1.5": 15} {
		if got := allowedBy(t, get(t, name)); len(got) != want {
			t.Errorf("%s: the prompt offers %d actions, %v, want %d", name, len(got), got, want)
		}
	}
}

func TestFilesAreNamedAsTheirDialects(t *testing.T) {
	for _, name := range dialect.Names() {
		if d := get(t, name); d.Name != name {
			t.Errorf("the file %s names the dialect %q", name, d.Name)
		}
	}
}

func TestViewportsPassThroughTheGrid(t *testing.T) {
	for _, name := range dialect.Names() {
		d := get(t, name)
		if got := picture(t, d); got != d.Viewport {
			t.Errorf("%s: a viewport of %v is sent as %v, want it unchanged", name, d.Viewport, got)
		}
	}
}

func TestToolsAreLaidOutAsInTraining(t *testing.T) {
	d := get(t, "fara-7b")
	system := d.System(env.Size{W: 1428, H: 896})
	_, line, _ := strings.Cut(system, "<tools>\n")
	line, _, _ = strings.Cut(line, "\n")
	if !strings.HasPrefix(line, `{"type": "function", "function": {"name": "computer_use", "description": "`) {
		t.Errorf("the line begins with %.80s", line)
	}
	var tool struct {
		Function struct {
			Description string
			Parameters  struct {
				Properties map[string]json.RawMessage
				Required   []string
				Type       string
			}
		}
	}
	if err := json.Unmarshal([]byte(line), &tool); err != nil {
		t.Fatal(err)
	}
	p := tool.Function.Parameters
	if !strings.Contains(tool.Function.Description, "1428x896") || !slices.Equal(p.Required, []string{"action"}) || p.Type != "object" {
		t.Errorf("got %+v", tool)
	}
	if got, want := string(p.Properties["status"]), `"enum": ["success", "failure"]`; !strings.Contains(got, want) {
		t.Errorf("status: got %s, want %s in it", got, want)
	}
	if strings.Index(line, `"keys": {`) > strings.Index(line, `"text": {`) {
		t.Error("the arguments are not in their order")
	}
}

func TestForModelKnowsItsFamilies(t *testing.T) {
	for model, want := range map[string]string{
		"microsoft/Fara-7B":                      "fara-7b",
		"hf.co/bartowski/Fara-7B-GGUF:Q4":        "fara-7b",
		"fara_7b":                                "fara-7b",
		"Fara1.5-9B":                             "fara-1.5",
		"fara-1.5-27b:latest":                    "fara-1.5",
		"FARA 1.5 4B":                            "fara-1.5",
		"qwen2.5-vl":                             "qwen2.5-vl",
		"qwen2.5vl:7b":                           "qwen2.5-vl",
		"Qwen/Qwen2.5-VL-72B-Instruct-AWQ":       "qwen2.5-vl",
		"Qwen3-VL-8B-Instruct":                   "qwen3-vl",
		"qwen3-vl:30b-a3b-thinking":              "qwen3-vl",
		"qwen3.5":                                "qwen3-vl",
		"Qwen/Qwen3.5-9B":                        "qwen3-vl",
		"UI-TARS-1.5-7B":                         "ui-tars-1.5",
		"ByteDance-Seed/UI-TARS-1.5-7B":          "ui-tars-1.5",
		"ui-tars":                                "ui-tars-1.5",
		"hf.co/mradermacher/UI-TARS-1.5-7B-GGUF": "ui-tars-1.5",
		// Made from another family, whose name is in theirs too.
		"Fara1.5-9B-Qwen3.5":       "fara-1.5",
		"qwen2.5-vl-7b-fara-7b":    "fara-7b",
		"UI-TARS-1.5-7B-qwen2.5vl": "ui-tars-1.5",
		// Relatives that speak otherwise, or that are something else.
		"UI-TARS-7B-DPO":          "",
		"ui-tars-72b-sft":         "",
		"UI-TARS-2B-SFT":          "",
		"fara-7b-ui-tars-1.5-mix": "",
		"qwen2-vl:7b":             "",
		"qwen2.5:7b":              "",
		"qwen3:8b":                "",
		"qwen3-57b":               "",
		"llama3.2-vision":         "",
		"fara":                    "",
		"":                        "",
		"(?i)[":                   "",
		strings.Repeat("q", 1e6):  "",
	} {
		d, ok := dialect.ForModel(model)
		if ok != (want != "") || d.Name != want {
			t.Errorf("ForModel(%.60q): got %q, %v, want %q", model, d.Name, ok, want)
		}
	}
}

func TestSpeechKeepsTheWholeDialect(t *testing.T) {
	for _, name := range dialect.Names() {
		d := get(t, name)
		d.Prompt, d.Viewport.W = "own words\n<tools>\n{{tools}}\n</tools>", 640
		back, err := dialect.Restore(d.Speech())
		if err != nil || !reflect.DeepEqual(back, d) {
			t.Errorf("%s: got %+v, %v, want %+v", name, back, err, d)
		}
	}
	if _, err := dialect.Restore([]byte("{")); err == nil {
		t.Error("half a dialect was restored")
	}
}

func TestGetNamesTheKnownDialects(t *testing.T) {
	if _, err := dialect.Get("klingon"); err == nil || !strings.Contains(err.Error(), "fara-1.5, fara-7b") {
		t.Errorf("got %v", err)
	}
}

func TestWithPromptTakesTemplatesAndWholePrompts(t *testing.T) {
	d := get(t, "fara-7b")
	size := env.Size{W: 1428, H: 896}
	whole := d.System(size)
	for name, text := range map[string]string{
		"template":      "Be good.\n<tools>\n{{tools}}\n</tools>\n",
		"rendered":      whole,
		"sized by hand": "{{width}}x{{height}}\n<tools>\n{{tools}}\n</tools>",
		"final newline": whole + "\n",
	} {
		own, err := d.WithPrompt(text, size)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if kinds, err := own.Allowed(own.System(size)); err != nil || len(kinds) != 11 {
			t.Errorf("%s: got %v, %v, want 11 actions", name, kinds, err)
		}
	}
	for name, text := range map[string]string{"itself": whole, "from Windows": "\ufeff" + strings.ReplaceAll(whole, "\n", "\r\n") + "\r\n"} {
		if own, err := d.WithPrompt(text, size); err != nil || own.System(size) != whole {
			t.Errorf("%s: a whole prompt came out changed, %v", name, err)
		}
	}
}

func TestWithPromptNamesWhatIsMissing(t *testing.T) {
	size := env.Size{W: 1428, H: 896}
	for _, c := range []struct{ dialect, text, want string }{
		{"fara-1.5", "", "empty"},
		{"fara-1.5", "You are an agent.", "{{tools}} is missing"},
		{"fara-1.5", "<tools>\n{{tools}}\n</tools>\n\n {{wdith}}", "line 5: unknown placeholder {{wdith}}"},
		{"fara-1.5", "<tools>\n{{ tools }}\n</tools>", "line 2: unknown placeholder {{ tools }}"},
		{"fara-1.5", "{{}}<tools>\n{{tools}}\n</tools>", "line 1: unknown placeholder {{}}"},
		{"fara-1.5", "a\n\n<tools>\n{\"x\": 1}\nnot json\n</tools>", "line 5: "},
		{"json", "<tools>\n{{tools}}\n</tools>", "there are {{actions}}"},
		{"json", "Do something.", "put {{actions}}"},
		{"ui-tars-1.5", "Do something (anything).", "put {{actions}}"},
		{"fara-1.5", "<tools>\n{\"x\": 1}\n</tools>", "names no actions"},
		{"fara-1.5", "<tools>\nnot json\n</tools>", "<tools> block"},
		{"fara-1.5", "{{tools}}", "<tools> block"},
		{"fara-7b", strings.ReplaceAll(get(t, "fara-7b").System(env.Size{W: 1, H: 1}), "1x1", "big"), "{{width}}x{{height}} is missing"},
	} {
		_, err := get(t, c.dialect).WithPrompt(c.text, size)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %.40q: got %v, want an error with %q", c.dialect, c.text, err, c.want)
		}
	}
}

func TestBracesThatAreNoPlaceholdersStayAsTheyAre(t *testing.T) {
	text := `Answer {"a": {"b": {}}} or {{"name": 1}} or { {x} }, {tool_descs}, ${y}, %s and %d.` + "\n<tools>\n{{tools}}\n</tools>"
	d := get(t, "fara-1.5")
	own, err := d.WithPrompt(text, picture(t, d))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(text, "\n")
	if got := own.System(picture(t, d)); !strings.HasPrefix(got, first+"\n") {
		t.Errorf("got %.120s, want it to begin with %s", got, first)
	}
}

func TestTheFamiliesOwnPromptsOfferTheirActions(t *testing.T) {
	// In the form in which they are published; the words are not.
	tars := get(t, "ui-tars-1.5")
	own, err := tars.WithPrompt("## Action Space\n\nclick(start_box='<|box_start|>(x1,y1)<|box_end|>')\nleft_double(start_box='(x1,y1)')\nscroll(start_box='(x1,y1)', direction='down')\nopen_app(app_name='x')\nwait() # a while\nfinished(content='xxx')\n\n## Note\n- none (really)", picture(t, tars))
	if err != nil {
		t.Fatal(err)
	}
	want := []env.Kind{env.LeftClick, env.DoubleClick, env.Scroll, env.HScroll, env.Wait, env.Terminate}
	if got, err := own.Allowed(own.System(picture(t, tars))); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestOwnPromptLimitsTheActions(t *testing.T) {
	d := get(t, "fara-1.5")
	text := "<tools>\n" + `{"function": {"parameters": {"properties": {"action": {"enum": ["left_click", "terminate"]}}}}}` + "\n</tools>"
	own, err := d.WithPrompt(text, picture(t, d))
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := own.Allowed(own.System(picture(t, d)))
	if err != nil || !slices.Equal(allowed, []env.Kind{env.LeftClick, env.Terminate}) {
		t.Fatalf("got %v, %v", allowed, err)
	}
	reply := model.Reply{Text: "<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"visit_url\", \"url\": \"a.b\"}}\n</tool_call>"}
	if _, err := own.Parse(reply, allowed); err == nil {
		t.Error("an action that the prompt does not offer was accepted")
	}
}

func TestIsPublishedComparesHashes(t *testing.T) {
	d := get(t, "fara-1.5")
	if d.IsPublished(d.System(picture(t, d))) {
		t.Error("our own words are taken for the published ones")
	}
	d.Published = []dialect.Published{{SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}}
	if !d.IsPublished("abc") || d.IsPublished("abd") {
		t.Error("the hash of abc is not recognised, or that of another text is")
	}
}

func TestFillAddsWhatTheFamilyLeavesOut(t *testing.T) {
	no := false
	for _, c := range []struct {
		dialect string
		call    model.Call
		want    bool
	}{
		{"fara-7b", model.Call{Action: "type"}, true},
		{"fara-7b", model.Call{Action: "type", PressEnter: &no}, false},
		{"fara-1.5", model.Call{Action: "type"}, false},
	} {
		got := get(t, c.dialect).Fill(c.call)
		if got.PressEnter == nil || *got.PressEnter != c.want {
			t.Errorf("%s %+v: got %v, want %v", c.dialect, c.call, got.PressEnter, c.want)
		}
	}
	if got := get(t, "fara-7b").Fill(model.Call{Action: "left_click"}); got.PressEnter != nil {
		t.Error("a click presses Enter")
	}
}
