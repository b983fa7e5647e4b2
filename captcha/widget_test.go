package captcha_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"fara/captcha"
	"fara/env"
)

var page = env.Size{W: 1440, H: 896}

func shows(widgets ...env.Widget) env.Observation {
	return env.Observation{Viewport: page, Widgets: widgets}
}

// at is a widget of that size in the middle of the page.
func at(name string) env.Widget {
	return env.Widget{Name: name, Box: env.Rect{X: 500, Y: 300, W: 304, H: 78}}
}

func with(w env.Widget, change func(*env.Widget)) env.Widget {
	change(&w)
	return w
}

func solved(w *env.Widget)  { w.Solved = true }
func alone(w *env.Widget)   { w.Alone = true }
func above(w *env.Widget)   { w.Box.Y = -10000 }
func beside(w *env.Widget)  { w.Box.X = 1440 }
func unshown(w *env.Widget) { w.Box.W, w.Box.H = 1, 1 }

func TestOnlyWhatCannotBeLeftAloneBlocks(t *testing.T) {
	for _, c := range []struct {
		name string
		seen env.Observation
		want string
	}{
		{"nothing", shows(), ""},
		{"a box in a form", shows(at("reCAPTCHA")), ""},
		{"a box in a form with its challenge open", shows(at("reCAPTCHA"), at("reCAPTCHA challenge")), "reCAPTCHA challenge"},
		{"the challenge waiting far above", shows(at("reCAPTCHA"), with(at("reCAPTCHA challenge"), above)), ""},
		{"the challenge waiting beside", shows(with(at("hCaptcha challenge"), beside)), ""},
		{"a frame of one pixel", shows(with(at("Arkose challenge"), unshown)), ""},
		{"a box that the page is there for", shows(with(at("hCaptcha"), alone)), "hCaptcha"},
		{"the same, solved", shows(with(with(at("hCaptcha"), alone), solved)), ""},
		{"a wall", shows(at("DataDome")), "DataDome"},
		{"one solved, one not", shows(with(at("Turnstile"), solved), with(at("captcha"), alone)), "captcha"},
		{"what nobody here knows", shows(at("Frobnicate")), ""},
		{"what nobody here knows, alone", shows(with(at("Frobnicate"), alone)), "Frobnicate"},
		{"a viewport of no known size", env.Observation{Widgets: []env.Widget{at("PerimeterX")}}, "PerimeterX"},
	} {
		if got := captcha.Blocking(c.seen); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func click(x, y float64) env.Action {
	return env.Action{Kind: env.LeftClick, Point: &env.Point{X: x, Y: y}}
}

func TestOnlyWorkOnACaptchaTouchesIt(t *testing.T) {
	box := shows(at("reCAPTCHA"))
	inside, outside := click(520, 330), click(100, 100)
	for _, c := range []struct {
		name string
		seen env.Observation
		act  env.Action
		hit  *env.Element
		want string
	}{
		{"a click into its box", box, inside, &env.Element{Tag: "div"}, "reCAPTCHA"},
		{"a click into its box, the element not known", box, inside, nil, "reCAPTCHA"},
		{"a click beside it", box, outside, &env.Element{Tag: "button", Name: "Search"}, ""},
		{"a click right below it", box, click(520, 378), &env.Element{Tag: "button"}, ""},
		{"a click into a solved one", shows(with(at("reCAPTCHA"), solved)), inside, &env.Element{Tag: "div"}, ""},
		{"a drag that begins in it", box, env.Action{Kind: env.LeftClickDrag, From: inside.Point, Point: outside.Point}, nil, "reCAPTCHA"},
		{"typing into it", box, env.Action{Kind: env.Type, Point: inside.Point, Text: "x7fk"}, nil, "reCAPTCHA"},
		{"scrolling over it", box, env.Action{Kind: env.Scroll, Point: inside.Point}, nil, ""},
		{"moving over it", box, env.Action{Kind: env.MouseMove, Point: inside.Point}, nil, ""},
		{"its link to the terms", box, inside, &env.Element{Tag: "a", Link: "https://policies.example/terms"}, ""},
		{"an element of its frame", shows(), outside, &env.Element{Tag: "div", Document: "https://www.google.com/recaptcha/api2/anchor?k=1"}, "reCAPTCHA"},
		{"an element of its challenge", shows(), outside, &env.Element{Tag: "td", Document: "https://www.recaptcha.net/recaptcha/enterprise/bframe?k=1"}, "reCAPTCHA challenge"},
		{"Space in its frame", shows(), env.Action{Kind: env.Key, Keys: []string{"space"}}, &env.Element{Document: "https://challenges.cloudflare.com/cdn-cgi/x"}, "Turnstile"},
		{"an element of its solved frame", shows(with(at("Turnstile"), solved)), outside, &env.Element{Document: "https://challenges.cloudflare.com/x"}, ""},
		{"a page that has such an address in its query", shows(), outside, &env.Element{Tag: "div", Document: "https://shop.example/?from=challenges.cloudflare.com/"}, ""},
		{"a key with nothing in front", box, env.Action{Kind: env.Key, Keys: []string{"Enter"}}, nil, ""},
	} {
		if got := captcha.Touched(c.seen, c.act, c.hit); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCaptchaOfNoMakerIsKnownByWhatItIsAndSays(t *testing.T) {
	tick := func(words string) env.Element { return env.Element{Tag: "input", Type: "checkbox", Name: words} }
	for _, c := range []struct {
		hit  env.Element
		want string
	}{
		{tick("I'm not a robot"), "captcha"},
		{tick("I am human"), "captcha"},
		{tick("Ich bin kein Roboter"), "captcha"},
		{tick("Je ne suis pas un robot"), "captcha"},
		{tick("No soy un robot"), "captcha"},
		{tick("Non sono un robot"), "captcha"},
		{tick("Não sou um robô"), "captcha"},
		{tick("Ik ben geen robot"), "captcha"},
		{tick("Nie jestem robotem"), "captcha"},
		{tick("Я не робот"), "captcha"},
		{tick("私はロボットではありません"), "captcha"},
		{tick("我不是机器人"), "captcha"},
		{tick("로봇이 아닙니다"), "captcha"},
		{tick("أنا لست روبوت"), "captcha"},
		{tick("मैं रोबोट नहीं हूँ"), "captcha"},
		{tick("Ben robot değilim"), "captcha"},
		{env.Element{Tag: "div", Role: "checkbox", Text: "Verify you are human"}, "captcha"},
		{env.Element{Tag: "button", Name: "Press & Hold"}, "captcha"},
		{env.Element{Tag: "input", Editable: true, Name: "Type the characters you see"}, "captcha"},
		{env.Element{Tag: "input", Editable: true, Name: "验证码"}, "captcha"},
		{tick("Remember me"), ""},
		{tick("Also show robots"), ""},
		{env.Element{Tag: "button", Name: "Buy the robot"}, ""},
		{env.Element{Tag: "a", Link: "https://x.example/", Name: "I'm not a robot: the film"}, ""},
		{env.Element{Tag: "p", Text: "I'm not a robot"}, ""},
		{env.Element{Tag: "input", Editable: true, Name: "Security code"}, ""},
		{env.Element{Tag: "input", Editable: true, Name: "Code shown in your app"}, ""},
		{env.Element{Tag: "input", Editable: true, Name: "Search"}, ""},
	} {
		if got := captcha.Touched(shows(), click(10, 10), &c.hit); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.hit, got, c.want)
		}
	}
}

func TestWidgetsAreWholeAndNoTwoShareAName(t *testing.T) {
	var names []string
	for _, w := range captcha.Widgets() {
		if w.Name == "" || w.Selector == "" || slices.Contains(names, w.Name) {
			t.Errorf("widget %q with selector %q: a name is missing or twice, or the selector", w.Name, w.Selector)
		}
		names = append(names, w.Name)
	}
	for _, want := range []string{"reCAPTCHA", "hCaptcha", "Turnstile", "Cloudflare check", "Arkose challenge", "GeeTest", "DataDome", "PerimeterX", "AWS WAF captcha", "Yandex SmartCaptcha", "Tencent captcha", "Friendly Captcha", "MTCaptcha"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not known", want)
		}
	}
	captcha.Widgets()[0].Name = "changed"
	if captcha.Widgets()[0].Name == "changed" {
		t.Error("a caller changed the table")
	}
}

func TestGuardGivesAPageThatChecksTheBrowserTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		inner := &blank{widgets: func() []env.Widget {
			if time.Since(began) >= 3*time.Second {
				return nil
			}
			return []env.Widget{at("Cloudflare check")}
		}}
		guard := captcha.Guard{Environment: inner, Gate: captcha.New(captcha.Config{})}
		obs, err := guard.Observe(t.Context())
		if took := time.Since(began); err != nil || captcha.Blocking(obs) != "" || took != 3*time.Second {
			t.Errorf("got %q after %v, %v, want the page behind after 3s", captcha.Blocking(obs), took, err)
		}
		if len(obs.Notes) != inner.looked {
			t.Errorf("got %d notes of %d looks, want all of them", len(obs.Notes), inner.looked)
		}
	})
}

func TestGuardLeavesAPageThatDoesNotLetThroughToAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, want := range map[string]time.Duration{"Cloudflare check": 10 * time.Second, "PerimeterX": 0} {
			began := time.Now()
			inner := &blank{widgets: func() []env.Widget { return []env.Widget{at(name)} }}
			guard := captcha.Guard{Environment: inner, Gate: captcha.New(captcha.Config{})}
			obs, err := guard.Observe(t.Context())
			if took := time.Since(began); err != nil || captcha.Blocking(obs) != name || took != want {
				t.Errorf("got %q after %v, %v, want %s after %v", captcha.Blocking(obs), took, err, name, want)
			}
		}
	})
}
