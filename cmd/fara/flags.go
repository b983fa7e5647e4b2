package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"fara/agent"
	"fara/calibrate"
	"fara/dialect"
	"fara/policy"
	"fara/trajectory"
)

// modelFlags say which model is asked, and how.
type modelFlags struct {
	model, api, apiKey               string
	endpoints                        several
	endpointConfig                   files
	dialect, promptFile, calibration string
	constrain, tools                 bool
	// endpoint is the only server where there are no flags to resolve.
	endpoint string
	// servers are what the endpoints come to, once resolved.
	servers              []place
	numCtx               int
	temperature          float64
	seed                 int
	timeout, loadTimeout time.Duration

	measured *calibrate.File // what calibration says; nil without one
}

func (m *modelFlags) register(f *pflag.FlagSet) {
	f.StringVar(&m.model, "model", "", "the model's name on its server (default: the only one there)")
	m.endpoints = several{values: []string{defaultEndpoint}, kind: "address"}
	f.Var(&m.endpoints, "endpoint", "the model server's address (may be repeated: a run stays on one of several servers and moves on when it fails)")
	f.StringVar(&m.api, "api", "auto", "how the server is spoken to: auto, ollama or openai")
	f.StringVar(&m.apiKey, "api-key", "", "the server's key; better given as FARA_API_KEY")
	m.endpointConfig.kind = "file"
	f.Var(&m.endpointConfig, "endpoint-config", "a JSON `file` with model, base_url, api_key and api, or a list of such (may be repeated)")
	f.StringVar(&m.dialect, "dialect", "auto", "how the model speaks: auto, "+strings.Join(dialect.Names(), ", ")+", or a file of your own (fara prompt --as-file)")
	f.StringVar(&m.promptFile, "prompt-file", "", "a `file` with the system prompt to use in place of ours")
	f.IntVar(&m.numCtx, "num-ctx", 16384, "the model's context in tokens")
	f.Float64Var(&m.temperature, "temperature", 0, "0 is greedy decoding")
	f.IntVar(&m.seed, "seed", -1, "the `number` that sampling begins with, sent with every request (default: the server's own)")
	f.DurationVar(&m.timeout, "model-timeout", 0, "the longest wait for one reply (default: 2m)")
	f.DurationVar(&m.loadTimeout, "load-timeout", 0, "the longest wait for the first reply, for which the model may have to be loaded (default: 10m)")
	f.StringVar(&m.calibration, "calibration", "", "a `file` that fara calibrate saved: dialect and space of the model")
	f.BoolVar(&m.constrain, "constrain", false, "have the server hold every reply to the form of a call")
	f.BoolVar(&m.tools, "tools", false, "offer the actions as native tools instead of in the prompt's text")
}

// resolve reads --endpoint-config; flags that were given win over it.
func (m *modelFlags) resolve(f *pflag.FlagSet) error {
	if m.numCtx < 2048 {
		return usage("--num-ctx %d is too small for a picture and a prompt; give 2048 or more", m.numCtx)
	}
	if !(m.temperature >= 0 && m.temperature <= 10) {
		return usage("--temperature %g is out of range; use 0 to 10", m.temperature)
	}
	if m.seed < -1 {
		return usage("--seed %d is out of range; use 0 or more, or leave it out", m.seed)
	}
	if m.timeout < 0 {
		return usage("--model-timeout cannot be negative; leave it out for 2m")
	}
	if m.loadTimeout < 0 {
		return usage("--load-timeout cannot be negative; leave it out for 10m")
	}
	if m.constrain && m.tools {
		return usage("--constrain and --tools exclude each other: a native tool call is no text that could be held to a form")
	}
	if !isAPI(m.api) {
		return usage("--api %q is unknown; use auto, ollama or openai", m.api)
	}
	var err error
	if m.servers, err = m.places(f.Changed); err != nil {
		return err
	}
	m.apiKey = m.servers[0].key
	return nil
}

// seeded is the seed of every request; nil is none.
func (m *modelFlags) seeded() *int {
	if m.seed < 0 {
		return nil
	}
	return &m.seed
}

