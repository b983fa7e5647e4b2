// Package env holds the words of the browser world: what an agent sees
// (Observation), what it can do (Action) and what came of it (Outcome, Note,
// ActionError).
//
// It knows no browser, no model and no file. Packages below it implement these
// words (env/chrome) or test those who do (env/envtest).
package env
