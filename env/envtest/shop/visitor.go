package shop

import (
	"crypto/rand"
	"net/http"
)

// visitor is what the shop knows of one browser.
type visitor struct {
	basket []Item
	// last is the visitor's latest order; nil before the first.
	last *Order
}

const cookieName = "shop_visitor"

// visitor finds the request's visitor by cookie, or makes a new one. The
// caller holds s.mu.
func (s *Shop) visitor(w http.ResponseWriter, r *http.Request) *visitor {
	if cookie, err := r.Cookie(cookieName); err == nil {
		if v := s.visitors[cookie.Value]; v != nil {
			return v
		}
	}
	id := rand.Text()
	v := &visitor{}
	s.visitors[id] = v
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	return v
}

// add puts an item into the basket; the same mug in the same size is one line.
func (v *visitor) add(item Item) {
	for i, have := range v.basket {
		if have.Glaze == item.Glaze && have.Size == item.Size {
			v.basket[i].Quantity += item.Quantity
			return
		}
	}
	v.basket = append(v.basket, item)
}

// order empties the basket into an order.
func (v *visitor) order(name, address string) Order {
	order := Order{Code: newCode(), Name: name, Address: address, Items: v.basket}
	v.basket, v.last = nil, &order
	return order
}
