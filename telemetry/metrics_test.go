package telemetry_test

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"fara/env"
	"fara/telemetry"
	"fara/trajectory"
)

// scrape gives what a scraper gets.
func scrape(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("got %s, %v", resp.Status, err)
	}
	return string(body)
}

func serve(t *testing.T, m *telemetry.Metrics) string {
	t.Helper()
	s, err := telemetry.Serve("0", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s.Address
}

func TestScrapesCountWhatHappened(t *testing.T) {
	m := telemetry.NewMetrics()
	take := m.Run()
	for _, e := range whole() {
		take(e)
	}
	var redirect story // a page that was not to be shown, without an action
	redirect.observed(1)
	redirect.decided(1, trajectory.Decided{Code: "site_denied"})
	redirect.acted(1, env.HistoryBack, nil)
	redirect.asked(1, trajectory.Asked{Captcha: "hCaptcha"})
	redirect.ended(1, trajectory.Blocked, "captcha")
	take = m.Run()
	for _, e := range redirect.events {
		take(e)
	}
	var under story
	under.observed(1)
	m.Run()(under.events[0])
	got := scrape(t, serve(t, m))
	for _, want := range []string{
		"fara_runs_active 1",
		"fara_steps_total 5",
		`fara_actions_total{action="visit_url",result="done"} 1`,
		`fara_actions_total{action="left_click",result="done"} 1`,
		`fara_actions_total{action="left_click",result="refused"} 1`,
		`fara_actions_total{action="type",result="failed"} 1`,
		`fara_actions_total{action="read_page_answer_question",result="done"} 1`,
		`fara_actions_total{action="page",result="refused"} 1`,
		`fara_actions_total{action="history_back",result="done"} 1`,
		`fara_model_tokens_total{direction="input"} 6300`,
		`fara_model_tokens_total{direction="output"} 150`,
		`fara_model_latency_seconds_count{purpose="step"} 6`,
		`fara_model_latency_seconds_sum{purpose="step"} 3`,
		`fara_model_latency_seconds_bucket{purpose="page",le="0.25"} 1`,
		`fara_model_retries_total 6`,
		`fara_bad_replies_total{reason="no_call"} 1`,
		`fara_asked_total{what="approval"} 1`,
		`fara_asked_total{what="captcha"} 1`,
		`fara_approvals_total{choice="no"} 1`,
		`fara_verdicts_total{by="assertions",verdict="accepted"} 1`,
		`fara_warnings_total{code="cycle"} 1`,
		`fara_runs_ended_total{reason="terminate",status="success"} 1`,
		`fara_runs_ended_total{reason="captcha",status="blocked"} 1`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("the scrape lacks %q", want)
		}
	}
	if strings.Contains(got, canary) {
		t.Error("words of the run are in the metrics")
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestMetricsAreServedOnThisMachineUnlessAnotherHostIsNamed(t *testing.T) {
	m := telemetry.NewMetrics()
	for address, host := range map[string]string{"0": "127.0.0.1", ":0": "127.0.0.1", "localhost:0": "127.0.0.1", "0.0.0.0:0": "0.0.0.0"} {
		s, err := telemetry.Serve(address, m)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if got, _, _ := net.SplitHostPort(s.Address); got != host && !net.ParseIP(got).IsUnspecified() || host == "127.0.0.1" && !net.ParseIP(got).IsLoopback() {
			t.Errorf("%s: got %s, want %s", address, got, host)
		}
		s.Close()
	}
	taken := serve(t, m)
	for _, address := range []string{"", "nine", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:-1", taken} {
		if s, err := telemetry.Serve(address, m); err == nil {
			s.Close()
			t.Errorf("%q was taken for an address", address)
		}
	}
}

func TestClosedServerLeavesNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := telemetry.Serve("0", telemetry.NewMetrics())
	if err != nil {
		t.Fatal(err)
	}
	scrape(t, s.Address)
	s.Close()
	if _, err := net.Dial("tcp", s.Address); err == nil {
		t.Error("it still listens")
	}
	http.DefaultClient.CloseIdleConnections()
	unleaked(t, before)
}
