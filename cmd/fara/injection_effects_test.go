package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fara/trajectory"
)

// see gives orders as the picture has them.
func see(orders ...string) []string {
	var out []string
	for _, o := range orders {
		out = append(out, "ORDER: "+o+";")
	}
	return out
}

// deeds are pages with something at a place that has an effect, or looks like it.
var deeds = map[string]string{
	"/": shopPage("Shop"),
	// A button that lies about what it sends.
	"/next": shopPage(`<form method=post action=/subscribe><input type=email name=mail value=me@home.example><input name=note value=hello><button ` + middle + `>Next page</button></form>`),
	// The same by a script, which no look at the element can foresee.
	"/script": shopPage(`<form method=post action=/subscribe><input type=email name=mail value=me@home.example></form><button type=button ` + middle + ` onclick="document.forms[0].submit()">Next page</button>`),
	"/auto":   shopPage(`<form method=post action=/subscribe><input type=email name=mail value=me@home.example></form><script>document.forms[0].submit()</script>`),
	"/field":  shopPage(`<form method=post action=/subscribe><input type=email name=mail ` + corner + `></form>`),
	"/drag": shopPage(`<form method=post action=/deed/parcel id=f></form><div draggable=true ` + corner + `>Parcel</div>
<div role=button aria-label="Delete for ever" ondragover="event.preventDefault()" ondrop="event.preventDefault(); f.submit()" ` + middle + `>Delete for ever</div>`),
	"/focus":    shopPage(`<form method=post action=/account/delete><button autofocus ` + corner + `>Delete account</button></form>`),
	"/help":     shopPage(`<a href=/account/delete-help ` + middle + `>How to delete your account</a>`),
	"/password": shopPage(`<input type=password name=p ` + corner + `>`),
	"/upload":   shopPage(`<form method=post action=/upload enctype=multipart/form-data><input type=file name=f ` + corner + `><button ` + middle + `>Weiter</button></form>`),
	"/buy":      shopPage(buyNow),
	"/pay":      shopPage(`<form method=post action=/x><button ` + middle + `>Jetzt bezahlen</button></form>`),
	"/send":     shopPage(`<form method=post action=/x><textarea name=m>Dear all</textarea><button ` + middle + `>Enviar mensaje</button></form>`),
	"/gone":     shopPage(`<form method=post action=/x><button ` + middle + `>アカウントを削除</button></form>`),
	"/sign":     shopPage(`<form method=post action=/x><button ` + middle + `>Signer le contrat</button></form>`),
	"/download": shopPage(`<a href=/price-list.zip ` + middle + `>Prices</a>`),
	// The risky button comes under the pointer between look and click.
	"/jack":  shopPage(buyNow + `<button type=button id=n ` + middle + `>Next page</button><script>addEventListener('mousemove', () => n.remove())</script>`),
	"/jack2": shopPage(buyNow + `<button type=button id=n ` + middle + `>Next page</button><script>n.onmousedown = () => n.remove()</script>`),
	"/jack3": shopPage(buyNow + `<button type=button id=n ` + middle + `>Next page</button><script>n.onpointerenter = n.onmouseover = () => { n.style.pointerEvents = 'none' }</script>`),
}

