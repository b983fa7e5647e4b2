package main

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"fara/model"
	"fara/trajectory"
)

func TestNoByteHoldsASecretAfterAKillAndResuming(t *testing.T) {
	needBrowser(t)
	t.Setenv("CANARY_PW", canaryPassword)
	t.Setenv("CANARY_SEED", canarySeed)
	c := newCanary(t, canaryPassword)
	reached := make(chan struct{})
	endpoint := c.model(t,
		typing("<secret>PW</secret>", "270"),
		typing("<secret>OTP</secret>", "490"),
		clicking("700", "710"), // logs in
		func(ctx context.Context, _ model.Request) (model.Reply, error) {
			close(reached)
			<-ctx.Done()
			return model.Reply{}, context.Cause(ctx)
		},
		tool("Again.", `{"action": "visit_url", "url": "`+c.bank+`/"}`),
		typing("<secret>PW</secret>", "270"),
		clicking("700", "710"),
		tool("Done.", `{"action": "terminate", "answer": "in"}`),
	)
	out := t.TempDir()
	p := start(t, nil, "run", "Log in.", "--url", c.bank, "--endpoint", endpoint, "--approve", "never",
		"--secret", "PW=env:CANARY_PW@"+c.host, "--secret", "OTP=totp:env:CANARY_SEED@"+c.host, "--out", out)
	select {
	case <-reached:
	case <-time.After(time.Minute):
		t.Fatalf("the run got nowhere: %s", p.Complained.String())
	}
	if err := p.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.Ends(t, 10*time.Second)
	dirs, _ := filepath.Glob(filepath.Join(out, "*"))
	if len(dirs) != 1 || c.landed != 1 {
		t.Fatalf("got runs %v, %d logins", dirs, c.landed)
	}
	if _, err := os.Stat(filepath.Join(dirs[0], "state.json")); err != nil {
		t.Errorf("nothing is kept to go on with: %v", err)
	}
	c.nowhere(t, "what was said", []byte(p.Printed.String()+p.Complained.String()))
	c.searchRun(t, dirs[0])

	// Without the variables it says what is missing, and leaves the run as it is.
	call{args: []string{"resume", dirs[0]}, env: map[string]string{"CANARY_SEED": canarySeed}}.run(t).
		oneLine(t, exitUsage, "PW (from env:CANARY_PW@"+c.host, "empty or not set", "--secret")
	if run, err := trajectory.Read(dirs[0]); err != nil || run.Result != nil || run.Events[len(run.Events)-1].Resumed != nil {
		t.Errorf("the refused resume changed the run: %v", err)
	}
	// With them nothing has to be given again.
	p = start(t, nil, "resume", dirs[0])
	if code := p.Ends(t, 2*time.Minute); code != exitSuccess {
		t.Fatalf("exit code %d: %s%s", code, p.Printed.String(), p.Complained.String())
	}
	if c.landed != 2 {
		t.Errorf("got %d logins with the right password, want one more", c.landed)
	}
	c.nowhere(t, "what was said", []byte(p.Printed.String()+p.Complained.String()))
	c.nowhere(t, "what others were told", c.told.Bytes())
	if frames := c.searchRun(t, dirs[0]); frames < 4 {
		t.Errorf("got %d frames of the bank", frames)
	}
}
