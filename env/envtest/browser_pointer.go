package envtest

func pointerCases() []browserCase { return matrixCases() }
