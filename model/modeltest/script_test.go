package modeltest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fara/model"
	"fara/model/modeltest"
)

func ask(text string) model.Request {
	return model.Request{Messages: []model.Message{{Role: model.User, Text: text}}}
}

func TestScriptAnswersInOrderAndThenSaysItIsOver(t *testing.T) {
	boom := &model.Error{Kind: model.ErrServer}
	script := modeltest.NewScript(modeltest.Text("one"), modeltest.Fail(boom),
		func(_ context.Context, req model.Request) (model.Reply, error) {
			return model.Reply{Text: "echo " + req.Messages[0].Text}, nil
		})

	if reply, err := script.Chat(t.Context(), ask("a"), nil); err != nil || reply.Text != "one" {
		t.Errorf("first: got %q, %v, want one", reply.Text, err)
	}
	if _, err := script.Chat(t.Context(), ask("b"), nil); !errors.Is(err, model.ErrServer) {
		t.Errorf("second: got %v, want the scripted error", err)
	}
	if reply, err := script.Chat(t.Context(), ask("c"), nil); err != nil || reply.Text != "echo c" {
		t.Errorf("third: got %q, %v, want echo c", reply.Text, err)
	}
	_, err := script.Chat(t.Context(), ask("d"), nil)
	if !errors.Is(err, model.ErrBadRequest) || model.Temporary(err) {
		t.Errorf("beyond the end: got %v, want a lasting ErrBadRequest", err)
	}
	if got := len(script.Requests()); got != 4 {
		t.Errorf("remembered %d requests, want 4", got)
	}
}

func TestEndlessScriptRepeatsItsLastAnswer(t *testing.T) {
	script := modeltest.NewEndlessScript(modeltest.Text("one"), modeltest.Text("two"))
	var got []string
	for range 4 {
		reply, err := script.Chat(t.Context(), ask("x"), nil)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, reply.Text)
	}
	if want := "one two two two"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestScriptRemembersDeepCopies(t *testing.T) {
	script := modeltest.NewScript(modeltest.Text("ok"))
	seed := 7
	req := model.Request{
		Messages: []model.Message{{Role: model.User, Images: []model.Image{{Data: []byte("abc")}}}},
		Seed:     &seed, Stop: []string{"x"}, Schema: []byte(`{}`),
	}
	if _, err := script.Chat(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	req.Messages[0].Images[0].Data[0], *req.Seed, req.Stop[0], req.Schema[0] = 'X', 8, "y", '!'

	got := script.Requests()[0]
	if string(got.Messages[0].Images[0].Data) != "abc" || *got.Seed != 7 || got.Stop[0] != "x" || string(got.Schema) != "{}" {
		t.Errorf("got %+v, want the request as it was sent", got)
	}
	got.Messages[0].Images[0].Data[0] = 'Y'
	if again := script.Requests()[0]; string(again.Messages[0].Images[0].Data) != "abc" {
		t.Errorf("got %q, want a copy that readers cannot change", again.Messages[0].Images[0].Data)
	}
}

func TestScriptStopsWhereUntilSaysSo(t *testing.T) {
	script := modeltest.NewScript(modeltest.Text("thought</tool_call>and rubbish for ever"))
	asked := 0
	reply, err := script.Chat(t.Context(), ask("x"), func(text string) bool {
		asked++
		return strings.Contains(text, "</tool_call>")
	})
	if err != nil {
		t.Fatal(err)
	}
	if reply.Finish != model.FinishUntil || strings.Contains(reply.Text, "for ever") || !strings.HasPrefix(reply.Text, "thought</tool_call>") {
		t.Errorf("got %q (%s), want the text up to the call, finish until", reply.Text, reply.Finish)
	}
	if reply.Usage != (model.Usage{}) {
		t.Errorf("got usage %+v, want none from a stream that was closed", reply.Usage)
	}
	if asked < 4 {
		t.Errorf("until was asked %d times, want small pieces", asked)
	}
}

func TestScriptHonoursItsContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	script := modeltest.NewEndlessScript(modeltest.Hang())
	done := make(chan error, 1)
	go func() {
		_, err := script.Chat(ctx, ask("x"), nil)
		done <- err
	}()
	cancel(cause)
	if err := <-done; !errors.Is(err, cause) {
		t.Errorf("got %v, want the context's cause", err)
	}
	if _, err := script.Chat(ctx, ask("x"), nil); !errors.Is(err, cause) {
		t.Errorf("with an ended context: got %v, want its cause", err)
	}
}

func TestScriptCountsTokensUnlessTold(t *testing.T) {
	script := modeltest.NewScript(modeltest.Text("12345"),
		modeltest.Say(model.Reply{Text: "x", Usage: model.Usage{PromptTokens: 99}}))
	first, err := script.Chat(t.Context(), ask("abcdefgh"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (model.Usage{PromptTokens: 3, CompletionTokens: 2}); first.Usage != want {
		t.Errorf("got %+v, want %+v", first.Usage, want)
	}
	second, err := script.Chat(t.Context(), ask("abcdefgh"), nil)
	if err != nil || second.Usage.PromptTokens != 99 {
		t.Errorf("got %+v, %v, want the usage as given", second.Usage, err)
	}
}
