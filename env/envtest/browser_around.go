package envtest

func aroundCases() []browserCase { return nil }
