package captcha

import (
	"regexp"
	"strings"

	"fara/env"
)

// claims are the words next to what is pressed to say that one is no machine.
var claims = regexp.MustCompile(`(?i)\bcaptcha\b|\bnot (?:a |an )?(?:robot|bot|machine)\b` +
	`|\b(?:i am|i'm|i’m|you are|you're|you’re) (?:a )?(?:human|real person)\b|\bpress (?:&|and) hold\b` +
	`|\bkein (?:ro)?bot(?:er)?\b|\bein mensch bin\b|\bbin ein mensch\b` +
	`|\bpas un (?:ro)?bot\b|\bsuis (?:un )?humain\b` +
	`|\bno soy un (?:ro)?bot\b|\bsoy (?:un )?humano\b` +
	`|\bnon sono un (?:ro)?bot\b|\bsono (?:un )?umano\b` +
	`|\bnão sou (?:um )?rob|\bsou humano\b` +
	`|\bgeen robot\b|\bben (?:een )?mens\b` +
	`|nie jestem (?:ro)?botem|jestem człowiekiem` +
	`|не\s+(?:я\s+)?робот|я\s+человек` +
	`|ロボットではありません|人間です|不是机器人|不是機器人|我是人类|我是人類|로봇이 아닙니다|사람입니다` +
	`|لست (?:برنامج )?روبوت|أنا إنسان|रोबोट नहीं|robot değilim|insanım`)

// letters are the words next to a field for what a picture says.
var letters = regexp.MustCompile(`(?i)captcha|(?:characters|letters|text|code|word)s?\b.{0,30}\b(?:you see|in the (?:image|picture))` +
	`|(?:zeichen|buchstaben|text)\b.{0,30}\bbild|caractères.{0,30}image|caracteres.{0,30}imagen|символы с картинки|код с картинки|验证码|驗證碼|画像の文字`)

// asksForHuman reports whether an element of no known captcha is one all the
// same: by what it is, a box to tick, a handle to drag, a button, a field, and by
// what it says. Words alone are not enough: a link about robots is no captcha.
func asksForHuman(e env.Element) bool {
	words := strings.Join(strings.Fields(e.Name+" "+e.Text), " ")
	switch {
	case e.Editable:
		return letters.MatchString(words)
	case e.Type == "checkbox", pressable[e.Role], e.Tag == "button", e.Tag == "label":
		return len(words) <= longestClaim && claims.MatchString(words)
	}
	return false
}

// longestClaim is the most bytes that such words have: a longer text that
// mentions a robot is about something else.
const longestClaim = 160

// pressable are the roles of what a person presses or drags to pass.
var pressable = map[string]bool{"checkbox": true, "switch": true, "slider": true, "button": true}
