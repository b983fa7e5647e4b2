package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"fara/batch"
)

// payload is a job as it goes to a worker on another machine: its task, with every
// setting that shapes its run, and the contents of the files that they name.
type payload struct {
	Job   batch.Job           `json:"job"`
	Flags map[string][]string `json:"flags"`
	// Secrets are where they come from, not what they are; a worker reads its own.
	Secrets []string `json:"secrets,omitempty"`
	// Kept are the texts that runs keep anyway, Files the contents of other files by
	// flag, in the order of the flag's values.
	Kept  map[string]string     `json:"kept,omitempty"`
	Files map[string][]attached `json:"files,omitempty"`
}

// attached is a file that travels with a job.
type attached struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// terms are how all jobs of a batch are done, as its queue holds them.
type terms struct {
	Batch     string         `json:"batch"`
	Retries   int            `json:"retries"`
	PerSite   int            `json:"per_site"`
	SitePause time.Duration  `json:"site_pause_ns"`
	Takes     int            `json:"takes"`
	HalfDone  batch.HalfDone `json:"half_done"`
}

// ofMachine are the flags that are each worker's own: where its model servers are, and
// its browser.
var ofMachine = []string{
	"endpoint", "endpoint-config", "api", "api-key", "model-timeout", "load-timeout", "browser", "headful", "proxy", "cdp", "cdp-header",
	"metrics", "otel", "verify-endpoint", "verify-api-key",
}

// travelling are the flags whose files go with a job, beside those that a run keeps.
var travelling = []string{"prompt-file", "calibration", "upload", "dialect"}

// pack makes a job ready to travel.
func (b *batchFlags) pack(p *program, j batch.Job) ([]byte, error) {
	f, err := b.job(p, j)
	if err != nil {
		return nil, err
	}
	out := payload{Job: j, Flags: maps.Clone(f.given), Secrets: f.secrets.given, Kept: f.contents(), Files: map[string][]attached{}}
	for _, name := range ofMachine {
		delete(out.Flags, name)
	}
	for _, name := range travelling {
		for _, path := range out.Flags[name] {
			info, err := os.Stat(path)
			if name == "dialect" && (err != nil || info.IsDir()) { // its name, and no file
				continue
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, usage("--%s: %w", name, err)
			}
			out.Files[name] = append(out.Files[name], attached{filepath.Base(path), data})
		}
	}
	return json.Marshal(out)
}

// unpack gives the flags of a job's run on this machine: what came with the job, and
// what is this machine's own. Files are put below dir.
func (w *workerFlags) unpack(p *program, raw payload, dir string) (*runFlags, error) {
	f := &runFlags{}
	set := pflag.NewFlagSet("job", pflag.ContinueOnError)
	set.SetNormalizeFunc(spelling)
	f.register(set)
	flags := maps.Clone(raw.Flags)
	for name, files := range raw.Files {
		flags[name] = nil
		for _, file := range files {
			path, err := file.put(dir)
			if err != nil {
				return nil, err
			}
			flags[name] = append(flags[name], path)
		}
	}
	for name, values := range flags {
		if set.Lookup(name) == nil {
			return nil, usage("the batch uses --%s, which this program does not know; run the same version on both machines", name)
		}
		if slices.Contains(ofMachine, name) || slices.Contains(unkept, name) {
			return nil, usage("the batch's queue sets --%s, which is each machine's own", name)
		}
		if err := give(set, name, values); err != nil {
			return nil, usage("the batch's --%s %q: %w", name, values, err)
		}
	}
	if raw.Job.URL != "" {
		if err := give(set, "url", []string{raw.Job.URL}); err != nil {
			return nil, err
		}
	}
	var err error
	w.flags.Visit(func(from *pflag.Flag) {
		if to := set.Lookup(from.Name); to != nil && slices.Contains(ofMachine, from.Name) && err == nil {
			err = give(set, from.Name, valuesOf(from.Value))
		}
	})
	if err != nil {
		return nil, err
	}
	f.kept, f.secrets.given = raw.Kept, raw.Secrets
	if f.secrets.store, err = p.readSecrets(raw.Secrets, nil); err != nil {
		return nil, err
	}
	return f, f.resolve(set, []string{raw.Job.Task.Task})
}

// put writes the file below dir, once for the same contents.
func (a attached) put(dir string) (string, error) {
	sum := sha256.Sum256(a.Data)
	name := filepath.Base(a.Name)
	if !filepath.IsLocal(name) || name == "." {
		return "", fmt.Errorf("the batch sends a file called %q, which is no name", a.Name)
	}
	at := filepath.Join(dir, hex.EncodeToString(sum[:8]), name)
	if have, err := os.ReadFile(at); err == nil && sha256.Sum256(have) == sum {
		return at, nil
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return "", err
	}
	return at, os.WriteFile(at, a.Data, 0o644)
}
