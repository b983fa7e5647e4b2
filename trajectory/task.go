package trajectory

import (
	"encoding/json"
	"time"

	"fara/env"
)

// Task is what was asked, with every setting that shaped the run. It holds no
// key and no secret.
type Task struct {
	Version int    `json:"version"`
	Run     string `json:"run"`
	Task    string `json:"task"`
	URL     string `json:"url,omitempty"`

	Fara     string `json:"fara_version"`
	Dialect  string `json:"dialect"`
	Model    string `json:"model"`
	API      string `json:"api"`
	Endpoint string `json:"endpoint"`
	// PromptFile is the file a system prompt was taken from; empty is our own.
	PromptFile string `json:"prompt_file,omitempty"`

	MaxSteps  int           `json:"max_steps"`
	Deadline  time.Duration `json:"deadline_ns,omitempty"`
	MaxTokens int           `json:"max_tokens,omitempty"`
	MaxImages int           `json:"max_images"`
	NumCtx    int           `json:"num_ctx,omitempty"`
	// Trim is window or steady; Replies is text, constrained or tools.
	Trim    string `json:"trim,omitempty"`
	Replies string `json:"replies,omitempty"`
	// Endpoints are the servers when there are several.
	Endpoints []string `json:"endpoints,omitempty"`
	// Calibration is the file that dialect and space were taken from.
	Calibration string  `json:"calibration,omitempty"`
	Temperature float64 `json:"temperature"`
	Seed        *int    `json:"seed,omitempty"`
	// Viewport is in CSS pixels, Scale is device pixels for one of them; 0 is the
	// own scale of a browser that was attached to.
	Viewport    env.Size `json:"viewport"`
	Scale       float64  `json:"scale"`
	FrameFormat string   `json:"frame_format"`
	SearchURL   string   `json:"search_url"`
	AutoReply   string   `json:"auto_reply,omitempty"`
	Browser     string   `json:"browser"`
	// Uploads are the files that pages may be given.
	Uploads []string `json:"uploads,omitempty"`
	// AllowSites and DenySites are the sites that could and could not be opened,
	// PrivateNetwork says that the local network could be. Proxy is the proxy that
	// was given, without a password.
	AllowSites     []string `json:"allow_sites,omitempty"`
	DenySites      []string `json:"deny_sites,omitempty"`
	PrivateNetwork bool     `json:"private_network,omitempty"`
	Proxy          string   `json:"proxy,omitempty"`
	// Dialogs is how questions of pages were answered: policy, accept or dismiss; empty
	// in runs from before there was a choice, which accepted.
	Dialogs string `json:"dialogs,omitempty"`

	// Flags are the settings as they were given, by the flag's name, but for those
	// that hold a key; Files are the contents of the files that some of them name,
	// by flag. Resuming takes both.
	Flags map[string][]string `json:"flags,omitempty"`
	Files map[string]string   `json:"files,omitempty"`
	// Secrets are the secrets by name, with where each comes from and its sites.
	Secrets []string `json:"secrets,omitempty"`
	// Approve is never, risky or always; Checks are the assertions.
	Approve string `json:"approve,omitempty"`

	// Sample is the run's place in a batch; nil for a run on its own.
	Sample *Sample `json:"sample,omitempty"`
	// Imported says where a run comes from that another program recorded; nil for one of
	// our own.
	Imported *Imported `json:"imported,omitempty"`

	Created time.Time `json:"created"`
}

// Sample is one of the runs of a task in a batch.
type Sample struct {
	// Batch is the batch's id, Task the task's id in it, Number counts the task's runs
	// from 1.
	Batch  string `json:"batch"`
	Task   string `json:"task"`
	Number int    `json:"number"`
	// Meta is what else the task's line said, such as its level; nil is nothing.
	Meta map[string]json.RawMessage `json:"meta,omitempty"`
}
