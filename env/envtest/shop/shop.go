// Package shop is a small local mug shop for the demo and for tests: a site
// with a search, a list longer than the screen, choices, a basket, a form and a
// receipt. It keeps every order, so that whoever sent an agent there can check
// what really arrived.
//
// It needs nothing from outside, and its controls have saturated fills of their
// own, so that a model that sees nothing but pixels can find its way. It is no
// suite for environments; env/envtest is.
package shop

import (
	"crypto/rand"
	"embed"
	"html/template"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed pages style.css
var files embed.FS

// Shop is the site. It may serve several visitors at once.
type Shop struct {
	mux   *http.ServeMux
	pages *template.Template

	mu       sync.Mutex
	visitors map[string]*visitor
	orders   []Order
}

// New opens a shop with no orders.
func New() *Shop {
	s := &Shop{
		mux:      http.NewServeMux(),
		pages:    template.Must(template.New("").Funcs(functions()).ParseFS(files, "pages/*.html", "style.css")),
		visitors: map[string]*visitor{},
	}
	s.routes()
	return s
}

// ServeHTTP serves the shop's pages under "/".
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Orders gives every order placed so far, oldest first.
func (s *Shop) Orders() []Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.orders)
	for i := range out {
		out[i].Items = slices.Clone(out[i].Items)
	}
	return out
}

// Order is what a visitor ordered.
type Order struct {
	// Code is the number on the receipt: six digits, drawn at random, which
	// nobody can know without having seen the receipt.
	Code    string
	Name    string
	Address string
	Items   []Item
}

// Item is one line of a basket.
type Item struct {
	// Glaze names the mug, Size is "small", "medium" or "large".
	Glaze    string
	Size     string
	Quantity int
}

// Mug is the product the item is about.
func (i Item) Mug() Mug {
	mug, _ := findMug(i.Glaze)
	return mug
}

// Cents is the item's price for the whole quantity.
func (i Item) Cents() int { return i.Quantity * i.Mug().Cents[i.Size] }

// Cents is what the order costs.
func (o Order) Cents() int { return total(o.Items) }

func total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Cents()
	}
	return sum
}

// newCode draws an order number without a leading zero.
func newCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(900_000))
	if err != nil {
		return "100000" // crypto/rand does not fail on any system Go runs on
	}
	return strconv.FormatInt(n.Int64()+100_000, 10)
}

func functions() template.FuncMap {
	return template.FuncMap{
		"euros":  euros,
		"digits": func(code string) []string { return strings.Split(code, "") },
		"find": func(glaze string) Mug {
			m, _ := findMug(glaze)
			return m
		},
		"upper": func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
	}
}

// euros writes cents as "€24.00".
func euros(cents int) string {
	frac := strconv.Itoa(100 + cents%100)[1:]
	return "€" + strconv.Itoa(cents/100) + "." + frac
}
