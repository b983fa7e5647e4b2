// Package model holds the words of a chat model that sees images: Message,
// Request, Reply, Usage, the Call a reply proposes, and the errors callers act
// on.
//
// It speaks to no server; model/ollama and model/openai do.
package model
