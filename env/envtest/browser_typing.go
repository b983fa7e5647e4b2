package envtest

func typingCases() []browserCase { return nil }
