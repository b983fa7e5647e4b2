package shop_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"fara/env/envtest/shop"
)

// visit is one browser as far as net/http can be one.
type visit struct {
	t      *testing.T
	client *http.Client
	root   string
}

func open(t *testing.T) (*shop.Shop, string) {
	t.Helper()
	s := shop.New()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

func enter(t *testing.T, root string) visit {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return visit{t, &http.Client{Jar: jar}, root}
}

func (v visit) read(resp *http.Response, err error) (path, body string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		v.t.Errorf("%s: got status %d: %s", resp.Request.URL, resp.StatusCode, data)
	}
	return resp.Request.URL.Path, string(data)
}

func (v visit) get(path string) (string, string) {
	v.t.Helper()
	return v.read(v.client.Get(v.root + path))
}

func (v visit) post(path string, values ...string) (string, string) {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	return v.read(v.client.PostForm(v.root+path, form))
}

func TestOrderArrivesExactlyAsGiven(t *testing.T) {
	s, root := open(t)
	v := enter(t, root)
	if path, body := v.post("/basket", "glaze", "magenta", "size", "large", "quantity", "2"); path != "/basket" || !strings.Contains(body, "large, 2 ×") {
		t.Errorf("added: at %s, want the basket with the line", path)
	}
	path, body := v.post("/order", "name", " Ada Winter ", "address", "7 Lantern Street, Porto")
	if path != "/receipt" {
		t.Errorf("ordered: at %s, want the receipt", path)
	}
	orders := s.Orders()
	if len(orders) != 1 {
		t.Fatalf("got %d orders, want 1", len(orders))
	}
	got := orders[0]
	code := got.Code
	got.Code = ""
	if !reflect.DeepEqual(got, shop.Wanted()) {
		t.Errorf("got %+v, want %+v", got, shop.Wanted())
	}
	if got.Cents() != 5800 {
		t.Errorf("got %d cents, want 5800", got.Cents())
	}
	if !regexp.MustCompile(`^[1-9][0-9]{5}$`).MatchString(code) || !strings.Contains(body, ">"+code+"<") {
		t.Errorf("the receipt does not show the six digits of %q", code)
	}
	squares := regexp.MustCompile(`<i class="d([0-9])">`).FindAllStringSubmatch(body, -1)
	drawn := ""
	for _, square := range squares {
		drawn += square[1]
	}
	if drawn != code {
		t.Errorf("the squares read %q, want %q", drawn, code)
	}
}

func TestSecondClickDoesNotOrderTwice(t *testing.T) {
	s, root := open(t)
	v := enter(t, root)
	v.post("/basket", "glaze", "moss", "size", "small", "quantity", "1")
	_, first := v.post("/order", "name", "A", "address", "B")
	if path, second := v.post("/order", "name", "A", "address", "B"); path != "/receipt" || first != second {
		t.Errorf("at %s with another page, want the same receipt", path)
	}
	if got := len(s.Orders()); got != 1 {
		t.Errorf("got %d orders, want 1", got)
	}
}

func TestVisitorsHaveTheirOwnBaskets(t *testing.T) {
	s, root := open(t)
	one, two := enter(t, root), enter(t, root)
	one.post("/basket", "glaze", "moss", "size", "small", "quantity", "1")
	two.post("/basket", "glaze", "sage", "size", "medium", "quantity", "3")
	two.post("/order", "name", "Two", "address", "There")
	if _, body := one.get("/basket"); !strings.Contains(body, "Moss mug") || strings.Contains(body, "Sage mug") {
		t.Error("the first basket does not hold its own mug alone")
	}
	if orders := s.Orders(); len(orders) != 1 || orders[0].Items[0].Glaze != "sage" {
		t.Errorf("got %+v, want the second visitor's order only", orders)
	}
	if path, _ := one.get("/receipt"); path != "/" {
		t.Errorf("a receipt without an order: at %s, want the start page", path)
	}
}

func TestFormsAreCheckedAndExplained(t *testing.T) {
	s, root := open(t)
	v := enter(t, root)
	for _, tt := range []struct{ size, quantity, want string }{
		{"", "1", "choose a size"}, {"huge", "1", "choose a size"}, {"small", "6", "one to five"}, {"small", "x", "one to five"},
	} {
		if _, body := v.post("/basket", "glaze", "sage", "size", tt.size, "quantity", tt.quantity); !strings.Contains(body, tt.want) {
			t.Errorf("size %q, quantity %q: the page does not say %q", tt.size, tt.quantity, tt.want)
		}
	}
	if path, _ := v.get("/checkout"); path != "/basket" {
		t.Errorf("checkout with an empty basket: at %s, want the basket", path)
	}
	v.post("/basket", "glaze", "sage", "size", "small", "quantity", "1")
	_, body := v.post("/order", "name", `<b>"Eve"`, "address", " ")
	if !strings.Contains(body, "give a name and an address") || !strings.Contains(body, "&lt;b&gt;&#34;Eve&#34;") {
		t.Error("the form does not come back with its problem and what was typed, escaped")
	}
	if got := len(s.Orders()); got != 0 {
		t.Errorf("got %d orders, want none", got)
	}
}

func TestSameMugInTheSameSizeIsOneLine(t *testing.T) {
	s, root := open(t)
	v := enter(t, root)
	for _, size := range []string{"small", "small", "large"} {
		v.post("/basket", "glaze", "oat", "size", size, "quantity", "2")
	}
	v.post("/order", "name", "A", "address", "B")
	want := []shop.Item{{Glaze: "oat", Size: "small", Quantity: 4}, {Glaze: "oat", Size: "large", Quantity: 2}}
	if got := s.Orders()[0].Items; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSearchFindsByWord(t *testing.T) {
	_, root := open(t)
	v := enter(t, root)
	for query, want := range map[string]int{"mug": 16, "MAGENTA": 1, "zebra": 0} {
		if _, body := v.get("/search?q=" + query); strings.Count(body, `class="card"`) != want {
			t.Errorf("%s: got %d results, want %d", query, strings.Count(body, `class="card"`), want)
		}
	}
}

func TestPagesNeedNothingFromOutside(t *testing.T) {
	_, root := open(t)
	v := enter(t, root)
	v.post("/basket", "glaze", "sage", "size", "small", "quantity", "1")
	outside := regexp.MustCompile(`https?://|//[a-z]|@import|url\(| src=`)
	for _, path := range []string{"/", "/search?q=mug", "/mug/sage", "/basket", "/checkout"} {
		_, body := v.get(path)
		if found := outside.FindString(body); found != "" || !strings.Contains(body, "</html>") {
			t.Errorf("%s: found %q, want a whole page by itself", path, found)
		}
	}
}

func TestTaskGivesEveryWantedValue(t *testing.T) {
	want := shop.Wanted()
	for _, value := range []string{want.Name, want.Address, want.Items[0].Glaze, want.Items[0].Size, "2", "mug"} {
		if !strings.Contains(shop.Task, `"`+value+`"`) {
			t.Errorf("the task does not give %q", value)
		}
	}
	if want.Items[0].Quantity != 2 {
		t.Errorf("got quantity %d, want the task's 2", want.Items[0].Quantity)
	}
}
