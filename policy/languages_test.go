package policy_test

import (
	"strings"
	"testing"

	"fara/policy"
)

// tongue has, for each class, names of buttons that do it, and names that look like
// it and do not.
type tongue struct{ buy, pay, send, del, sign, submit, none string }

var tongues = map[string]tongue{
	"en": {"Place order|Buy now|Complete your purchase|BUY IT NOW|Book now", "Pay $12.99|Pay now|Confirm payment|Donate|Transfer", "Send|Send message|Post|Publish", "Delete|Delete account|Permanently delete|Cancel subscription|Empty trash", "Sign document|Agree and sign|Accept terms|Sign", "Submit|Submit application",
		"Add to basket|Sign in|Sign out|Sort by|Next|Remove from cart|Delete filters|Payment methods|Buyer protection|Order history|Accept all cookies|Continue|Pay attention|Sending options|Checkout|Choose a place|Details|Close|Save for later|Search|Previous|Show more|Purchase history"},
	"de": {"Zahlungspflichtig bestellen|Jetzt kaufen|Bestellung aufgeben|Jetzt buchen", "Jetzt bezahlen|12,99 € bezahlen mit PayPal|Überweisen|Spenden", "Senden|Nachricht senden|Absenden|Veröffentlichen", "Löschen|Konto löschen|Endgültig entfernen|Abo kündigen|Loeschen", "Unterschreiben|Vertrag annehmen|AGB akzeptieren", "Einreichen|Antrag absenden",
		"In den Warenkorb|Anmelden|Zur Kasse|Weiter|Filter löschen|Bestellübersicht|Wissen|Zahlungsarten|Suchen|Abmelden|Alle akzeptieren|Merkzettel"},
	"fr": {"Passer commande|Acheter|Valider la commande|Réserver", "Payer|Payer 12,99 €|Confirmer le paiement|Faire un don", "Envoyer|Publier|Envoyer le message", "Supprimer|Supprimer le compte|Résilier|Vider la corbeille", "Signer|Accepter le contrat|Signer le document", "Soumettre|Postuler",
		"Ajouter au panier|Se connecter|Suivant|Rechercher|Modes de paiement|Supprimer les filtres|Tout accepter|Voir mes commandes|Moyens de paiement"},
	"es": {"Realizar pedido|Comprar ahora|Finalizar compra|Reservar", "Pagar|Pagar ahora|Confirmar pago|Donar", "Enviar|Publicar|Enviar mensaje", "Eliminar|Eliminar cuenta|Borrar|Dar de baja", "Firmar|Aceptar el contrato|Acepto los términos", "Enviar solicitud|Presentar solicitud",
		"Añadir a la cesta|Iniciar sesión|Siguiente|Buscar|Métodos de pago|Eliminar filtros|Aceptar todo|Mis pedidos"},
	"it": {"Effettua l'ordine|Acquista ora|Conferma l'ordine|Prenota", "Paga|Paga ora|Conferma pagamento|Dona ora", "Invia|Invia messaggio|Pubblica", "Elimina|Elimina account|Svuota cestino|Cancella", "Firma|Firma il contratto|Accetta le condizioni", "Invia domanda|Invia richiesta",
		"Aggiungi al carrello|Accedi|Avanti|Cerca|Metodi di pagamento|Elimina filtri|Accetta tutti|I miei ordini"},
	"pt": {"Finalizar pedido|Comprar agora|Confirmar compra|Reservar", "Pagar|Pagar agora|Confirmar pagamento|Doar", "Enviar|Publicar|Enviar mensagem", "Excluir|Excluir conta|Apagar|Cancelar assinatura", "Assinar|Aceitar o contrato|Aceito os termos", "Enviar candidatura|Submeter",
		"Adicionar ao carrinho|Entrar|Próximo|Buscar|Formas de pagamento|Excluir filtros|Aceitar tudo|Meus pedidos"},
	"nl": {"Bestelling plaatsen|Nu kopen|Bestellen en betalen|Boek nu", "Betalen|Nu betalen|Betaling bevestigen|Doneer", "Versturen|Verzenden|Bericht sturen", "Verwijderen|Account verwijderen|Abonnement opzeggen", "Ondertekenen|Contract accepteren", "Indienen|Aanvraag indienen",
		"In winkelwagen|Inloggen|Volgende|Zoeken|Betaalmethoden|Filters verwijderen|Alles accepteren|Boeken|Plaatsen in Nederland"},
	"pl": {"Złóż zamówienie|Kup teraz|Zamawiam i płacę|Zarezerwuj", "Zapłać|Zapłać 12 zł|Potwierdź płatność|Wykonaj przelew", "Wyślij|Opublikuj|Wyślij wiadomość", "Usuń|Usuń konto|Skasuj|Opróżnij kosz", "Podpisz|Zaakceptuj umowę", "Złóż wniosek|Prześlij",
		"Dodaj do koszyka|Zaloguj się|Dalej|Szukaj|Metody płatności|Usuń filtry|Akceptuj wszystkie|Moje zamówienia"},
	"ru": {"Оформить заказ|Купить|Подтвердить заказ|Забронировать", "Оплатить|Оплатить 500 ₽|Перевести деньги|Пожертвовать", "Отправить|Опубликовать|Отправить сообщение", "Удалить|Удалить аккаунт|УДАЛИТЬ|Отменить подписку", "Подписать|Принять договор", "Подать заявку|Отправить заявку",
		"В корзину|Войти|Далее|Найти|Способы оплаты|Удалить фильтры|Принять все|Мои заказы"},
	"zh": {"提交订单|立即购买|确认订单|立即預訂", "立即支付|确认付款|转账|捐款", "发送|发布|发表评论", "删除|删除账户|永久删除|注销账号|刪除", "签署|同意条款|签署合同", "提交|提交申请",
		"加入购物车|登录|下一步|搜索|支付方式|删除筛选|全部接受|我的订单|从购物车删除"},
	"ja": {"注文を確定する|今すぐ購入|予約する", "支払う|お支払いを確定する|決済する|送金", "送信|メッセージを送信|投稿する", "削除|アカウントを削除|退会する|ゴミ箱を空にする", "署名する|利用規約に同意する", "提出する|申し込む",
		"カートに入れる|ログイン|次へ|検索|お支払い方法|フィルターを削除|すべて許可|注文履歴|カートから削除"},
	"ko": {"주문하기|바로 구매|예약하기", "결제하기|지금 결제|송금|기부하기", "보내기|메시지 보내기|게시하기", "삭제|계정 삭제|영구 삭제|구독 해지|회원 탈퇴", "서명하기|약관에 동의", "제출하기|신청하기",
		"장바구니에 담기|로그인|다음|검색|결제 수단|필터 삭제|모두 수락|주문 내역|장바구니에서 삭제"},
	"ar": {"إتمام الطلب|اشتر الآن|تأكيد الحجز", "ادفع الآن|تأكيد الدفع|تبرع الآن", "إرسال|إرسال رسالة|نشر", "حذف|حذف الحساب|إلغاء الاشتراك", "توقيع|قبول العقد|أوافق على الشروط", "تقديم الطلب|إرسال النموذج",
		"أضف إلى السلة|تسجيل الدخول|التالي|بحث|طرق الدفع|حذف من السلة|قبول الكل|طلباتي"},
	"hi": {"ऑर्डर करें|अभी खरीदें|बुक करें", "भुगतान करें|अभी भुगतान करें|दान करें", "भेजें|संदेश भेजें|पोस्ट करें", "हटाएं|खाता हटाएँ|मिटाएं|डिलीट करें", "हस्ताक्षर करें|शर्तें स्वीकार करें", "जमा करें|आवेदन करें",
		"कार्ट में जोड़ें|लॉग इन करें|अगला|खोजें|भुगतान के तरीके|कार्ट से हटाएं|सभी स्वीकार करें|मेरे ऑर्डर"},
	"tr": {"Siparişi tamamla|Hemen al|Satın al|Rezervasyon yap", "Öde|Ödeme yap|Şimdi öde|Bağış yap", "Gönder|Mesaj gönder|Yayınla", "Sil|Hesabı sil|SİL|Aboneliği iptal et", "İmzala|Sözleşmeyi onayla", "Formu gönder|Başvur",
		"Sepete ekle|Giriş yap|İleri|Ara|Ödeme yöntemleri|Sepetten sil|Tümünü kabul et|Siparişlerim"},
}

