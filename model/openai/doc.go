// Package openai asks a model through any server that speaks OpenAI's chat
// completions: vLLM, SGLang, llama.cpp, LM Studio and others.
//
// It sends only what all of them accept. Ollama is better asked by model/ollama;
// repeating a failed call is model/retry's, so the library's own retries are off.
package openai
