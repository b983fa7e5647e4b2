package policy_test

import (
	"slices"
	"testing"

	"fara/env"
	"fara/policy"
)

// do is an action on an element, and the classes it should have.
type do struct {
	what string
	act  env.Action
	hit  *env.Element
	want []policy.Class
}

func (c do) judge(t *testing.T) {
	t.Helper()
	d := policy.Policy{}.Judge(c.act, c.hit, shop)
	asks := slices.ContainsFunc(c.want, policy.Class.Risky)
	if !slices.Equal(d.Classes, c.want) || (d.Do == policy.Ask) != asks || d.Do == policy.Deny {
		t.Errorf("%s: got %s, %v, want %v", c.what, d.Do, d.Classes, c.want)
	}
	if (d.Do == policy.Allow) != (d.Text == "") || d.Code == "" {
		t.Errorf("%s: got the code %q and the text %q for %s", c.what, d.Code, d.Text, d.Do)
	}
}

func some(classes ...policy.Class) []policy.Class { return classes }

func TestWhatAFormCarriesDecides(t *testing.T) {
	nothing := some()
	post := "https://shop.example/go"
	for _, c := range []do{
		{"search by GET", click, el("button", "Search", sends("get", post, fld("text", "q"))), nothing},
		{"search by GET with a wordless button", click, el("button", "", sends("get", post, fld("search", ""))), nothing},
		{"search in a large field by GET", click, el("button", "Google Search", sends("get", post, fld("textarea", "Search"))), nothing},
		{"search by POST", click, el("button", "Search", sends("post", post, fld("text", "Search term"))), nothing},
		{"Enter in a search", enter, el("input", "q", kind("search"), role("searchbox"), sends("get", post, fld("search", "q"))), nothing},
		{"typing into a search", typingEnter("mugs"), el("input", "What are you looking for?", kind("text"), sends("get", post, blank("text", "What are you looking for?"))), nothing},
		{"flights by GET", click, el("button", "Show flights", sends("get", post, fld("text", "From"), fld("text", "To"), fld("date", "When"))), nothing},
		{"to the basket by POST", click, el("button", "Add to basket", sends("post", "https://shop.example/basket", fld("radio", "size"), fld("number", "quantity"))), nothing},
		{"to the basket with an empty note", click, el("button", "Add to basket", sends("post", "https://shop.example/cart/add", fld("select", "size"), blank("textarea", "Gift note"))), nothing},
		{"filters by POST", click, el("button", "Apply", sends("post", post, fld("checkbox", "red"), fld("range", "price"))), nothing},
		{"a dialog's form", click, el("button", "OK", sends("dialog", shop, fld("text", "x"))), nothing},
		{"hidden fields by POST", click, el("button", "Next", sends("post", post)), nothing},
		{"a reset", click, el("input", "Reset", kind("reset"), role("button"), within("post", fld("email", "E-mail"))), nothing},
		{"a step of a form", click, el("button", "Next", within("post", fld("email", "E-mail"))), nothing},

		{"free text by POST", click, el("button", "Go", sends("post", post, fld("text", "Your words"))), some(policy.Submit)},
		{"by an image", click, el("input", "Go", kind("image"), role("button"), sends("post", post, fld("text", "Your words"))), some(policy.Submit)},
		{"a button without words", click, el("button", "", sends("post", post, fld("text", "Name"))), some(policy.Submit)},
		{"a mail address by GET", click, el("button", "Go on", sends("get", post, fld("email", "E-mail"))), some(policy.Submit)},
		{"personal data by GET", click, el("button", "Go on", sends("get", post, env.Field{Type: "text", Autocomplete: "section-a shipping given-name", Filled: true})), some(policy.Submit)},
		{"a letter by a script's form", click, el("button", "Go on", sends("get", post, fld("textarea", "Your letter"))), some(policy.Submit)},
		{"a sign-in by POST", click, el("button", "Sign in", sends("post", post, fld("text", "User"), fld("password", "Password"))), some(policy.Submit, policy.Credentials)},
		{"a card by POST", click, el("button", "Continue", sends("post", post, env.Field{Type: "text", Autocomplete: "cc-number", Filled: true})), some(policy.Submit, policy.Pay)},
		{"a card by its label", click, el("button", "Weiter", sends("post", post, fld("text", "Kartennummer"))), some(policy.Submit, policy.Pay)},
		{"a file by POST", click, el("button", "Go", sends("post", post, fld("file", "CV"))), some(policy.Submit, policy.Upload)},
		{"a search that takes a password", click, el("button", "Search", sends("post", post, fld("text", "q"), fld("password", "p"))), some(policy.Submit, policy.Credentials)},
		{"a search that takes a mail address", click, el("button", "Search", sends("post", post, fld("email", "Search"))), some(policy.Submit)},
		{"a large search by POST", click, el("button", "Search", sends("post", post, fld("text", "a"), fld("text", "b"), fld("text", "c"))), some(policy.Submit)},
		{"Enter in a form by POST", enter, el("input", "Name", kind("text"), sends("post", post, fld("text", "Name"))), some(policy.Submit)},
		{"typed and entered", typingEnter("Ann"), el("input", "Name", kind("text"), sends("post", post, blank("text", "Name"))), some(policy.Submit)},
		{"a line break in a field of one line", typing("Ann\n"), el("input", "Name", kind("text"), sends("post", post, blank("text", "Name"))), some(policy.Submit)},
		{"typed only", typing("Ann"), el("input", "Name", kind("text"), sends("post", post, blank("text", "Name"))), nothing},
		{"line breaks in a large field", typing("Ann\nBob"), el("textarea", "Letter", within("post", blank("textarea", "Letter"))), nothing},
		{"Enter in a large field", enter, el("textarea", "Message", within("post", fld("textarea", "Message"))), nothing},
		{"Control and Enter there", keys("ctrl+Enter"), el("textarea", "Letter", within("post", fld("textarea", "Letter"))), some(policy.Submit)},
		{"Enter in a chat", enter, el("textarea", "Type a message"), some(policy.Send)},
		{"typed into a chat", typingEnter("hi"), el("div", "Message #general", func(e *env.Element) { e.Editable = true }), some(policy.Send)},
		{"Enter in an editor", enter, el("div", "Document", func(e *env.Element) { e.Editable = true }), nothing},
		{"Enter in a lone field", enter, el("input", "To do", kind("text")), nothing},
		{"Enter in a lone mail field", enter, el("input", "E-mail", kind("email")), some(policy.Submit)},

		{"the address of the form", click, el("button", "Yes", sends("post", "https://shop.example/account/delete")), some(policy.Delete)},
		{"the name of the form", click, el("button", "OK", sends("post", post), formNamed("deleteAccountForm")), some(policy.Delete)},
		{"an order by its address", click, el("button", "Go", sends("post", "https://shop.example/order", fld("text", "Name"))), some(policy.Submit, policy.Buy)},
		{"a payment by its address", click, el("button", "Go", sends("post", "https://shop.example/payment")), some(policy.Pay)},
		{"the words beside what is sent", click, el("button", "Place order", sends("post", post, fld("text", "Name"))), some(policy.Submit, policy.Buy)},
		{"a form of a script with words", click, el("button", "Register", within("get", fld("email", "E-mail"), fld("password", "Password"))), some(policy.Submit, policy.Credentials)},
		{"a vote", click, el("button", "Vote", sends("post", post, fld("radio", "a"))), some(policy.Submit)},
		{"a button outside of its form", click, el("label", "Go on", role("button"), kind("submit"), sends("post", post, fld("text", "Name"))), some(policy.Submit)},
	} {
		c.judge(t)
	}
}

