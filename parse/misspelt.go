package parse

// misspelt gives an argument that is called almost as one the action takes and
// does not have, and that one's name; or "". Left out as unknown, it would leave
// the call without something that was meant, such as a press_entr of false.
func misspelt(args node, missing []field) (name, meant string) {
	for i, name := range args.names {
		if !args.items[i].given() || isArgument(name) {
			continue
		}
		for _, f := range missing {
			if word, whole := squash(name), squash(f.name); near(word, whole) || holds(word, whole) {
				return name, f.name
			}
		}
	}
	return "", ""
}

// holds reports whether all letters of a word stand in another in their order, as
// those of time do in wait_time.
func holds(long, word string) bool {
	for i := 0; i < len(long) && word != ""; i++ {
		if long[i] == word[0] {
			word = word[1:]
		}
	}
	return word == ""
}

// near reports whether two words differ in one letter that is missing, surplus,
// wrong or swapped with the next, or in two when they are longer than five.
func near(a, b string) bool {
	limit := 1
	if len(b) > 5 {
		limit = 2
	}
	return len(a)-len(b) <= limit && len(b)-len(a) <= limit && distance(a, b) <= limit
}

// distance counts the letters to insert, delete, replace or swap with the next
// that lead from a to b.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			rows[i][j] = step(rows, a, b, i, j)
		}
	}
	return rows[len(a)][len(b)]
}

// step gives the distance of a[:i] and b[:j] from those of shorter ones.
func step(rows [][]int, a, b string, i, j int) int {
	if i == 0 || j == 0 {
		return i + j
	}
	replaced := rows[i-1][j-1]
	if a[i-1] != b[j-1] {
		replaced++
	}
	least := min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
	if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
		least = min(least, rows[i-2][j-2]+1)
	}
	return least
}
