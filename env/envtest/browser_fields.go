package envtest

func fieldCases() []browserCase { return nil }
