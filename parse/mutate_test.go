package parse_test

import (
	"reflect"
	"strings"
	"testing"

	"fara/model"
	"fara/parse"
)

// intact are well-formed replies of every form. What stands between « and » is
// content, such as a text, a number or the name of an action: changed, it means
// something else. All the rest is structure.
var intact = []struct {
	form  parse.Form
	reply string
}{
	{parse.Tagged, "«I click it.»\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"«left_click»\", \"coordinate\": [«412», «233»]}}\n</tool_call>"},
	{parse.Tagged, "<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"«type»\", \"text\": \"«it's {a} (b)»\", \"press_enter\": «false», \"delete_existing_text\": «true», \"coordinate\": [«5.5», «-6»]}}\n</tool_call>"},
	{parse.Tagged, "<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"«key»\", \"keys\": [\"«ctrl»\", \"«a»\"]}}\n</tool_call>"},
	{parse.Tagged, "<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"«scroll»\", \"pixels\": «-300», \"coordinate\": [«10», «20»]}}\n</tool_call>"},
	{parse.Tagged, "<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"«left_click_drag»\", \"start\": [«1», «2»], \"coordinate\": [«30», «40»]}}\n</tool_call>"},
	{parse.Tagged, "<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"«terminate»\", \"status\": \"«success»\", \"answer\": \"«It costs 5, not {6}.»\"}}\n</tool_call>"},
	{parse.Tagged, "<tool_call>\n{\"name\": \"«wait»\", \"arguments\": {\"time\": «2»}}\n</tool_call>"},
	{parse.Tagged, "<think>\n«Where?»\n</think>\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"«web_search»\", \"query\": \"«shoes»\"}}\n</tool_call>"},
	{parse.Tagged, "<tool_call>\n<function=computer_use>\n<parameter=action>\n«left_click»\n</parameter>\n<parameter=coordinate>\n[«412», «233»]\n</parameter>\n</function>\n</tool_call>"},
	{parse.Tagged, "<tool_call>\n<function=computer_use>\n<parameter=action>«type»</parameter>\n<parameter=text>«a < b, " + "\"c\"»</parameter>\n<parameter=press_enter>«false»</parameter>\n</function>\n</tool_call>"},
	{parse.Text, "Thought: «I click it.»\nAction: «click»(start_box='<|box_start|>(«412»,«233»)<|box_end|>')"},
	{parse.Text, "Thought: «I click it.»\nAction: «left_double»(point='<point>«412» «233»</point>')"},
	{parse.Text, "Thought: «I click it.»\nAction: «right_single»(start_box='[«10»,«20»,«30»,«40»]')"},
	{parse.Text, "Action: «drag»(start_box='(«1»,«2»)', end_box='(«30»,«40»)')"},
	{parse.Text, "Thought: «I type.»\nAction: «type»(content='«it\\'s \"done\" (a), b={c}\\n»')"},
	{parse.Text, "Action: «type»(content='«hello»')"},
	{parse.Text, "Action: «hotkey»(key='«ctrl c»')"},
	{parse.Text, "Action: «scroll»(start_box='(«1»,«2»)', direction='«down»')"},
	{parse.Text, "Action: «wait»(time=«5»)"},
	{parse.Text, "Thought: «Done.»\nAction: «finished»(content='«It costs 5, (not 6).»')"},
	{parse.Text, "Reflection: «So.»\nThought: «Go.»\nAction: «navigate»(content='«https://a.b/?c=d#e»')"},
	{parse.Object, "{\"thoughts\": \"«I click it.»\", \"action\": \"«left_click»\", \"coordinate\": [«412», «233»]}"},
	{parse.Object, "{\"thoughts\": \"«I type.»\", \"action\": \"«type»\", \"text\": \"«it's»\", \"press_enter\": «false», \"coordinate\": [«1», «2»]}"},
	{parse.Object, "{\"thoughts\": \"«So.»\", \"name\": \"computer_use\", \"arguments\": {\"action\": \"«type»\", \"text\": \"«a»\", \"press_enter\": «true»}}"},
	{parse.Object, "{\"action\": \"«terminate»\", \"answer\": \"«42»\", \"status\": \"«failure»\", \"thoughts\": \"«Over.»\"}"},
	{parse.Object, "{\"action\": \"«left_click_drag»\", \"start\": [«1», «2»], \"coordinate\": [«30», «40»]}"},
}

// structural gives a reply without its marks and, for each byte, whether it is
// structure.
func structural(marked string) (reply string, is []bool) {
	var b strings.Builder
	content := false
	for _, c := range marked {
		if c == '«' || c == '»' {
			content = c == '«'
			continue
		}
		b.WriteRune(c)
		for range len(string(c)) {
			is = append(is, !content)
		}
	}
	return b.String(), is
}

// judge holds a damaged reply to the promise: the intact one's call, or an error.
func judge(t *testing.T, form parse.Form, reply, damaged, how string, want model.Call) {
	t.Helper()
	for _, finish := range []model.Finish{model.FinishStop, model.FinishLength} {
		got, err := parse.Parts(damaged, "", parse.Schema{Form: form, Finish: finish})
		if err == nil && !reflect.DeepEqual(got.Call, want) {
			t.Errorf("%s, finish %q:\n%q became\n%q and gave %s, want %s or an error", how, finish, reply, damaged, show(got.Call), show(want))
		}
	}
}

// forEachIntact gives every intact reply with its call.
func forEachIntact(t *testing.T, visit func(form parse.Form, reply string, is []bool, want model.Call)) {
	t.Helper()
	for _, i := range intact {
		reply, is := structural(i.reply)
		got, err := parse.Parts(reply, "", parse.Schema{Form: i.form, Finish: model.FinishStop})
		if err != nil {
			t.Fatalf("%q: %v", reply, err)
		}
		visit(i.form, reply, is, got.Call)
	}
}

func TestDamagedStructureGivesTheSameCallOrAnError(t *testing.T) {
	inserted := strings.Split("{ } [ ] ( ) < > , : = \" ' ` ; /", " ")
	inserted = append(inserted, " ", "\n", "\t", "</tool_call>", "<tool_call>", "<think>", "</think>", "```", "{}", "null", "\ufeff", "，", "“")
	forEachIntact(t, func(form parse.Form, reply string, is []bool, want model.Call) {
		for i := range is {
			if is[i] {
				judge(t, form, reply, reply[:i]+reply[i+1:], "deleted", want)
				judge(t, form, reply, reply[:i]+reply[i:i+1]+reply[i:], "doubled", want)
				if i+1 < len(is) && is[i+1] && !strings.ContainsAny(reply[i:i+2], "\"'") {
					judge(t, form, reply, reply[:i]+reply[i+1:i+2]+reply[i:i+1]+reply[i+2:], "swapped", want)
				}
			}
			if is[i] && (i == 0 || is[i-1]) {
				for _, piece := range inserted {
					judge(t, form, reply, reply[:i]+piece+reply[i:], "inserted "+piece, want)
				}
			}
		}
	})
}

func TestCutReplyOfAnyFormGivesTheSameCallOrAnError(t *testing.T) {
	forEachIntact(t, func(form parse.Form, reply string, _ []bool, want model.Call) {
		for n := range reply {
			for _, finish := range []model.Finish{"", model.FinishUntil, model.FinishLength} {
				got, err := parse.Parts(reply[:n], "", parse.Schema{Form: form, Finish: finish})
				if err == nil && !reflect.DeepEqual(got.Call, want) {
					t.Errorf("%q cut to %q, finish %q: got %s, want %s or an error", reply, reply[:n], finish, show(got.Call), show(want))
				}
			}
		}
	})
}
