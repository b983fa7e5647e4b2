package captcha

// unnamed is a captcha of no known maker.
const unnamed = "captcha"

// known are the captchas that are looked for, the more particular ones first. A
// selector names what its maker's own script puts into the page, or the element
// that sites write for it.
var known = []Widget{
	{
		Name: "reCAPTCHA challenge", Kind: Challenge,
		Selector: `iframe[src*="/recaptcha/api2/bframe"], iframe[src*="/recaptcha/enterprise/bframe"]`,
		frames:   []string{"/recaptcha/api2/bframe", "/recaptcha/enterprise/bframe"},
	},
	{
		Name: "reCAPTCHA",
		Selector: `iframe[src*="/recaptcha/api2/anchor"]:not([src*="size=invisible"]), ` +
			`iframe[src*="/recaptcha/enterprise/anchor"]:not([src*="size=invisible"]), ` +
			`.g-recaptcha:not([data-size="invisible"]):not(button):not(input):not(a)`,
		Solved: `#recaptcha-anchor[aria-checked="true"], .recaptcha-checkbox-checked`,
		frames: []string{"/recaptcha/api2/", "/recaptcha/enterprise/"},
	},
	{
		Name: "hCaptcha challenge", Kind: Challenge,
		Selector: `iframe[src*="hcaptcha"][src*="frame=challenge"]`,
	},
	{
		Name: "hCaptcha",
		Selector: `iframe[src*="hcaptcha"][src*="frame=checkbox"]:not([src*="frame=checkbox-invisible"]), ` +
			`.h-captcha:not([data-size="invisible"]):not(button):not(input)`,
		Solved: `iframe[data-hcaptcha-response]:not([data-hcaptcha-response=""]), #anchor #checkbox[aria-checked="true"]`,
		frames: []string{"hcaptcha.com/captcha/", "hcaptcha.html"},
	},
	{
		Name: "Cloudflare check", Kind: Check,
		// Some of the ids alone could be any quiz's.
		Selector: `.main-wrapper #challenge-stage, .main-wrapper #challenge-running, .main-wrapper #challenge-spinner, ` +
			`.main-wrapper .zone-name-title, #challenge-form[action*="__cf_chl"], #challenge-error-text, ` +
			`#cf-challenge-running, .cf-browser-verification, #cf-please-wait, .cf-captcha-container`,
	},
	{
		Name:     "Turnstile",
		Selector: `.cf-turnstile, iframe[src*="challenges.cloudflare.com/"], iframe[id^="cf-chl-widget-"]`,
		Solved:   `input[name="cf-turnstile-response"][value]:not([value=""])`,
		frames:   []string{"challenges.cloudflare.com/"},
	},
	{
		Name: "Arkose challenge", Kind: Challenge,
		Selector: `iframe[src*="arkoselabs.com"], iframe[src*="funcaptcha.com"], iframe[data-e2e="enforcement-frame"], ` +
			`iframe#arkoseFrame, #FunCaptcha, #funcaptcha, #fc-iframe-wrap`,
		Solved: `input[name="fc-token"][value*="|sup=1"]`,
		frames: []string{"arkoselabs.com/", "funcaptcha.com/"},
	},
	{
		Name: "GeeTest challenge", Kind: Challenge,
		Selector: `.geetest_popup_wrap .geetest_box, .geetest_popup_wrap .geetest_widget, .geetest_panel_box, ` +
			`.geetest_fullpage_click_box, .geetest_box_wrap .geetest_box`,
		Solved: `.geetest_lock_success, .geetest_radar_success`,
	},
	{
		Name:     "GeeTest",
		Selector: `.geetest_holder, .geetest_radar_tip, .geetest_captcha, .geetest_btn_click`,
		Solved:   `.geetest_lock_success, .geetest_radar_success, .geetest_success_animate`,
		frames:   []string{"geetest.com/", "geevisit.com/"},
	},
	{
		Name: "DataDome", Kind: Check,
		Selector: `iframe[src*="captcha-delivery.com"], #ddv1-captcha-container`,
		frames:   []string{"captcha-delivery.com/"},
	},
	{
		Name: "PerimeterX", Kind: Challenge,
		Selector: `#px-captcha, #px-captcha-wrapper, .px-captcha-container, #px-captcha-modal, ` +
			`iframe[src*="px-cdn.net"][src*="captcha"], iframe[src*="px-cloud.net"][src*="captcha"]`,
	},
	{
		Name: "AWS WAF captcha", Kind: Challenge,
		Selector: `awswaf-captcha, #amzn-captcha-verify-button, .amzn-captcha-modal, .amzn-captcha-state-container, iframe[src*="captcha.awswaf.com"]`,
		frames:   []string{"captcha.awswaf.com/"},
	},
	{
		Name: "Amazon captcha", Kind: Challenge,
		Selector: `form[action*="/errors/validateCaptcha"]`,
	},
	{
		Name: "Yandex SmartCaptcha challenge", Kind: Challenge,
		Selector: `iframe[data-testid="advanced-iframe"], .AdvancedCaptcha, .SmartCaptcha-Overlay_visible .SmartCaptcha-Shield`,
	},
	{
		Name: "Yandex SmartCaptcha",
		Selector: `.smart-captcha:not([data-invisible]), iframe[src*="smartcaptcha"], iframe[data-testid="checkbox-iframe"], ` +
			`.CheckboxCaptcha, #checkbox-captcha-form`,
		Solved: `input[name="smart-token"][value]:not([value=""]), .CheckboxCaptcha-Button[aria-checked="true"]`,
		frames: []string{"smartcaptcha.yandexcloud.net/", "smartcaptcha.cloud.yandex", "/showcaptcha", "/checkcaptcha"},
	},
	{
		Name: "Tencent captcha", Kind: Challenge,
		Selector: `#tcaptcha_transform_dy, #tcaptcha_transform, iframe[id^="tcaptcha_iframe"], ` +
			`iframe[src*="captcha.gtimg.com"], iframe[src*="captcha.qq.com"], iframe[src*="captcha.qcloud.com"]`,
		frames: []string{"captcha.gtimg.com/", "captcha.qq.com/", "captcha.qcloud.com/"},
	},
	{
		Name:     "Friendly Captcha",
		Selector: `.frc-captcha, iframe[src*="frcapi.com"]`,
		Solved: `.frc-captcha.frc-success, .frc-success, ` +
			`input[name="frc-captcha-response"][value]:not([value=""]):not([value^="."])`,
		frames: []string{"frcapi.com/"},
	},
	{
		Name:     "MTCaptcha",
		Selector: `.mtcaptcha, iframe[id^="mtcaptcha-iframe"], iframe[src*="mtcaptcha.com"]`,
		Solved:   `input[name="mtcaptcha-verifiedtoken"][value]:not([value=""])`,
		frames:   []string{"mtcaptcha.com/"},
	},
	{
		Name: "TikTok captcha", Kind: Challenge,
		Selector: `.captcha_verify_container, .captcha-verify-container, #captcha-verify-image`,
	},
	{
		Name: "Alibaba captcha",
		Selector: `.nc-container, #nocaptcha, #aliyunCaptcha-window-popup, #aliyunCaptcha-window-embed, ` +
			`#baxia-dialog-content, iframe[src*="/_____tmd_____/punish"]`,
		Solved: `.nc-container .btn_ok`,
		frames: []string{"/_____tmd_____/punish"},
	},
	{
		Name: "NetEase captcha", Selector: `.yidun, .yidun_popup`, Solved: `.yidun--success`,
	},
	{
		Name: "Imperva check", Kind: Check,
		Selector: `iframe#main-iframe[src*="_Incapsula_Resource"]`,
		frames:   []string{"/_incapsula_resource"},
	},
	{
		Name: "Akamai check", Kind: Check, Selector: `#sec-if-cpt-container, #sec-bc-text-container, iframe#sec-cpt-if`,
	},
	{
		Name: "VK captcha", Kind: Challenge,
		Selector: `iframe[src*="/not_robot_captcha"], .vkc__Captcha__container`,
		frames:   []string{"/not_robot_captcha"},
	},
	{
		Name: "ALTCHA", Selector: `altcha-widget`, Solved: `altcha-widget[data-state="verified"], .altcha[data-state="verified"]`,
	},
	{
		Name: "Cap", Selector: `cap-widget`, Solved: `input[name="cap-token"][value]:not([value=""])`,
	},
	{
		Name: "Procaptcha", Selector: `.procaptcha`, Solved: `input[name="procaptcha-response"][value]:not([value=""])`,
	},
	{
		Name: "Lemin captcha", Selector: `#lemin-cropped-captcha`,
	},
	{
		Name: "KeyCAPTCHA", Selector: `#div_for_keycaptcha`,
	},
	{
		Name: "BotDetect captcha", Selector: `.BDC_CaptchaDiv, .LBD_CaptchaDiv`,
	},
	{
		// A picture with letters, or the field for them, as sites make their own.
		Name: unnamed,
		Selector: `img[src*="captcha" i], img[id*="captcha" i], canvas[id*="captcha" i], ` +
			`iframe[title*="captcha" i]:not([src*="invisible"]), ` +
			`input[name*="captcha" i]:not([type="hidden" i]), input[id*="captcha" i]:not([type="hidden" i])`,
	},
}
