package envtest

func waitingCases() []browserCase { return nil }
