package pixel

import (
	"regexp"
	"strconv"

	"fara/model"
)

// goal is what the task asks for: the values it gives in quotes. An empty one
// was not given.
type goal struct {
	search  string
	glaze   string
	size    string
	name    string
	address string
	// quantity is 1 when the task gives none.
	quantity int
}

// quoted finds a quoted value shortly after a word: glaze "magenta".
func quoted(word string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b` + word + `\b[^"“”.]{0,40}["“]([^"“”]+)["”]`)
}

var (
	searchValue   = quoted("search")
	glazeValue    = quoted("glaze")
	sizeValue     = quoted("size")
	quantityValue = quoted("quantity")
	nameValue     = quoted("name")
	addressValue  = quoted("address")
)

// readGoal reads the oldest message of the user, which holds the task.
func readGoal(messages []model.Message) goal {
	text := ""
	for _, message := range messages {
		if message.Role == model.User {
			text = message.Text
			break
		}
	}
	value := func(pattern *regexp.Regexp) string {
		if found := pattern.FindStringSubmatch(text); found != nil {
			return found[1]
		}
		return ""
	}
	quantity, err := strconv.Atoi(value(quantityValue))
	if err != nil {
		quantity = 1
	}
	return goal{
		search: value(searchValue), glaze: value(glazeValue), size: value(sizeValue),
		name: value(nameValue), address: value(addressValue), quantity: quantity,
	}
}
