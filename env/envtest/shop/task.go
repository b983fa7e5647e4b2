package shop

// Task asks for one order in plain words. It gives every value that has to be
// chosen or typed in quotes, and the permission to order.
const Task = `Order mugs for a friend. Search the shop for "mug", open the mug with the glaze "magenta", ` +
	`choose the size "large" and the quantity "2", and put it into the basket. Then check out with the name ` +
	`"Ada Winter" and the address "7 Lantern Street, Porto", and place the order; I agree to buying it. ` +
	`Answer with the order number on the receipt and nothing else.`

// Wanted is the order that Task asks for. Its Code is empty: only the receipt
// has it.
func Wanted() Order {
	return Order{
		Name:    "Ada Winter",
		Address: "7 Lantern Street, Porto",
		Items:   []Item{{Glaze: "magenta", Size: "large", Quantity: 2}},
	}
}