// runFlags say what a run is and how far it may go.
type runFlags struct {
	model   modelFlags
	browser browserFlags
	sites   siteFlags
	verify  verifyFlags
	watch   telemetryFlags
	control controlFlags
	secrets secretFlags
	rules   policy.Policy // what all of them come to

	task, url, out, searchURL, autoReply string
	maxSteps, maxTokens, maxImages       int
	maxCalls, maxFailures                int
	maxBadReplies, maxRejections         int
	deadline, captchaWait, answerLimit   time.Duration
	downloads, captcha, trim             string
	browserbase, fara7b, json            bool
	finalAnswer                          bool

	// given are the flags as they are kept with the run; kept are the contents of
	// the files that some of them name.
	given map[string][]string
	kept  map[string]string

	// run is the run's id, sample its place and seen who sees its events, where it is
	// one of a batch.
	run    string
	sample *trajectory.Sample
	seen   func(trajectory.Event)
}

func (r *runFlags) register(f *pflag.FlagSet) {
	r.model.register(f)
	r.browser.register(f)
	r.sites.register(f)
	r.verify.register(f)
	r.watch.register(f)
	r.control.register(f)
	r.secrets.register(f)
	f.StringVar(&r.url, "url", "", "the page to begin with")
	f.StringVar(&r.out, "out", "fara_runs", "the `folder` that gets a folder for each run")
	f.IntVar(&r.maxSteps, "max-steps", 100, "the most actions")
	f.BoolVar(&r.finalAnswer, "final-answer", false, "ask the model for the answer as far as it knows it when its steps are used up; the run ends as budget_exhausted all the same")
	f.DurationVar(&r.deadline, "deadline", 0, "the longest time for the whole run (default: none)")
	f.IntVar(&r.maxTokens, "max-tokens", 0, "the most tokens of all requests and replies (default: no limit)")
	f.IntVar(&r.maxCalls, "max-calls", 0, "the most requests to the model (default: no limit)")
	f.IntVar(&r.maxFailures, "max-failures", 5, "the most failed or refused actions in a row")
	f.IntVar(&r.maxBadReplies, "max-bad-replies", 3, "the most replies in a row that cannot be used")
	f.IntVar(&r.maxRejections, "max-rejections", 3, "the most answers that are rejected when they are checked")
	f.DurationVar(&r.answerLimit, "answer-limit", 0, "the longest wait for a person's answer or approval (default: no limit)")
	f.IntVar(&r.maxImages, "max-images", 3, "the most frames in one request")
	f.StringVar(&r.trim, "trim", "window", "which frames a request lets go of: window (always the newest, as the models were trained) or steady (in blocks, so that the server can reuse what it read)")
	f.StringVar(&r.searchURL, "search-url", agent.DefaultSearchURL, "the web search, %s standing for the words")
	f.StringVar(&r.autoReply, "auto-reply", "", "answers every question of the model with this `text`")
	f.StringVar(&r.captcha, "captcha", "end", "what a captcha leads to that a hosted browser does not solve in time: end or go-on")
	f.DurationVar(&r.captchaWait, "captcha-wait", time.Minute, "the longest wait for a hosted browser to solve a captcha (0: never wait)")
	f.BoolVar(&r.json, "json", false, "print one JSON object a line")

	// The flags of fara-cli, for those who come from there.
	// Those that only have another name are in aliases.
	f.StringVar(&r.task, "task", "", "")
	f.StringVar(&r.downloads, "downloads-folder", "", "")
	f.Bool("save-screenshots", true, "") // they always are
	f.BoolVar(&r.browserbase, "browserbase", false, "")
	f.BoolVar(&r.fara7b, "fara-7b", false, "")
	for _, name := range []string{"task", "downloads-folder", "save-screenshots", "browserbase", "fara-7b"} {
		f.Lookup(name).Hidden = true
	}
}

// lines is where JSON lines go; nil when none were asked for.
func (r *runFlags) lines(w io.Writer) io.Writer {
	if r.json {
		return w
	}
	return nil
}

