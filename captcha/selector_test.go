package captcha_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fara/captcha"
)

// markup is what makers' scripts and the sites that use them put into pages, with
// the captchas in it that are there and those that say they are solved.
var markup = []struct {
	html  string
	there string
	done  string
}{
	{`<div class="g-recaptcha" data-sitekey="k"><iframe title="reCAPTCHA" src="https://www.google.com/recaptcha/api2/anchor?ar=1&size=normal"></iframe></div>`, "reCAPTCHA, captcha", ""},
	{`<iframe src="https://www.recaptcha.net/recaptcha/enterprise/anchor?size=compact"></iframe>`, "reCAPTCHA", ""},
	{`<span id="recaptcha-anchor" role="checkbox" aria-checked="true"></span>`, "", "reCAPTCHA"},
	{`<span id="recaptcha-anchor" role="checkbox" aria-checked="false"></span>`, "", ""},
	{`<iframe title="challenge" src="https://www.google.com/recaptcha/api2/bframe?hl=en"></iframe>`, "reCAPTCHA challenge", ""},
	{`<div class="grecaptcha-badge"><iframe title="reCAPTCHA" src="https://www.google.com/recaptcha/api2/anchor?size=invisible"></iframe></div>`, "", ""},
	{`<button class="g-recaptcha" data-sitekey="k" data-callback="f">Send</button><div class="g-recaptcha" data-size="invisible"></div>`, "", ""},
	{`<div class="h-captcha" data-sitekey="k"><iframe src="https://newassets.hcaptcha.com/captcha/v1/a/static/hcaptcha.html#frame=checkbox&id=1" data-hcaptcha-response=""></iframe></div>`, "hCaptcha", ""},
	{`<iframe src="https://newassets.hcaptcha.com/captcha/v1/a/static/hcaptcha.html#frame=checkbox&id=1" data-hcaptcha-response="P1_x"></iframe>`, "hCaptcha", "hCaptcha"},
	{`<iframe src="https://newassets.hcaptcha.com/captcha/v1/a/static/hcaptcha.html#frame=challenge&id=1"></iframe>`, "hCaptcha challenge", ""},
	{`<iframe src="https://newassets.hcaptcha.com/captcha/v1/a/static/hcaptcha.html#frame=checkbox-invisible&id=1"></iframe><div class="h-captcha" data-size="invisible"></div>`, "", ""},
	{`<div class="cf-turnstile" data-sitekey="k"><input type="hidden" name="cf-turnstile-response" id="cf-chl-widget-x_response" value=""></div>`, "Turnstile", ""},
	{`<div class="cf-turnstile"><input type="hidden" name="cf-turnstile-response" value="0.abc"></div>`, "Turnstile", "Turnstile"},
	{`<iframe id="cf-chl-widget-ab12c" src="https://challenges.cloudflare.com/cdn-cgi/challenge-platform/h/b/turnstile/if"></iframe>`, "Turnstile", ""},
	{`<div class="main-wrapper" role="main"><h1 class="zone-name-title">shop.example</h1><div id="challenge-stage"></div></div>`, "Cloudflare check", ""},
	{`<form id="challenge-form" action="/quiz"><div id="challenge-stage">Question 1</div></form>`, "", ""},
	{`<iframe title="Verification challenge" data-e2e="enforcement-frame" src="https://client-api.arkoselabs.com/v2/x/enforcement.html"></iframe>`, "Arkose challenge", ""},
	{`<div id="FunCaptcha"></div>`, "Arkose challenge", ""},
	{`<div class="geetest_holder geetest_wind"><div class="geetest_radar_tip">Click to verify</div></div>`, "GeeTest", ""},
	{`<div class="geetest_holder geetest_radar_success"></div>`, "GeeTest", "GeeTest, GeeTest challenge"},
	{`<div class="geetest_panel"><div class="geetest_panel_box"></div></div>`, "GeeTest challenge", ""},
	{`<iframe src="https://geo.captcha-delivery.com/captcha/?initialCid=x"></iframe>`, "DataDome", ""},
	{`<div id="px-captcha"></div>`, "PerimeterX", ""},
	{`<awswaf-captcha></awswaf-captcha>`, "AWS WAF captcha", ""},
	{`<div id="captcha-container"><button id="amzn-captcha-verify-button">Begin</button></div>`, "AWS WAF captcha", ""},
	{`<form method="get" action="/errors/validateCaptcha"><img src="/captcha/x.jpg"><input id="captchacharacters"></form>`, "Amazon captcha, captcha", ""},
	{`<div class="smart-captcha" data-sitekey="k"><iframe data-testid="checkbox-iframe" src="https://smartcaptcha.yandexcloud.net/checkbox"></iframe></div>`, "Yandex SmartCaptcha", ""},
	{`<div class="smart-captcha"><input type="hidden" name="smart-token" value="dD0x"></div>`, "Yandex SmartCaptcha", "Yandex SmartCaptcha"},
	{`<div id="tcaptcha_transform_dy"><iframe id="tcaptcha_iframe_dy" src="https://turing.captcha.gtimg.com/1/template/drag_ele.html"></iframe></div>`, "Tencent captcha", ""},
	{`<div class="frc-captcha" data-sitekey="k"></div>`, "Friendly Captcha", ""},
	{`<div class="frc-captcha frc-success"></div>`, "Friendly Captcha", "Friendly Captcha"},
	{`<div class="mtcaptcha"><iframe id="mtcaptcha-iframe-1" src="https://service.mtcaptcha.com/mtcv1/client/iframe.html"></iframe></div>`, "MTCaptcha", ""},
	{`<altcha-widget data-state="verified"></altcha-widget>`, "ALTCHA", "ALTCHA"},
	{`<label>Letters <input name="userCaptcha"></label><img src="/CaptchaImage.aspx"><input type="hidden" name="captcha_id">`, "captcha", ""},
	{`<h1>What is a captcha?</h1><p>I'm not a robot</p><a href="/captcha">captcha</a><img src="/robot.png"><input name="q"><div class="challenge"></div>`, "", ""},
}

