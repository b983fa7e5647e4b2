package shop

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// view is what every page template gets.
type view struct {
	Title  string
	Query  string
	Mugs   []Mug
	Mug    Mug
	Sizes  []string
	Max    int
	Basket []Item
	Order  *Order
	// Problem is what was wrong with a form; empty when nothing was.
	Problem string
	Name    string
	Address string
}

// Count is how many mugs are in the basket.
func (v view) Count() int {
	n := 0
	for _, item := range v.Basket {
		n += item.Quantity
	}
	return n
}

// Total is what the basket costs, in cents.
func (v view) Total() int { return total(v.Basket) }

func (s *Shop) routes() {
	s.page("GET /{$}", s.start)
	s.page("GET /search", s.search)
	s.page("GET /mug/{glaze}", s.product)
	s.page("POST /basket", s.add)
	s.page("GET /basket", s.basket)
	s.page("GET /checkout", s.checkout)
	s.page("POST /order", s.order)
	s.page("GET /receipt", s.receipt)
	s.mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
}

// outcome is a page to show, or where to go instead.
type outcome struct {
	template string
	view     view
	redirect string
}

// page serves one route: the visitor is found and the whole shop is locked
// while the route decides what comes of it.
func (s *Shop) page(pattern string, decide func(*http.Request, *visitor) outcome) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		v := s.visitor(w, r)
		out := decide(r, v)
		out.view.Basket = slices.Clone(v.basket)
		s.mu.Unlock()
		if out.redirect != "" {
			http.Redirect(w, r, out.redirect, http.StatusSeeOther)
			return
		}
		var body bytes.Buffer
		if err := s.pages.ExecuteTemplate(&body, out.template, out.view); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(body.Bytes()) // a visitor who left is no concern of the shop's
	})
}

func (s *Shop) start(*http.Request, *visitor) outcome {
	return outcome{template: "start.html", view: view{Title: "Kiln & Tide"}}
}

// search finds mugs by a word of their name, their line, or "mug" for all.
func (s *Shop) search(r *http.Request, _ *visitor) outcome {
	query := strings.TrimSpace(r.FormValue("q"))
	word := strings.ToLower(query)
	var found []Mug
	for _, m := range catalogue() {
		if strings.Contains(strings.ToLower(m.Glaze+" mug "+m.Words), word) {
			found = append(found, m)
		}
	}
	return outcome{template: "results.html", view: view{Title: "Search", Query: query, Mugs: found}}
}

func (s *Shop) product(r *http.Request, _ *visitor) outcome {
	m, ok := findMug(r.PathValue("glaze"))
	if !ok {
		return outcome{redirect: "/search?q=mug"}
	}
	return outcome{template: "product.html", view: productView(m, "")}
}

func productView(m Mug, problem string) view {
	return view{Title: m.Glaze, Mug: m, Sizes: sizes(), Max: maxQuantity, Problem: problem}
}

func (s *Shop) add(r *http.Request, v *visitor) outcome {
	m, ok := findMug(r.FormValue("glaze"))
	if !ok {
		return outcome{redirect: "/search?q=mug"}
	}
	item := Item{Glaze: m.Glaze, Size: r.FormValue("size")}
	quantity, err := strconv.Atoi(r.FormValue("quantity"))
	if !slices.Contains(sizes(), item.Size) {
		return outcome{template: "product.html", view: productView(m, "Please choose a size.")}
	}
	if err != nil || quantity < 1 || quantity > maxQuantity {
		return outcome{template: "product.html", view: productView(m, "Please choose one to five mugs.")}
	}
	item.Quantity = quantity
	v.add(item)
	return outcome{redirect: "/basket"}
}

func (s *Shop) basket(*http.Request, *visitor) outcome {
	return outcome{template: "basket.html", view: view{Title: "Basket"}}
}

func (s *Shop) checkout(_ *http.Request, v *visitor) outcome {
	if len(v.basket) == 0 {
		return outcome{redirect: "/basket"}
	}
	return outcome{template: "checkout.html", view: view{Title: "Checkout"}}
}

// order takes the form once: with an empty basket, as after a second click, it
// shows the receipt that is already there.
func (s *Shop) order(r *http.Request, v *visitor) outcome {
	if len(v.basket) == 0 {
		return outcome{redirect: "/receipt"}
	}
	name, address := strings.TrimSpace(r.FormValue("name")), strings.TrimSpace(r.FormValue("address"))
	if name == "" || address == "" {
		return outcome{template: "checkout.html", view: view{
			Title: "Checkout", Problem: "Please give a name and an address.", Name: name, Address: address,
		}}
	}
	s.orders = append(s.orders, v.order(name, address))
	return outcome{redirect: "/receipt"}
}

func (s *Shop) receipt(_ *http.Request, v *visitor) outcome {
	if v.last == nil {
		return outcome{redirect: "/"}
	}
	last := *v.last
	return outcome{template: "receipt.html", view: view{Title: "Thank you", Order: &last}}
}