func TestFieldsAreKnownForSecretOnes(t *testing.T) {
	for _, name := range []string{"Password", "PASSWORT", "Mot de passe", "Contraseña", "Parola d'ordine", "Senha", "Wachtwoord", "Hasło", "Пароль", "密码", "パスワード", "비밀번호", "كلمة المرور", "पासवर्ड", "Şifre",
		"Card number", "CVV", "Security code", "One-time code", "Kartennummer", "Numéro de carte", "Código de verificación", "验证码", "認証コード", "인증번호", "PIN", "IBAN", "Seed phrase"} {
		for _, act := range []env.Action{typing("x"), typingEnter("x"), keys("a"), keys("ctrl+v")} {
			if d := (policy.Policy{}).Judge(act, el("input", name, kind("text")), shop); !classed(policy.Credentials, d) {
				t.Errorf("%s into %q: got %v, want credentials", act.Kind, name, d.Classes)
			}
		}
	}
	for _, e := range []*env.Element{
		el("input", "", kind("password")), el("input", "x", kind("tel"), auto("one-time-code")), el("input", "x", auto("section-1 billing cc-csc")), el("input", "x", kind("text"), auto("current-password")),
	} {
		do{"typing", typing("x"), e, some(policy.Credentials)}.judge(t)
		do{"a click", click, e, some()}.judge(t)
		do{"Tab", keys("Tab"), e, some()}.judge(t)
		do{"emptying it", env.Action{Kind: env.Type, Clear: true}, e, some()}.judge(t)
	}
	for _, name := range []string{"Name", "E-mail", "PIN code of your town", "Gift card message", "Voucher code", "Promo code", "Search", "Postal code", "Country code", "Passenger", "Postleitzahl", "Código postal", "邮编", "City", "Password hint"} {
		do{"typing into " + name, typing("x"), el("input", name, kind("text")), some()}.judge(t)
	}
	do{"a sign-in without a form", typingEnter("x"), el("input", "Password", kind("password")), some(policy.Submit, policy.Credentials)}.judge(t)
}

