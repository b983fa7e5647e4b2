package envtest

import "slices"

func pointerCases() []browserCase {
	return slices.Concat(clickCases(), staleCases(), matrixCases())
}
