// Package markdown turns a page's HTML into Markdown of a bounded length. What of
// the page is visible was decided before; it only knows HTML.
package markdown

import (
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
)

// Limit is how many characters of Markdown are kept: some fifty thousand tokens.
const Limit = 200_000

// Cut ends a text that was longer than Limit.
const Cut = "\n\n[The page goes on; it was cut here.]\n"

// FromHTML converts a document or a fragment. The result has at most Limit
// characters, and Cut after them when the page has more.
func FromHTML(html string) (string, error) {
	conv := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(),
	))
	text, err := conv.ConvertString(html)
	if err != nil {
		return "", fmt.Errorf("page as Markdown: %w", err)
	}
	text = strings.TrimSpace(text) + "\n"
	if runes := []rune(text); len(runes) > Limit {
		text = string(runes[:Limit]) + Cut
	}
	return text, nil
}
