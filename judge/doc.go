// Package judge decides from what is known of a run whether its answer reaches the
// goal. It asks nobody to act: the loop that sends an answer back is another's, and
// so are the browser and the model's server.
//
// Three verifiers, each with a verdict of its own: Schema holds the answer to a JSON
// Schema, Assertions holds answer, page and run to checks that a person wrote, and
// Model has a model that sees look at the last frames. A verdict accepts, rejects
// with a class, or is unsure; what nothing is known about is unproven and never
// passes in silence.
//
// # Assertions
//
// One assertion a line. Empty lines and lines that begin with # say nothing; a
// comment has a line of its own.
//
//	url is https://shop.test/order/*
//	title is not "Error"
//	text contains Thank you for your order
//	not text contains Sold out
//	element "#cart .total" number is 12.50 €
//	element #agree is checked
//	element .row count >= 3
//	cookie session exists
//	download *.csv exists
//	request POST /order count is 1
//	answer number is 1234.5 within 0.01
//	any of
//	  answer contains Paris
//	  answer matches /^\s*lutetia/i
//
// A line is what it is about, then what is said of it:
//
//	url                       the page's address
//	title, text               the page's title; what a person can read on the page
//	answer                    the answer
//	cookie NAME               a cookie that the page's site gets
//	element SELECTOR          the page's elements that a CSS selector finds; also
//	                          element SELECTOR value, a field's content
//	download NAME             a finished download, * standing for anything; also
//	                          download NAME sha256, and size in bytes
//	request METHOD ADDRESS    a request that the page made, METHOD * being any; also
//	                          request METHOD ADDRESS status, the reply's
//
//	is VALUE, is not VALUE                     the whole of it
//	contains VALUE, does not contain VALUE     a part of it
//	matches /PATTERN/, does not match /PATTERN/   Go's regular expressions, anywhere
//	                                           in it; i, m and s may follow
//	is empty, is not empty
//	exists, does not exist                     for cookie, element, download, request;
//	                                           without any words it exists
//	count is 2, count >= 2                     how many there are, for the same
//	is visible, hidden, enabled, disabled, checked, unchecked     for elements
//	number is 12.5, number >= 3                the one number in it
//	any number is 12.5                         one of the numbers in it
//
// Numbers compare with is, is not, <, <=, > and >=; `within 0.5` or `within 5%`
// behind is gives room.
//
// A value is the rest of the line, or stands in quotes: "..." with \" and \\, or
// '...' as it is. A selector or a name with spaces needs quotes. Words in quotes
// are only words: is "empty" asks for the word.
//
// `not` in front turns an assertion round. Lines indented below `any of`, `all of`
// or `none of` belong to it. A file named .yaml, .yml or .json holds a list of
// texts, each an assertion, or a group over several lines.
//
// A fault is told as FILE:LINE with what is expected there.
//
// # How things are compared
//
// Texts without regard to case, to how white space, quotes and dashes are written,
// and to forms of Unicode (é as one character or two). Of an answer, quotes,
// backticks and asterisks around it and a full stop at its end do not count for is.
// Patterns see the text as it stands.
//
// Addresses by their parts; * stands for any characters within one. What the
// assertion leaves out is not compared: the scheme, the site when it begins with /,
// the query when there is no ?, the fragment when there is no #. The slash at a
// path's end and a scheme's own port do not count. In contains, case counts, and an
// address is searched with and without its escapes.
//
// Numbers as people write them: 1,234.50 and 1.234,50 and 1 234,50 are one number,
// 12 % is 12, 3.5 million is 3500000. In an assertion they are written plainly, as
// 1234.5, with a unit behind if it matters: then only numbers with that unit count,
// € and EUR being the same. A text with several numbers has no `number`. Where
// 1.234 may be 1234 or 1.234, is takes either; less and more need both.
//
// Of several elements, cookies or downloads one that is so is enough. `is not` and
// its kin need that there is one, and that none of them is so.
//
// # What the model is told
//
// A rejection's Reason goes back to the model. It says what an assertion is about
// and what was found, never the value that was wanted: the answer stays the model's
// own. People find everything in Checks.
package judge
