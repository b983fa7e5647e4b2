// Package imagebudget decides which frames a prompt carries, at what size and
// token cost, and leads back from a model's numbers to page pixels.
//
// It builds no prompt: it answers how large (Grid), how dear (Grid.Tokens,
// TextTokens), how many (Window) and where (Frame.ToViewport).
package imagebudget
