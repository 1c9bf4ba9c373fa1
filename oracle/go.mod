module pvctl.dev/oracle

go 1.26
