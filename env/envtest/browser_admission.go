package envtest

func admissionCases() []browserCase { return nil }