// classed reports whether a class is among those of a click on the element.
func classed(class policy.Class, d policy.Decision) bool {
	for _, c := range d.Classes {
		if c == class {
			return true
		}
	}
	return false
}

func TestButtonsAreUnderstoodInManyLanguages(t *testing.T) {
	for lang, words := range tongues {
		for class, names := range map[policy.Class]string{
			policy.Buy: words.buy, policy.Pay: words.pay, policy.Send: words.send, policy.Delete: words.del, policy.Sign: words.sign, policy.Submit: words.submit,
		} {
			for name := range strings.SplitSeq(names, "|") {
				for what, button := range map[string]func() policy.Decision{
					"a button of a script": func() policy.Decision { return policy.Policy{}.Judge(click, el("button", name), shop) },
					"a button of a form by POST": func() policy.Decision {
						return policy.Policy{}.Judge(click, el("button", name, sends("post", shop)), shop)
					},
					"in capitals":                 func() policy.Decision { return policy.Policy{}.Judge(click, el("button", strings.ToUpper(name)), shop) },
					"by its label, with a symbol": func() policy.Decision { return policy.Policy{}.Judge(click, el("button", name, shows("…")), shop) },
					"by what it shows": func() policy.Decision {
						return policy.Policy{}.Judge(click, el("button", "OK", shows(name+" →")), shop)
					},
					"Enter on it": func() policy.Decision { return policy.Policy{}.Judge(enter, el("button", name), shop) },
				} {
					if got := button(); got.Do != policy.Ask || !classed(class, got) {
						t.Errorf("%s %q, %s: got %s, %v, want to be asked about %s", lang, name, what, got.Do, got.Classes, class)
					}
				}
				for what, d := range map[string]policy.Decision{
					"a link that only leads on": policy.Policy{}.Judge(click, el("a", name, to("https://shop.example/help/12")), shop),
					"a heading":                 policy.Policy{}.Judge(click, el("h2", name), shop),
					"a choice":                  policy.Policy{}.Judge(click, el("input", name, kind("radio"), role("radio")), shop),
				} {
					if d.Do != policy.Allow || len(d.Classes) > 0 {
						t.Errorf("%s %q, %s: got %s, %v, want it to be nothing", lang, name, what, d.Do, d.Classes)
					}
				}
			}
		}
		for name := range strings.SplitSeq(words.none, "|") {
			for what, e := range map[string]policy.Decision{
				"a button of a script":       policy.Policy{}.Judge(click, el("button", name), shop),
				"a button of a form by POST": policy.Policy{}.Judge(click, el("button", name, sends("post", shop, fld("radio", "size"), fld("number", "quantity"))), shop),
			} {
				if e.Do != policy.Allow || len(e.Classes) > 0 {
					t.Errorf("%s %q, %s: got %s, %v, want nothing", lang, name, what, e.Do, e.Classes)
				}
			}
		}
	}
	if len(tongues) < 14 {
		t.Errorf("only %d languages", len(tongues))
	}
}
