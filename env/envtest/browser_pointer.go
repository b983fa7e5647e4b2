package envtest

import "slices"

func pointerCases() []browserCase {
	return slices.Concat(clickCases(), staleCases(), coverCases(), dragCases(), scrollCases(), matrixCases())
}
