package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"fara/env/envtest/shop"
	"fara/model/modeltest"
	"fara/model/modeltest/pixel"
	"fara/policy"
	"fara/trajectory"
)

func (p *program) demoCmd() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole loop without a GPU",
		Long: "Start a small shop on this machine and a model server that gets nothing but the requests\n" +
			"and finds its way by the pixels of the screenshots, and let it order something with real\n" +
			"mouse and keyboard in a real Chromium. Nothing leaves this machine.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.browser.check(); err != nil {
				return err
			}
			return p.demo(cmd.Context(), flags)
		},
	}
	f := cmd.Flags()
	flags.browser.register(f)
	f.StringVar(&flags.out, "out", "fara_runs", "the `folder` that gets the run's folder")
	f.BoolVar(&flags.json, "json", false, "print one JSON object a line")
	return cmd
}

func (p *program) demo(ctx context.Context, flags runFlags) error {
	site := shop.New()
	address, stop, err := serve(site)
	if err != nil {
		return fmt.Errorf("the demo's shop: %w", err)
	}
	defer stop()
	server, err := modeltest.Serve(pixel.Model{})
	if err != nil {
		return fmt.Errorf("the demo's model server: %w", err)
	}
	defer server.Close()

	defaults := (&cobra.Command{}).Flags()
	given := flags
	flags.register(defaults)
	flags.browser, flags.out, flags.json = given.browser, given.out, given.json
	flags.task, flags.url = shop.Task, address
	flags.sites.rules.approve = string(policy.Never) // the task says so, and the shop sells nothing
	if err := flags.setRules(false); err != nil {
		return err
	}
	flags.model.endpoint, flags.model.model, flags.model.dialect = server.URL(), server.Model(), "fara-1.5"
	if !flags.json {
		fmt.Fprintf(p.stderr, "shop at %s, model server at %s\ntask: %s\n\n", address, server.URL(), shop.Task)
	}
	result, err := p.execute(ctx, &flags)
	if err != nil {
		return err
	}
	if result.Status != trajectory.Success {
		return exit(codeOfStatus(result))
	}
	return p.judgeDemo(site, result)
}

// judgeDemo compares what the shop received with what the task asked for.
func (p *program) judgeDemo(site *shop.Shop, result trajectory.Result) error {
	orders := site.Orders()
	if len(orders) != 1 {
		return fmt.Errorf("the shop received %d orders, not one", len(orders))
	}
	got, want := orders[0], shop.Wanted()
	want.Code = result.Answer
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("the shop received %+v, not %+v", got, want)
	}
	fmt.Fprintf(p.stderr, "\nThe shop received exactly what was asked for, as order %s, and the model read that number off the page.\n", got.Code)
	return nil
}

// serve serves a site on a free port of this machine until stop is called.
func serve(site http.Handler) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(listener) // ends with ErrServerClosed
	}()
	return "http://" + listener.Addr().String() + "/", func() {
		server.Close()
		<-done
	}, nil
}
