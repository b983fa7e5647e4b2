module fara

go 1.26