func TestFilesAreUploads(t *testing.T) {
	for _, c := range []do{
		{"a click on a file field", click, el("input", "CV", kind("file"), role("file field")), some(policy.Upload)},
		{"a click on its label", click, el("label", "Choose", kind("file"), role("file field")), some(policy.Upload)},
		{"typing a name into it", typing("cv.pdf"), el("input", "CV", kind("file")), some(policy.Upload)},
		{"a script's button", click, el("button", "Upload file"), some(policy.Upload)},
		{"a paper clip", click, el("button", "📎"), some(policy.Upload)},
		{"a link about it", click, el("a", "Upload file", to("https://shop.example/how")), some()},
		{"a download", click, el("a", "Manual", to("https://shop.example/manual.zip")), some(policy.Download)},
		{"a download's button", click, el("button", "Herunterladen"), some(policy.Download)},
		{"a download by its address", env.Action{Kind: env.VisitURL, URL: "https://shop.example/a.EXE"}, nil, some(policy.Download)},
	} {
		c.judge(t)
	}
}

func TestLinksAreJudgedByWhereTheyLead(t *testing.T) {
	at := func(address string) string { return "https://shop.example" + address }
	for _, c := range []do{
		{"help about it", click, el("a", "Delete account - help", to(at("/help/delete-account"))), some()},
		{"help by its verb alone", click, el("a", "Delete", to(at("/help/delete"))), some()},
		{"a help site", click, el("a", "Delete", to("https://help.example/account/delete")), some()},
		{"a page that asks first", click, el("a", "Delete account", to(at("/settings/delete-account"))), some()},
		{"an order's page", click, el("a", "Place order", to(at("/checkout"))), some()},
		{"a product", click, el("a", "Buy now", to(at("/product/12"))), some()},
		{"a payment's page", click, el("a", "Pay", to(at("/pay"))), some()},
		{"writing a letter", click, el("a", "Send message", to(at("/messages/new"))), some()},
		{"within the page", click, el("a", "Delete account", to(shop+"#delete-account")), some()},
		{"a product called so", click, el("a", "The Order of the Delete Key", to(at("/products/the-delete-key"))), some()},
		{"a button's clothes", click, el("a", "Sign up", role("button"), to(at("/register"))), some()},
		{"a search", click, el("a", "delete", to(at("/search?q=delete"))), some()},
		{"a dropped parameter", click, el("a", "Orders", to(at("/orders?deleted=0"))), some()},

		{"a deed by GET", click, el("a", "Delete", to(at("/items/3/delete"))), some(policy.Delete)},
		{"one without words", click, el("a", "", to(at("/items/delete/3"))), some(policy.Delete)},
		{"one with other words", click, el("a", "Win a prize", to(at("/items/3/destroy"))), some(policy.Delete)},
		{"a parameter", click, el("a", "More", to(at("/items.php?id=3&action=delete"))), some(policy.Delete)},
		{"a parameter's name", click, el("a", "More", to(at("/items.php?delete=3"))), some(policy.Delete)},
		{"confirmed", click, el("a", "Go", to(at("/account/delete-account?confirm=1"))), some(policy.Delete)},
		{"with a token", click, el("a", "Go", to(at("/place-order?csrf_token=abc"))), some(policy.Buy)},
		{"a script", click, el("a", "Delete", to("javascript:void(0)")), some(policy.Delete)},
		{"a script in capitals", click, el("a", "Delete", to(" JavaScript:del()")), some(policy.Delete)},
		{"nowhere", click, el("a", "Buy now", to(shop+"#")), some(policy.Buy)},
		{"the same page", click, el("a", "Pay now", to(shop)), some(policy.Pay)},
		{"a script's route", click, el("a", "Delete account", to(shop+"#!")), some(policy.Delete)},
		{"no address", click, el("a", "Send message"), some(policy.Send)},
		{"a button's clothes and a deed's address", click, el("a", "Place order", role("button"), to(at("/place-order"))), some(policy.Buy)},
		{"a button's clothes and nowhere", click, el("a", "Delete", role("button"), to(shop+"#x")), some(policy.Delete)},
		{"an encoded address", click, el("a", "x", to(at("/items/3/%64elete"))), some(policy.Delete)},
		{"an address in camels", click, el("a", "x", to(at("/Item.aspx?cmd=DeleteItem"))), some(policy.Delete)},
		{"a German address", click, el("a", "x", to(at("/konto/löschen"))), some(policy.Delete)},
		{"typed", env.Action{Kind: env.VisitURL, URL: at("/account/delete?sure=1")}, nil, some(policy.Delete)},
		{"typed, harmless", env.Action{Kind: env.VisitURL, URL: at("/account")}, nil, some()},
	} {
		c.judge(t)
	}
}

