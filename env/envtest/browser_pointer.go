package envtest

func pointerCases() []browserCase { return nil }
