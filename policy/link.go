package policy

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"fara/env"
)

// opens reports whether pressing the element only goes to another address. A link
// to nowhere, or to the very page it stands on, is a button: a script does its
// work.
func opens(hit *env.Element) bool {
	address, fragment, _ := strings.Cut(hit.Link, "#")
	own, _, _ := strings.Cut(hit.Document, "#")
	switch {
	case hit.Link == "" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(hit.Link)), "javascript:"):
		return false
	case address == own:
		return fragment != "" && !strings.HasPrefix(fragment, "!") && hit.Role != "button" && hit.Role != "menuitem"
	}
	return true
}

// verbs are what addresses call a deed, folded and without spaces.
var verbs = map[Class][]string{
	Delete: {"delete", "remove", "destroy", "erase", "purge", "wipe", "del", "deactivate", "loeschen", "loschen", "entfernen", "supprimer",
		"effacer", "eliminar", "borrar", "elimina", "cancella", "excluir", "apagar", "remover", "verwijderen", "verwijder", "usun", "skasuj",
		"udalit", "sil", "kaldir", "hapus", "smazat", "slet", "radera", "poista", "shanchu", "sakujo", "удалить", "删除", "刪除", "削除", "삭제"},
	Pay: {"pay", "payment", "payments", "paynow", "makepayment", "confirmpayment", "charge", "donate", "transfer", "withdraw", "bezahlen", "zahlen", "zahlung",
		"payer", "paiement", "pagar", "pago", "paga", "pagamento", "betalen", "betaling", "zaplac", "platnosc", "oplata", "odeme"},
	Buy: {"placeorder", "confirmorder", "submitorder", "completeorder", "order", "orders", "purchase", "buy", "buynow", "oneclick", "book", "booknow", "reserve",
		"bestellen", "kaufen", "commander", "acheter", "comprar", "pedido", "acquista", "ordina", "bestel", "kopen", "kup", "zamow", "kupit", "zakaz", "satinal"},
	Send: {"send", "sendmessage", "sendmail", "senden", "envoyer", "enviar", "invia", "verzenden", "wyslij", "otpravit", "gonder"},
	Sign: {"sign", "esign", "signdocument", "signcontract", "unterschreiben", "signer", "firmar", "firma", "assinar", "ondertekenen", "podpisz", "podpisat", "imzala"},
}

// questions are parameters whose value says what an address does.
var questions = []string{"action", "act", "do", "op", "operation", "cmd", "command", "method", "_method", "task", "aktion", "accion", "azione"}

// confirmed are parameters of a deed that was asked about: an address with one of them is more than a page that
// asks first.
var confirmed = []string{"confirm", "confirmed", "token", "csrf", "csrf_token", "nonce", "_wpnonce", "sure", "force", "key", "hash", "sig"}

// readers are parts of addresses whose pages are read: that one of them is about a
// deed is no deed.
var readers = []string{"help", "docs", "doc", "documentation", "faq", "support", "wiki", "blog", "article", "articles", "news", "guide", "guides",
	"howto", "learn", "knowledge", "kb", "community", "forum", "forums", "question", "questions", "topic", "topics", "search", "tag", "tags", "hilfe", "aide", "ayuda", "ajuda", "aiuto", "pomoc"}

// linkClasses is what opening an address does. Opening it asks by GET, which should
// change nothing, so only an address that says itself what it does counts.
func linkClasses(address string) []Class {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	var out []Class
	if !reading(u) {
		for _, c := range []Class{Buy, Pay, Send, Delete, Sign} {
			if commanded(c, u) {
				out = append(out, c)
			}
		}
	}
	if files[strings.ToLower(path.Ext(u.Path))] {
		out = append(out, Download)
	}
	return out
}