// inBrowser gives what a browser says of each piece of markup: the names whose
// selectors find something in it.
func inBrowser(t *testing.T) (there, done []string) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no chromium in the path, so the selectors were tried in nothing")
		}
		t.Skip("NOT TRIED IN A BROWSER: there is no chromium in the path")
	}
	var pieces []string
	for _, m := range markup {
		pieces = append(pieces, m.html)
	}
	data, err := json.Marshal(map[string]any{"pieces": pieces, "widgets": captcha.Widgets()})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	page := fmt.Sprintf(`<!doctype html><meta charset="utf-8"><pre></pre><script>
const {pieces, widgets} = %s;
// Parsed like this nothing in it is loaded or run.
const found = key => pieces.map(p => {
	const doc = new DOMParser().parseFromString(p, "text/html");
	return widgets.filter(w => w[key] && doc.querySelector(w[key])).map(w => w.Name).sort().join(", ");
});
let out;
try { out = {there: found("Selector"), done: found("Solved")} } catch (e) { out = {error: String(e)} }
document.querySelector("pre").textContent = JSON.stringify(out);
</script>`, data)
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dom, err := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+file).Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	pre := regexp.MustCompile(`(?s)<pre>(.*?)</pre>`).FindSubmatch(dom)
	if pre == nil {
		t.Fatalf("the page says nothing: %.300s", dom)
	}
	var said struct {
		There, Done []string
		Error       string
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(pre[1]))), &said); err != nil || said.Error != "" {
		t.Fatalf("got %.300s, %v, %s", pre[1], err, said.Error)
	}
	return said.There, said.Done
}

func sorted(names string) string {
	all := strings.Split(names, ", ")
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestSelectorsFindWhatMakersPutIntoPages(t *testing.T) {
	there, done := inBrowser(t)
	for i, m := range markup {
		if there[i] != sorted(m.there) || done[i] != sorted(m.done) {
			t.Errorf("%s\n got %q, solved %q\nwant %q, solved %q", m.html, there[i], done[i], m.there, m.done)
		}
	}
}