// resolve checks what was given and puts it together.
func (r *runFlags) resolve(f *pflag.FlagSet, args []string) error {
	r.given = settings(f)
	if len(args) == 1 {
		if given(f, "task") {
			return usage("the task is given twice, as an argument and as --task")
		}
		r.task = args[0]
	}
	if r.task = strings.TrimSpace(r.task); r.task == "" {
		return usage(`the task is empty; say what to do, as in: fara run "Find the opening hours" --url example.com`)
	}
	if r.browserbase {
		return usage("--browserbase is not built in; start the session there and give its address with --cdp")
	}
	if r.downloads != "" && !f.Changed("out") {
		r.out = r.downloads
	}
	if r.captcha != "end" && r.captcha != "go-on" {
		return usage("--captcha %q is unknown; use end or go-on", r.captcha)
	}
	if r.trim != "window" && r.trim != "steady" {
		return usage("--trim %q is unknown; use window or steady", r.trim)
	}
	if r.captchaWait < 0 {
		return usage("--captcha-wait cannot be negative; 0 never waits")
	}
	if r.fara7b && !f.Changed("dialect") {
		r.model.dialect = "fara-7b"
	}
	if err := r.checkBudgets(); err != nil {
		return err
	}
	if strings.Count(r.searchURL, "%s") != 1 || !strings.HasPrefix(r.searchURL, "http://") && !strings.HasPrefix(r.searchURL, "https://") {
		return usage("--search-url %q needs the address of a search with one %%s where the words go", r.searchURL)
	}
	if err := r.checkURL(); err != nil {
		return err
	}
	if text, ok := r.kept["policy"]; ok {
		r.sites.rules.text = []byte(text)
	}
	if err := r.setRules(f.Changed("search-url")); err != nil {
		return err
	}
	if err := r.verify.check(r.kept); err != nil {
		return err
	}
	if err := r.browser.check(); err != nil {
		return err
	}
	if err := r.model.resolve(f); err != nil {
		return err
	}
	return r.model.calibrated()
}

// checkBudgets finds what bounds nothing, or everything.
func (r *runFlags) checkBudgets() error {
	for _, least := range []struct {
		name  string
		value int
	}{
		{"max-steps", r.maxSteps}, {"max-images", r.maxImages}, {"max-failures", r.maxFailures},
		{"max-bad-replies", r.maxBadReplies}, {"max-rejections", r.maxRejections},
	} {
		if least.value < 1 {
			return usage("--%s %d is too small; it takes 1 or more", least.name, least.value)
		}
	}
	if r.maxTokens < 0 || r.maxCalls < 0 || r.deadline < 0 || r.answerLimit < 0 {
		return usage("--max-tokens, --max-calls, --deadline and --answer-limit cannot be negative; leave them out for no limit")
	}
	return nil
}

// why is what was wrong with an address, without the address: it may hold a
// password.
func why(err error) string {
	var parse *url.Error
	if errors.As(err, &parse) {
		return parse.Err.Error()
	}
	return err.Error()
}

// setRules puts together what the run may do. A search that the user did not
// choose may be denied.
func (r *runFlags) setRules(searchChosen bool) error {
	var given []string
	if r.url != "" {
		given = append(given, r.url)
	}
	trusted := append(slices.Clone(given), r.searchURL)
	if searchChosen {
		given = trusted
	}
	var err error
	r.rules, err = r.sites.policy(given, trusted)
	return err
}

func (r *runFlags) checkURL() error {
	if r.url == "" {
		return nil
	}
	r.url = agent.Absolute(strings.TrimSpace(r.url))
	u, err := url.Parse(r.url)
	switch {
	case err != nil:
	case slices.Contains([]string{"http", "https"}, strings.ToLower(u.Scheme)) && u.Host == "":
		err = errors.New("it names no host")
	case !slices.Contains([]string{"http", "https", "file", "about", "data"}, strings.ToLower(u.Scheme)):
		err = fmt.Errorf("nothing that begins with %s: is a page", u.Scheme)
	}
	if err != nil {
		return usage("--url is no address: %s; write it as https://host/path", why(err))
	}
	return nil
}