func TestDisguisesDoNotHelp(t *testing.T) {
	for _, name := range []string{
		"D\u0435l\u0435t\u0435", "Del\u200bete", "D\u00adelete", "DELETE", "Delete", "Ｄｅｌｅｔｅ", "𝐃𝐞𝐥𝐞𝐭𝐞", "𝓓𝓮𝓵𝓮𝓽𝓮", "D e l e t e", "D.e.l.e.t.e", "De1ete", "DeIete", "D3lete", "Dél\u0301ete", "De-lete", "d_e_l_e_t_e",
		"\u202eDelete\u202c", "🗑", "🗑️", "Ｄеӏеte", "ⓓⓔⓛⓔⓣⓔ", "Delete\u2060!", "dele\ufe0fte", "delete_forever", "Dеlеtе аccоunt", "de\nlete", "ᴅᴇʟᴇᴛᴇ",
	} {
		if d := (policy.Policy{}).Judge(click, el("button", name), shop); !classed(policy.Delete, d) {
			t.Errorf("%q: got %v, want delete", name, d.Classes)
		}
	}
	for name, class := range map[string]policy.Class{
		"P@y now": policy.Pay, "Рау": policy.Pay, "Рay n0w": policy.Pay, "Ρlace οrder": policy.Buy, "Bυy now": policy.Buy, "P l a c e  o r d e r": policy.Buy, "💳": policy.Pay, "➤": policy.Send, "✉️": policy.Send,
		"Ｓｅｎｄ": policy.Send, "ѕеnd": policy.Send, "уда\u200bлить": policy.Delete, "yдaлить": policy.Delete, "删\u200b除": policy.Delete, "刪 除": policy.Delete, "ｻｸｼﾞｮ 削除": policy.Delete, "L\u00f6\u0308schen": policy.Delete,
		"SİL": policy.Delete, "sıl": policy.Delete, "USUŃ": policy.Delete, "حـــذف": policy.Delete, "$end": policy.Send, "S1gn and": policy.Sign,
	} {
		if d := (policy.Policy{}).Judge(click, el("button", name), shop); !classed(class, d) {
			t.Errorf("%q: got %v, want %s", name, d.Classes, class)
		}
	}
	for _, c := range []do{
		{"an innocent label over true words", click, el("button", "Show more", shows("Delete account")), some(policy.Delete)},
		{"true words in a label only", click, el("button", "Delete account", shows("×")), some(policy.Delete)},
		{"a heading's role", click, el("button", "Delete account", role("heading")), some(policy.Delete)},
		{"no role", click, el("button", "Delete account", role("presentation")), some(policy.Delete)},
		{"a tab's role on what sends a form", click, el("button", "Pay now", role("tab"), sends("post", shop)), some(policy.Pay)},
		{"a box of a script", click, el("div", "Delete"), some(policy.Delete)},
		{"a picture", click, el("img", "Delete"), some(policy.Delete)},
		{"an element of its own", click, el("x-button", "Place order"), some(policy.Buy)},
		{"an item of a menu", click, el("li", "Delete", role("menuitem")), some(policy.Delete)},
		{"an item of a list", click, el("li", "Delete"), some(policy.Delete)},
		{"a long text", click, el("div", "You can delete your account whenever you like, and so on"), some()},
		{"words beside an exception", click, el("button", "Remove from basket and delete account"), some(policy.Delete)},
		{"a slider", env.Action{Kind: env.LeftClickDrag, From: &env.Point{}, Point: &env.Point{X: 9}}, el("div", "Slide to pay"), some(policy.Pay)},
		{"typing with a point on a button", env.Action{Kind: env.Type, Text: "x", Point: &env.Point{}}, el("button", "Delete"), some(policy.Delete)},
		{"Space on a button", keys("Space"), el("button", "Delete"), some(policy.Delete)},
		{"a double click", env.Action{Kind: env.DoubleClick, Point: &env.Point{}}, el("button", "Delete"), some(policy.Delete)},
		{"Enter by another name", keys("KP_Enter"), el("button", "Delete"), some(policy.Delete)},
		{"Return in a chord", keys("shift+Return"), el("button", "Delete"), some(policy.Delete)},
		{"a sign for it", keys("⏎"), el("button", "Delete"), some(policy.Delete)},
		{"a line break", keys("\n"), el("button", "Delete"), some(policy.Delete)},
		{"first Tab, then Enter", keys("Tab", "Enter"), el("button", "Next"), some(policy.Submit)},
		{"the same in one word", keys("Tab+Enter"), nil, some(policy.Submit)},
		{"a letter on a button", keys("d"), el("button", "Delete"), some()},
		{"Escape", keys("Escape"), el("button", "Delete"), some()},
		{"the other button", env.Action{Kind: env.RightClick, Point: &env.Point{}}, el("button", "Delete"), some()},
		{"the pointer over it", env.Action{Kind: env.MouseMove, Point: &env.Point{}}, el("button", "Delete"), some()},
		{"nothing there", click, nil, some()},
		{"what unfolds", click, el("summary", "Delete account", role("button")), some(policy.Delete)},
		{"a switch", click, el("button", "Delete old mails by itself", role("switch")), some()},
		{"a tab", click, el("div", "Send", role("tab")), some()},
		{"a list's heading", click, el("th", "Delete"), some()},
	} {
		c.judge(t)
	}
}
