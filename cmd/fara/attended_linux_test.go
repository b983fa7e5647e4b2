package main

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fara/model"
	"fara/model/modeltest"
	"fara/scripts/commandtest"
	"fara/trajectory"
)

const (
	order  = `{"action": "left_click", "coordinate": [500, 500]}`
	finish = `{"action": "terminate", "answer": "done"}`
)

// only reads the one run below out.
func only(t *testing.T, out string) *trajectory.Run {
	t.Helper()
	dirs, _ := filepath.Glob(filepath.Join(out, "*"))
	if len(dirs) != 1 {
		t.Fatalf("got runs %v", dirs)
	}
	run, err := trajectory.Read(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// kinds are the events of a kind.
func kinds(run *trajectory.Run, kind trajectory.Kind) (found []trajectory.Event) {
	for _, e := range run.Events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

func TestPersonAtTheTerminalDecidesAboutOneAction(t *testing.T) {
	needBrowser(t)
	for _, c := range []struct {
		says string
		code string // of the decision
		url  string // where the browser ends up
	}{
		{"yes", "approved", "/done?id=4711"},
		{"no", "approval_declined", "/"},
	} {
		person, desk := terminalPair(t)
		srv := serveModel(t, modeltest.Config{}, modeltest.NewScript(tool("I order.", order), tool("It is done.", finish)))
		out := t.TempDir()
		p := start(t, desk, "run", "Order tea.", "--url", teaShop(t), "--endpoint", srv.URL(), "--out", out)
		commandtest.Eventually(t, 30*time.Second, "the action is shown", func() bool {
			said := p.Complained.String()
			return strings.Contains(said, "May this be done?") && strings.Contains(said, `button "Order"`) && strings.Contains(said, "/order")
		})
		if n := len(kinds(only(t, out), trajectory.KindActing)); n != 1 {
			t.Errorf("%d actions were begun before anybody decided, want the first page alone", n)
		}
		for _, line := range []string{"perhaps\n", c.says + "\n"} {
			if _, err := person.WriteString(line); err != nil {
				t.Fatal(err)
			}
		}
		if code := p.Ends(t, 30*time.Second); code != exitSuccess {
			t.Fatalf("%s: exit code %d: %s", c.says, code, p.Complained.String())
		}
		if !strings.Contains(p.Complained.String(), "Please answer yes, no, or site") {
			t.Error("an answer that is none was taken for one")
		}
		run := only(t, out)
		decided, seen := kinds(run, trajectory.KindDecided), kinds(run, trajectory.KindObserved)
		if d := decided[len(decided)-1].Decided; d.Code != c.code || d.By != trajectory.Person || d.Hit == nil || d.Hit.Name != "Order" {
			t.Errorf("%s: decided %+v", c.says, d)
		}
		if url := seen[len(seen)-1].Observed.URL; !strings.HasSuffix(url, c.url) {
			t.Errorf("%s: the browser ends up at %s", c.says, url)
		}
	}
}

func TestSignalsPauseAndResumeARun(t *testing.T) {
	needBrowser(t)
	running := make(chan *process, 1)
	paused := make(chan struct{})
	out := t.TempDir()
	brain := modeltest.NewScript(func(ctx context.Context, req model.Request) (model.Reply, error) {
		if err := (<-running).Process.Signal(syscall.SIGUSR1); err != nil {
			return model.Reply{}, err
		}
		<-paused
		return tool("I click.", order)(ctx, req)
	}, tool("It is done.", finish))
	srv := serveModel(t, modeltest.Config{}, brain)
	p := start(t, nil, "run", "x", "--url", site(t, "hello"), "--endpoint", srv.URL(), "--out", out)
	running <- p
	commandtest.Eventually(t, 30*time.Second, "the model is asked", func() bool { return len(running) == 0 })
	close(paused)
	commandtest.Eventually(t, 30*time.Second, "the run holds still", func() bool { return len(kinds(only(t, out), trajectory.KindPaused)) == 1 })
	if n := len(srv.Requests()); n != 1 {
		t.Errorf("the model was asked %d times though the run holds still", n)
	}
	if err := p.Process.Signal(syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	if code := p.Ends(t, 30*time.Second); code != exitSuccess {
		t.Fatalf("exit code %d: %s", code, p.Complained.String())
	}
	run := only(t, out)
	if resumed := kinds(run, trajectory.KindResumed); len(resumed) != 1 || !resumed[0].Resumed.Hands {
		t.Errorf("on record: %+v", resumed)
	}
	if n := len(kinds(run, trajectory.KindActing)); n != 1 {
		t.Errorf("%d actions were begun, want the first page alone: the click was for a page from before the pause", n)
	}
}

func TestCaptchasAreAskedOfPeopleWhoSeeTheBrowser(t *testing.T) {
	asked := trajectory.Asked{Question: "hCaptcha wants a person", Captcha: "hCaptcha"}
	yes := &says{text: "yes"}
	if reply, err := (blindfolded{yes}).Ask(t.Context(), asked); err == nil {
		t.Errorf("somebody who does not see the browser says %+v", reply)
	}
	if reply, err := (blindfolded{yes}).Ask(t.Context(), trajectory.Asked{Question: "Which?"}); err != nil || reply.Text != "yes" {
		t.Errorf("a question: got %+v, %v", reply, err)
	}
}