// followClasses is what following a link does: what its address says, and what its
// words say if the address agrees.
func followClasses(hit *env.Element) []Class {
	found := set{}
	found.add(linkClasses(hit.Link)...)
	u, err := url.Parse(hit.Link)
	if err != nil || reading(u) {
		return found.list()
	}
	agrees := func(c Class) bool {
		if hit.Role == "button" || hit.Role == "menuitem" { // it says of itself that it does something
			return slices.ContainsFunc(segments(u.Path), func(s []string) bool { return deed(c, s) })
		}
		return c == Delete && slices.ContainsFunc(lastWords(hit.Link), func(s []string) bool { return len(s) == 1 && deed(c, s) })
	}
	for _, c := range []Class{Buy, Pay, Send, Delete, Sign} {
		if agrees(c) && says(string(c), false, hit.Name, hit.Text) {
			found.add(c)
		}
	}
	return found.list()
}

// commanded reports whether an address orders a deed: by a parameter, by a last
// part that is its verb (for deleting, which is what such links are known for), or
// by any part that tells of it together with a sign that it was confirmed.
func commanded(c Class, u *url.URL) bool {
	query := u.Query()
	sure := false
	for name, values := range query {
		sure = sure || slices.Contains(confirmed, strings.ToLower(name))
		switch asked := slices.Contains(questions, strings.ToLower(name)); {
		case asked && slices.ContainsFunc(values, func(v string) bool { return deed(c, addressWords(v)) }):
			return true
		case c == Delete && deed(c, addressWords(name)) && len(addressWords(name)) == 1:
			return true // "?delete=3"
		}
	}
	for _, s := range lastWords(u.String()) {
		if deed(c, s) && (sure || c == Delete && len(s) == 1) {
			return true
		}
	}
	return false
}

// reading reports whether an address is that of something to read.
func reading(u *url.URL) bool {
	first, _, _ := strings.Cut(u.Hostname(), ".")
	if slices.Contains(readers, first) {
		return true
	}
	return slices.ContainsFunc(segments(u.Path), func(s []string) bool { return slices.Contains(readers, strings.Join(s, "")) })
}

// deed reports whether the words of an address's part begin or end with a verb of
// the class, or are one when they are put together.
func deed(c Class, words []string) bool {
	if len(words) == 0 || len(words) > 3 {
		return false
	}
	has := func(word string) bool { return slices.Contains(verbs[c], word) }
	return has(strings.Join(words, "")) || c == Delete && (has(words[0]) || has(words[len(words)-1]))
}

// lastWords gives the words of the last two parts of an address that are no
// numbers or names of things.
func lastWords(address string) [][]string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	var out [][]string
	all := segments(u.Path)
	for i := len(all) - 1; i >= 0 && len(out) < 2; i-- {
		out = append(out, all[i])
	}
	return out
}

// segments gives the words of each part of a path.
func segments(p string) [][]string {
	var out [][]string
	for part := range strings.SplitSeq(p, "/") {
		if words := addressWords(part); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// addressWords splits "deleteAccount", "delete-account" and "delete_account.php".
func addressWords(part string) []string {
	part = strings.TrimSuffix(part, path.Ext(part))
	var spaced strings.Builder
	lower := false
	for _, r := range part {
		if unicode.IsUpper(r) && lower {
			spaced.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		spaced.WriteRune(r)
	}
	return slices.DeleteFunc(tokens(fold(spaced.String())), idle)
}

// files are endings of addresses whose files browsers do not show.
var files = map[string]bool{
	".zip": true, ".exe": true, ".dmg": true, ".msi": true, ".pkg": true, ".deb": true, ".rpm": true, ".apk": true, ".iso": true, ".tar": true,
	".gz": true, ".tgz": true, ".bz2": true, ".xz": true, ".7z": true, ".rar": true, ".jar": true, ".bin": true, ".csv": true, ".xls": true,
	".xlsx": true, ".doc": true, ".docx": true, ".ppt": true, ".pptx": true, ".ods": true, ".odt": true, ".epub": true, ".torrent": true, ".bat": true, ".scr": true, ".ps1": true,
}