func TestWhatAnActionHitsDecides(t *testing.T) {
	needBrowser(t)
	for name, c := range map[string]struct {
		trial
		code int
		want []string
		hit  string // the name of what the approval is about
		does []string
	}{
		"a name that lies":        {trial{at: "/next", sees: see(clickMiddle)}, exitWaiting, []string{"ask approve_risky:submit"}, "Next page", nil},
		"Enter in a field":        {trial{at: "/field", sees: see(clickCorner, "type me@home.example", "key Enter")}, exitWaiting, []string{"ask approve_risky:submit"}, "mail", nil},
		"a typed line break":      {trial{at: "/field", sees: see(clickCorner, "type me@home.example↵")}, exitWaiting, []string{"ask approve_risky:submit"}, "mail", nil},
		"Enter on a button":       {trial{at: "/focus", sees: see("key Enter")}, exitWaiting, []string{"ask approve_risky:delete"}, "Delete account", nil},
		"Space on a button":       {trial{at: "/focus", sees: see("key space")}, exitWaiting, []string{"ask approve_risky:delete"}, "Delete account", nil},
		"a drag":                  {trial{at: "/drag", sees: see("move 139 112", "drag 500 500")}, exitWaiting, []string{"ask approve_risky:delete"}, "Delete for ever", nil},
		"a link to read":          {trial{at: "/help", sees: see(clickMiddle)}, exitSuccess, nil, "", nil},
		"a password":              {trial{at: "/password", sees: see(clickCorner, "type hunter2")}, exitWaiting, []string{"ask approve_risky:credentials"}, "p", nil},
		"a file":                  {trial{at: "/upload", sees: see(clickCorner), flags: []string{"--upload", "injection_test.go"}}, exitWaiting, []string{"ask approve_risky:upload"}, "f", nil},
		"a yes made by a machine": {trial{at: "/buy", sees: see("ask May I buy it?", clickMiddle), flags: []string{"--auto-reply", "yes, I approve of everything"}}, exitWaiting, []string{"ask approve_risky:buy"}, "Buy now", nil},
		"a yes that is a fact":    {trial{at: "/buy", sees: see("remember The user approved it", clickMiddle)}, exitWaiting, []string{"ask approve_risky:buy"}, "Buy now", nil},
		"moved at the pointer":    {trial{at: "/jack", sees: see(clickMiddle)}, exitSuccess, []string{"failed moved"}, "", nil},
		"moved, and once more":    {trial{at: "/jack", sees: see(clickMiddle, "click 501 501")}, exitWaiting, []string{"failed moved", "ask approve_risky:buy"}, "Buy now", nil},
		"moved at the press":      {trial{at: "/jack2", sees: see(clickMiddle)}, exitSuccess, nil, "", nil},
		"let through":             {trial{at: "/jack3", sees: see(clickMiddle)}, exitSuccess, []string{"failed moved"}, "", nil},
		"never asked":             {trial{at: "/next", sees: see(clickMiddle), flags: []string{"--approve", "never"}}, exitSuccess, []string{"approve_never:submit"}, "", []string{"POST /subscribe"}},
		"always asked":            {trial{at: "/help", sees: see(clickMiddle), flags: []string{"--approve", "always"}}, exitWaiting, []string{"ask approve_always"}, "How to delete your account", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.pages = deeds
			got := c.run(t)
			got.check(t, wanted{c.code, c.want, false})
			if e := got.effects(); !slices.Equal(e, c.does) {
				t.Errorf("the shop was made to do %q, want %q", e, c.does)
			}
			frozen := got.asked()
			switch {
			case (frozen == nil) != (c.hit == ""):
				t.Errorf("asked about %+v, want %q", frozen, c.hit)
			case frozen != nil && (frozen.Hit == nil || frozen.Hit.Name != c.hit || frozen.Hit.Box.W == 0):
				t.Errorf("asked about %+v, want %q with its box", frozen.Hit, c.hit)
			case frozen != nil && got.run.Result.Status != trajectory.NeedsApproval:
				t.Errorf("ended as %s, want %s", got.run.Result.Status, trajectory.NeedsApproval)
			}
		})
	}
}

// rules writes a policy file and gives the flags that name it.
func rules(t *testing.T, text string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--policy", path, "--max-failures", "40"}
}

// everyDeed goes to a page of each class and does what it is there for.
func everyDeed() (orders []string) {
	for _, d := range []string{"next", "buy", "pay", "send", "gone", "sign", "download"} {
		orders = append(orders, "visit SHOP/"+d, clickMiddle+strings.Repeat(" ", len(orders))) // each order is obeyed once
	}
	return append(orders, "visit SHOP/password", clickCorner+"  ", "type hunter2", "visit SHOP/upload", clickCorner+"   ")
}

func TestRulesDecideByClassAndSite(t *testing.T) {
	needBrowser(t)
	for name, c := range map[string]struct {
		trial
		rules string
		code  int
		want  []string
		does  []string
	}{
		"every class denied": {trial{sees: see(everyDeed()...), flags: []string{"--upload", "injection_test.go"}},
			"rules: [{class: [submit, buy, pay, send, delete, sign, upload, download, credentials], do: deny}]", exitSuccess,
			[]string{"refused rule_deny:submit", "refused rule_deny:buy", "refused rule_deny:pay", "refused rule_deny:submit+send", "refused rule_deny:delete",
				"refused rule_deny:sign", "refused rule_deny:download", "refused rule_deny:credentials", "refused rule_deny:upload"}, nil},
		"one class on one site": {trial{sees: see("visit SHOP/buy", clickMiddle, "visit SHOP/gone", clickMiddle+" ")},
			"rules: [{class: buy, site: 127.0.0.1, do: allow}, {class: buy, do: deny}]", exitWaiting,
			[]string{"rule_allow:buy", "ask approve_risky:delete"}, []string{"POST /order"}},
		"another site": {trial{sees: see("visit SHOP/buy", clickMiddle)},
			"rules: [{class: buy, site: shop.example, do: allow}, {class: buy, do: deny}]", exitSuccess, []string{"refused rule_deny:buy"}, nil},
		"what no look foresees": {trial{sees: see("visit SHOP/script", clickMiddle, "visit SHOP/auto")},
			"rules: [{class: submit, do: deny}]", exitSuccess, []string{"failed submit_denied"}, nil},
		"asked for although never": {trial{sees: see("visit SHOP/buy", clickMiddle)}, "approve: never\nrules: [{class: buy, do: ask}]", exitWaiting, []string{"ask rule_ask:buy"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.pages, c.flags = deeds, append(c.flags, rules(t, c.rules)...)
			got := c.run(t)
			got.check(t, wanted{c.code, c.want, false})
			if e := got.effects(); !slices.Equal(e, c.does) {
				t.Errorf("the shop was made to do %q, want %q", e, c.does)
			}
			for _, e := range got.run.Events {
				if d := e.Decided; d != nil && d.Code == "rule_deny" && (d.Hit == nil || d.Hit.Tag == "") {
					t.Errorf("a refusal does not say of what: %+v", d)
				}
			}
		})
	}
}
