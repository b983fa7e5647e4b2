package chrome

import (
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
)

// markdownLimit is how many characters of Markdown are kept: some fifty thousand tokens.
const markdownLimit = 200_000

// markdownCut ends a text that was longer than markdownLimit.
const markdownCut = "\n\n[The page goes on; it was cut here.]\n"

// markdown converts HTML. The result has at most markdownLimit characters, and
// markdownCut after them when the page has more.
func markdown(html string) (string, error) {
	conv := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(),
	))
	text, err := conv.ConvertString(html)
	if err != nil {
		return "", fmt.Errorf("page as Markdown: %w", err)
	}
	text = strings.TrimSpace(text) + "\n"
	if runes := []rune(text); len(runes) > markdownLimit {
		text = string(runes[:markdownLimit]) + markdownCut
	}
	return text, nil
}
