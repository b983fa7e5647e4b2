package telemetry

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"fara/model"
	"fara/trajectory"
)

// Metrics are counts of all runs of a process, for Prometheus. Several goroutines
// may use it.
type Metrics struct {
	registry *prometheus.Registry

	runs       prometheus.Gauge
	steps      prometheus.Counter
	actions    *prometheus.CounterVec
	tokens     *prometheus.CounterVec
	latency    *prometheus.HistogramVec
	retries    prometheus.Counter
	badReplies *prometheus.CounterVec
	asked      *prometheus.CounterVec
	approvals  *prometheus.CounterVec
	verdicts   *prometheus.CounterVec
	warnings   *prometheus.CounterVec
	endings    *prometheus.CounterVec
}

// latencies are the buckets of a model's latency, in seconds: from a small model
// with all in its cache to a large one on a CPU.
var latencies = []float64{0.25, 0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60, 120, 300, 600}

// NewMetrics gives metrics in which nothing has happened.
func NewMetrics() *Metrics {
	count := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		runs:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "fara_runs_active", Help: "Runs under way."}),
		steps:    prometheus.NewCounter(prometheus.CounterOpts{Name: "fara_steps_total", Help: "Turns of the model that came to an action."}),
		actions:  count("fara_actions_total", "Actions by kind and by what came of them: done, failed or refused.", "action", "result"),
		tokens:   count("fara_model_tokens_total", "Tokens as the servers count them: input and output.", "direction"),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "fara_model_latency_seconds", Help: "Time for one reply of the model, by what it was asked for.", Buckets: latencies,
		}, []string{"purpose"}),
		retries:    prometheus.NewCounter(prometheus.CounterOpts{Name: "fara_model_retries_total", Help: "Failed attempts before a reply."}),
		badReplies: count("fara_bad_replies_total", "Replies that could not be used, by why.", "reason"),
		asked:      count("fara_asked_total", "Times a person was waited for, by what for: answer, approval or captcha.", "what"),
		approvals:  count("fara_approvals_total", "Decisions about actions that waited for approval: yes, no, site or expired.", "choice"),
		verdicts:   count("fara_verdicts_total", "Verdicts on answers, by verifier: accepted, rejected or unsure.", "by", "verdict"),
		warnings:   count("fara_warnings_total", "What the runtime noticed and told the model, by code.", "code"),
		endings:    count("fara_runs_ended_total", "Runs by how they ended.", "status", "reason"),
	}
	m.registry.MustRegister(m.runs, m.steps, m.actions, m.tokens, m.latency, m.retries, m.badReplies,
		m.asked, m.approvals, m.verdicts, m.warnings, m.endings,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler answers scrapes.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Run gives what takes the events of one run, in one goroutine. A run without an
// ending stays active.
func (m *Metrics) Run() func(trajectory.Event) { return (&counting{m: m}).event }

// counting is one run's part in the metrics.
type counting struct {
	m       *Metrics
	begun   bool
	action  string // what was proposed and nothing came of yet
	pending *trajectory.Asked
}

func (c *counting) event(e trajectory.Event) {
	if !c.begun {
		c.begun = true
		c.m.runs.Inc()
	}
	switch e.Kind {
	case trajectory.KindProposed:
		c.proposed(e.Proposed)
	case trajectory.KindDecided:
		if !e.Decided.Allowed {
			c.came("refused")
		}
	case trajectory.KindActing:
		c.action = string(e.Acting.Action.Kind)
	case trajectory.KindActed:
		c.acted(e.Acted)
	case trajectory.KindAsked:
		c.pending = e.Asked
		c.m.asked.WithLabelValues(waitsFor(e.Asked)).Inc()
	case trajectory.KindReplied:
		if c.pending != nil && c.pending.Approval != nil {
			c.m.approvals.WithLabelValues(string(e.Replied.Choice)).Inc()
		}
		c.pending = nil
	case trajectory.KindVerdict:
		c.verdict(e.Verdict)
	case trajectory.KindWarned:
		c.m.warnings.WithLabelValues(e.Warned.Code).Inc()
	case trajectory.KindEnded:
		c.m.runs.Dec()
		c.m.endings.WithLabelValues(string(e.Ended.Status), e.Ended.Reason).Inc()
	}
}

func (c *counting) proposed(p *trajectory.Proposed) {
	c.asked("step", p.Usage, p.Latency)
	switch {
	case p.Truncated != "":
		c.m.badReplies.WithLabelValues("truncated").Inc()
	case p.Problem != nil:
		c.m.badReplies.WithLabelValues(p.Problem.Reason).Inc()
	case p.Call != nil:
		c.m.steps.Inc()
		c.action = p.Call.Action
	}
}

// asked counts a reply of the model.
func (c *counting) asked(purpose string, u model.Usage, took time.Duration) {
	c.m.tokens.WithLabelValues("input").Add(float64(u.PromptTokens))
	c.m.tokens.WithLabelValues("output").Add(float64(u.CompletionTokens))
	c.m.retries.Add(float64(u.Retries))
	c.m.latency.WithLabelValues(purpose).Observe(took.Seconds())
}

func (c *counting) acted(a *trajectory.Acted) {
	if r := a.Read; r != nil && r.Request != "" {
		c.asked("page", r.Usage, r.Latency)
	}
	if a.Error != nil {
		c.came("failed")
		return
	}
	c.came("done")
}

// came counts what came of an action. A page that was refused without one, such
// as by a redirect, counts as an action of its own.
func (c *counting) came(result string) {
	action := c.action
	if !known[action] {
		action = "page"
	}
	c.action = ""
	c.m.actions.WithLabelValues(action, result).Inc()
}

func (c *counting) verdict(v *trajectory.Verdict) {
	if v.Request != "" {
		c.asked("judge", v.Usage, v.Latency)
	}
	how := "rejected"
	switch {
	case v.Accepted:
		how = "accepted"
	case v.Unsure:
		how = "unsure"
	}
	c.m.verdicts.WithLabelValues(v.By, how).Inc()
}
