//go:build !linux

package chrome_test

func runChild() bool { return false }
