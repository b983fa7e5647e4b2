package imagebudget

// Window says how many of the newest frames a prompt carries. tokens holds each
// frame's cost, oldest first; maxFrames bounds their number and room what they
// may cost together. A bound of 0 or less is no bound. The oldest go first and
// the newest always stays, so the answer is at least 1 when there is a frame.
//
// Three frames of 1260 tokens in a room of 3000 leave the newest two.
func Window(tokens []int, maxFrames, room int) int {
	n := len(tokens)
	if maxFrames > 0 {
		n = min(n, maxFrames)
	}
	if room <= 0 {
		return n
	}
	sum := 0
	for _, t := range tokens[len(tokens)-n:] {
		sum += t
	}
	for ; n > 1 && sum > room; n-- {
		sum -= tokens[len(tokens)-n]
	}
	return n
}

// Steady says the same for a prompt that is to begin like the one before it, so
// that a server can reuse what it has read. held is how many of the newest
// frames there would be if none were dropped. While they are within the bounds
// they all stay; else as many go at once that half of what the bounds allow is
// left, and the next prompts have room to grow.
//
// At most three frames make prompts of 1, 2, 3, 1, 2, 3 ... frames: each reads
// one new frame, where Window has the server read three again.
func Steady(tokens []int, held, maxFrames, room int) int {
	fit := Window(tokens, maxFrames, room)
	if held <= fit {
		return held
	}
	return max(min(1, len(tokens)), fit/2)
}
